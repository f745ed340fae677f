// Modules of other files: where they are found, what their names stand for, what is read.
#include "core/support/Files.h"
#include "frontend/language/host/HostEvaluator.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/syntax/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>

namespace tegula::lang {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder of files, and a module in it.
class ModuleFiles : public ::testing::Test {
protected:
  ModuleFiles() {
    char name[] = "/tmp/tegula-modules-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~ModuleFiles() override { fs::remove_all(folder_); }

  void file(const std::string &path, const std::string &text = "") {
    fs::create_directories((folder_ / path).parent_path());
    writeFile((folder_ / path).string(), std::string_view(text));
  }
  /// The module at `path`, which is a file with this text.
  const ModuleScope &module(const std::string &path, const std::string &text) {
    file(path, text);
    return reopened(path, Modules::kLooks);
  }
  const ModuleScope &reopened(const std::string &path, bool looks) {
    modules_ = std::make_unique<Modules>(surroundings_, looks);
    std::string full = (folder_ / path).string();
    scope_ = std::make_unique<ModuleScope>(parseModule(full, readTextFile(full), OnError::Keep), false, modules_.get());
    return *scope_;
  }

  /// "a/b.py:3": where the definition of `name` stands; otherwise what it is.
  std::string where(const ModuleScope &scope, const std::string &name) {
    auto *binding = scope.names.find(name);
    if (!binding)
      return "unbound";
    Imported found;
    if (binding->isCertain() && binding->candidates[0].import)
      found = modules_->resolve(scope, *binding->candidates[0].import);
    else
      found = {Imported::Kind::Member, "", name, &scope, binding};
    auto relative = [&](const ModuleScope *module) {
      return fs::path(module->module->source->path).lexically_relative(folder_).string();
    };
    switch (found.kind) {
    case Imported::Kind::Language: return found.path + (found.name.empty() ? "" : "." + found.name);
    case Imported::Kind::Member:
      return relative(found.scope) + ":" + std::to_string(found.binding->candidates[0].loc().line);
    case Imported::Kind::Module: return relative(found.scope);
    case Imported::Kind::Missing: return "missing";
    case Imported::Kind::Unread: return "unread";
    case Imported::Kind::Circle: return "circle";
    }
    return "?";
  }

  std::vector<std::string> read() const {
    std::vector<std::string> paths;
    for (auto &[path, found] : surroundings_.files)
      if (found.text)
        paths.push_back(fs::path(path).lexically_relative(folder_).string());
    return paths;
  }

  fs::path folder_;
  Surroundings surroundings_;
  std::unique_ptr<Modules> modules_;
  std::unique_ptr<ModuleScope> scope_;
};

TEST_F(ModuleFiles, RelativeAndAbsoluteImports) {
  file("p/__init__.py");
  file("p/utils.py", "\ndef f(): pass\n");
  file("p/q/__init__.py", "from ..utils import f as g\n");
  file("p/q/deep.py", "h = 1\n");
  file("beside.py", "b = 1\n");
  auto &scope =
      module("p/q/kernel.py", "from ..utils import f\nfrom p.utils import f as f2\nfrom . import g\nimport p.utils "
                              "as u\nfrom .deep import h\nfrom .. import q\nimport p.q.deep\nfrom . import deep\n"
                              "from .none import x\nfrom torch import y\nfrom .deep import z\n");
  EXPECT_EQ(where(scope, "f"), "p/utils.py:2");
  EXPECT_EQ(where(scope, "f2"), "p/utils.py:2");
  EXPECT_EQ(where(scope, "g"), "p/utils.py:2");
  EXPECT_EQ(where(scope, "u"), "p/utils.py");
  EXPECT_EQ(where(scope, "h"), "p/q/deep.py:1");
  EXPECT_EQ(where(scope, "q"), "p/q/__init__.py");
  EXPECT_EQ(where(scope, "p"), "p/__init__.py");
  EXPECT_EQ(where(scope, "deep"), "p/q/deep.py");
  EXPECT_EQ(where(scope, "x"), "unread");
  EXPECT_EQ(where(scope, "y"), "unread");
  EXPECT_EQ(where(scope, "z"), "missing");
  EXPECT_EQ(where(module("script.py", "from beside import b\nimport p.q.deep as d\n"), "b"), "beside.py:1");
  EXPECT_EQ(where(*scope_, "d"), "p/q/deep.py");
}

TEST_F(ModuleFiles, ConditionsInACircleOfImportsAreNotKnown) {
  file("am.py", "import bm\nif bm.f():\n  x = 1\nelse:\n  x = 2\ndef f(): return True\ny = 3\n");
  file("bm.py", "import am\nif am.f():\n  z = 1\nelse:\n  z = 2\ndef f(): return True\n");
  auto &scope = module("main.py", "from am import y\n");
  EXPECT_EQ(where(scope, "y"), "am.py:7");
  EXPECT_EQ(modules_->find(scope, "bm")->names.find("z")->candidates.size(), 2u);
}

TEST_F(ModuleFiles, TheModulePathComesLast) {
  file("one/m.py", "\n\na = 1\n");
  file("two/m.py", "a = 1\n");
  file("two/n.py", "a = 1\n");
  file("m.py", "\na = 1\n");
  surroundings_.modulePath = {(folder_ / "one").string(), (folder_ / "two").string()};
  EXPECT_EQ(where(module("k.py", "from m import a\nfrom n import a as b\n"), "a"), "m.py:2");
  EXPECT_EQ(where(*scope_, "b"), "two/n.py:1");
  fs::remove(folder_ / "m.py");
  surroundings_.files.clear();
  EXPECT_EQ(where(reopened("k.py", Modules::kLooks), "a"), "one/m.py:3");
}

TEST_F(ModuleFiles, AFolderWithoutInitIsAPackageToo) {
  file("r/pack/sub/a.py", "x = 1\n");
  EXPECT_EQ(where(module("r/pack/other/k.py", "from pack.sub.a import x\nfrom ..sub.a import x as y\n"), "x"),
            "r/pack/sub/a.py:1");
  EXPECT_EQ(where(*scope_, "y"), "r/pack/sub/a.py:1");
}

TEST_F(ModuleFiles, StarsShimsAndTheLanguage) {
  file("shim.py",
       "try:\n    import triton\n    import triton.language as tl\n    HAS = True\nexcept ImportError:\n"
       "    HAS = probe()\n    tl = None\n    triton = None\nif probe():\n    import triton.language as lang\n"
       "else:\n    lang = None\n");
  file("names.py", "a = 1\n_hidden = 2\nb = 3\n");
  auto &scope = module("k.py", "b = 0\nfrom names import *\nfrom shim import tl, triton, lang\n"
                               "from absent.triton_utils import tl as t\nfrom shim import tl as again\na2 = a\n");
  EXPECT_EQ(where(scope, "tl"), "triton.language");
  EXPECT_EQ(where(scope, "triton"), "triton");
  EXPECT_EQ(where(scope, "lang"), "triton.language");
  EXPECT_EQ(where(scope, "t"), "triton.language");
  EXPECT_EQ(where(scope, "a"), "names.py:1");
  EXPECT_EQ(where(scope, "b"), "names.py:3") << "the star stands later";
  EXPECT_EQ(where(scope, "_hidden"), "unbound");
  EXPECT_EQ(where(module("l.py", "from names import *\nb = 0\n"), "b"), "l.py:2");
}

TEST_F(ModuleFiles, CirclesOfImportsAreFound) {
  file("a.py", "from b import x\nfrom b import y\nw = 1\n");
  file("b.py", "from a import x\nfrom a import w\ny = 2\n");
  auto &scope = module("k.py", "from a import x, y\nfrom b import w\n");
  EXPECT_EQ(where(scope, "x"), "circle");
  EXPECT_EQ(where(scope, "y"), "b.py:3");
  EXPECT_EQ(where(scope, "w"), "a.py:3");
}

TEST_F(ModuleFiles, ATryKnowsWhetherAnImportFails) {
  file("here.py", "f = 1\n");
  auto &scope = module("k.py", "try:\n    from here import f\nexcept ImportError:\n    f = None\n"
                               "try:\n    from here import g\nexcept ImportError:\n    g = None\n"
                               "try:\n    from .absent import h\nexcept ImportError:\n    h = None\n");
  EXPECT_EQ(where(scope, "f"), "here.py:1");
  EXPECT_EQ(where(scope, "g"), "k.py:8");
  EXPECT_EQ(where(scope, "h"), "k.py:12");
}

TEST_F(ModuleFiles, OnlyWhatKernelsUseIsRead) {
  file("used.py",
       "import further\n@triton.jit\ndef f(x):\n    return x + further.N\n@triton.jit\ndef g(x):\n    return "
       "unread.M\nimport unread\n");
  file("further.py", "N = 3\n");
  file("unread.py", "M = 4\n");
  file("host.py", "H = 5\n");
  file("sizes.py", "import triton\ndef sizes():\n    return [triton.Config({'B': SIZE})]\nSIZE = 64\n");
  auto &scope =
      module("k.py", "import triton\nimport triton.language as tl\nfrom used import f\nimport host, os\nfrom sizes "
                     "import sizes\nPICK = host.H\nB = 16 if os.environ.get('TEGULA_TEST_SIZE', 'a') == 'a' else "
                     "32\n@triton.autotune(configs=sizes(), key=[])\n@triton.jit\ndef k(x, B: tl.constexpr, C: "
                     "tl.constexpr = B):\n    tl.store(x, f(1))\n");
  std::vector<KernelInfo> kernels = inspect(scope.names);
  readUsedModules(scope);
  EXPECT_THAT(read(), ::testing::ElementsAre("further.py", "sizes.py", "used.py"));
  ASSERT_EQ(kernels.at(0).configs.size(), 1u);
  EXPECT_EQ(kernels[0].configs[0].constants.at("B"), ConstantValue(int64_t(64)));
  EXPECT_EQ(kernels[0].params[2].defaultValue, ConstantValue(int64_t(16)));
  EXPECT_EQ(surroundings_.environment.count("TEGULA_TEST_SIZE"), 1u);
  // The record is enough, also when the files are gone.
  fs::remove(folder_ / "used.py");
  EXPECT_EQ(where(reopened("k.py", Modules::kRecorded), "f"), "used.py:3");
  EXPECT_FALSE(lookAgain(surroundings_) == surroundings_);
}

TEST_F(ModuleFiles, ConstantParametersAreFoundThroughModules) {
  file("helpers.py",
       "import triton\nimport triton.language as tl\n@triton.jit\ndef inner(n: tl.constexpr):\n    return "
       "tl.arange(0, n)\n@triton.jit\ndef outer(size):\n    return inner(size)\n");
  auto &scope =
      module("k.py", "import triton\nimport helpers as h\nfrom helpers import outer\n@triton.jit\ndef k(x, BLOCK, "
                     "OTHER, n):\n    outer(BLOCK)\n    h.outer(OTHER)\n");
  KernelInfo kernel = inspect(scope.names).at(0);
  EXPECT_FALSE(kernel.params[0].isConstexpr);
  EXPECT_TRUE(kernel.params[1].isConstexpr);
  EXPECT_TRUE(kernel.params[2].isConstexpr);
  EXPECT_FALSE(kernel.params[3].isConstexpr);
}

TEST_F(ModuleFiles, ThePackageImportsItsOwnModule) {
  file("pkg/__init__.py", "from pkg import inner\nfrom . import other\n");
  file("pkg/inner.py", "N = 1\n");
  file("pkg/other.py");
  auto &scope = module("pkg/ops/k.py", "from .. import inner, other\nX = inner.N\n");
  EXPECT_EQ(where(scope, "inner"), "pkg/inner.py");
  EXPECT_EQ(where(scope, "other"), "pkg/other.py");
}

std::string textOf(const HostObject &value) { return value.as<std::string>() ? *value.as<std::string>() : "no text"; }

TEST_F(ModuleFiles, HostCodeReadsFilesAndModulesByName) {
  file("settings/tuned.yaml", "mm:\n  - META: {BLOCK: 64}\n    num_warps: 8\n");
  file("vendors/_some/__init__.py", "from shared import NAME\n");
  file("vendors/shared.py", "NAME = 'from shared'\n");
  auto &scope = module("k.py", R"(
import importlib, os, sys, yaml
HERE = os.path.dirname(os.path.abspath(__file__))
def load():
    with open(os.path.join(HERE, "settings", "tuned.yaml"), "r") as file:
        return yaml.safe_load(file)
def vendor(name):
    sys.path.append(os.path.join(HERE, "vendors"))
    return importlib.import_module("_" + name)
def absent():
    try:
        with open(os.path.join(HERE, "absent.yaml")) as file:
            return "found"
    except FileNotFoundError:
        return "absent"
X = load()["mm"][0]["META"]["BLOCK"] + load()["mm"][0]["num_warps"]
Y = vendor("some").NAME
Z = absent()
P = "|".join([os.path.normpath("a//b/../c/"), os.path.normpath(""), os.path.normpath("/"), os.path.abspath("/x/y/")])
)");
  HostEvaluator host(scope.names);
  EXPECT_EQ(host.ofName("X", {1, 1}).integer(), 72);
  EXPECT_EQ(textOf(host.ofName("Y", {1, 1})), "from shared");
  EXPECT_EQ(textOf(host.ofName("Z", {1, 1})), "absent");
  EXPECT_EQ(textOf(host.ofName("P", {1, 1})), "a/c|.|/|/x/y");
  // A compilation has the texts from the record, also when the files have changed.
  file("settings/tuned.yaml", "mm: []\n");
  auto &again = reopened("k.py", Modules::kRecorded);
  EXPECT_EQ(HostEvaluator(again.names).ofName("X", {1, 1}).integer(), 72);
  EXPECT_EQ(textOf(HostEvaluator(again.names).ofName("Y", {1, 1})), "from shared");
  EXPECT_EQ(textOf(HostEvaluator(again.names).ofName("Z", {1, 1})), "absent");
}

TEST_F(ModuleFiles, HostCodeReadsRegularFilesOfSomeSizeOnly) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  file("large");
  fs::resize_file(folder_ / "large", (1 << 24) + 1);
  auto &scope = module("k.py", R"(
import os
HERE = os.path.dirname(os.path.abspath(__file__))
def first(path):
    with open(path) as file:
        return file.read()
ZERO = first("/dev/zero")
PIPE = first(os.path.join(HERE, "pipe"))
LARGE = first(os.path.join(HERE, "large"))
)");
  auto problem = [&](const char *name) -> std::string {
    try {
      HostEvaluator(scope.names).ofName(name, {1, 1});
    } catch (const Error &error) {
      return error.what();
    }
    return "(known)";
  };
  EXPECT_THAT(problem("ZERO"), HasSubstr("cannot read '/dev/zero': it is no regular file"));
  EXPECT_THAT(problem("PIPE"), HasSubstr("it is no regular file"));
  EXPECT_THAT(problem("LARGE"), HasSubstr("larger than 16777216 bytes"));
}

TEST_F(ModuleFiles, AnUnreadableKernelStopsNoOther) {
  auto &scope =
      module("k.py", "import triton\n@triton.jit\ndef bad(x):\n    yield x\n@triton.jit\ndef good(x):\n    pass\n");
  std::vector<KernelInfo> kernels = inspect(scope.names);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "bad");
  ASSERT_TRUE(kernels[0].problem);
  EXPECT_EQ(kernels[0].problem->location.line, 4u);
  EXPECT_EQ(kernels[1].name, "good");
  EXPECT_FALSE(kernels[1].problem);
}

} // namespace
} // namespace tegula::lang
