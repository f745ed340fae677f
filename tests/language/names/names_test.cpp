// Names that a module binds more than once: Python's order, conditions that can be read, and those that cannot.
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/names/ModuleNames.h"
#include "frontend/language/syntax/Parser.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

/// "4": the lines of the definitions that `name` may have at the module's end; "4 7" of several, "" of none.
std::string linesOf(const std::string &source, const std::string &name = "f") {
  auto module = parseModule("m.py", "import triton\nimport triton.language as tl\n" + source);
  ModuleNames names(*module);
  std::string lines;
  if (auto *binding = names.find(name))
    for (auto &candidate : binding->candidates)
      lines += (lines.empty() ? "" : " ") + std::to_string(candidate.loc().line - 2);
  return lines;
}

/// `condition` decides between a function at line `offset` + 2 and one at `offset` + 5.
std::string chosenBy(const std::string &condition, const std::string &before = "") {
  std::string lines = linesOf(before + "if " + condition +
                              ":\n  @triton.jit\n  def f(): pass\nelse:\n  @triton.jit\n  def f(x): pass\n");
  unsigned offset = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n'));
  return lines == std::to_string(offset + 3)   ? "then"
         : lines == std::to_string(offset + 6) ? "else"
                                               : "unknown: " + lines;
}

TEST(Names, TheLastDefinitionWins) {
  EXPECT_EQ(linesOf("@triton.jit\ndef f(): pass\n@triton.jit\ndef f(x): pass\n"), "4");
  EXPECT_EQ(linesOf("f = 1\nf = 2\n"), "2");
  EXPECT_EQ(linesOf("@triton.jit\ndef f(): pass\nf = wrap(f)\n"), "3");
  EXPECT_EQ(linesOf("f = 1\nfrom a import f\n"), "2");
  EXPECT_EQ(linesOf("f = 1\ng, (f, h) = x\n"), "2");
  EXPECT_EQ(linesOf("f = 1\nf: int\n"), "1"); // an annotation alone binds nothing
}

TEST(Names, LiteralConditions) {
  EXPECT_EQ(chosenBy("True"), "then");
  EXPECT_EQ(chosenBy("not True"), "else");
  EXPECT_EQ(chosenBy("0"), "else");
  EXPECT_EQ(chosenBy("1 < 2 <= 2"), "then");
  EXPECT_EQ(chosenBy("None is not None"), "else");
  EXPECT_EQ(chosenBy("'a' == 'b' or 3"), "then");
  EXPECT_EQ(chosenBy("__name__ == '__main__'"), "else");
}

TEST(Names, ConditionsOfTheModule) {
  EXPECT_EQ(chosenBy("FAST", "FAST = False\n"), "else");
  EXPECT_EQ(chosenBy("N > 3 and not FAST", "N = 2 + 2\nFAST = N == 5\n"), "then");
  EXPECT_EQ(chosenBy("FAST", "FAST = True\nFAST = False\n"), "else");
  EXPECT_EQ(chosenBy("TYPE_CHECKING", "from typing import TYPE_CHECKING\n"), "else");
  EXPECT_EQ(chosenBy("typing.TYPE_CHECKING", "import typing\n"), "else");
  EXPECT_EQ(chosenBy("hasattr(tl, 'gather')"), "then");
  EXPECT_EQ(chosenBy("not hasattr(triton.language, '_experimental_descriptor_load')"), "then");
  EXPECT_EQ(chosenBy("hasattr(tl.math, 'exp')"), "then");
  EXPECT_EQ(chosenBy("version.parse(triton.__version__) >= version.parse('3.10')"), "else");
  EXPECT_EQ(chosenBy("Version(triton.__version__) >= Version('3.0.0')"), "then");
}

TEST(Names, OneKnownOperandMayDecide) {
  EXPECT_EQ(chosenBy("False and probe()"), "else");
  EXPECT_EQ(chosenBy("probe() and False"), "else");
  EXPECT_EQ(chosenBy("probe() or True"), "then");
  EXPECT_EQ(chosenBy("not (probe() and False)"), "then");
}

TEST(Names, UnknownConditions) {
  EXPECT_EQ(chosenBy("probe()"), "unknown: 3 6");
  EXPECT_EQ(chosenBy("torch.version.hip"), "unknown: 3 6");
  EXPECT_EQ(chosenBy("True and probe()"), "unknown: 3 6");
  EXPECT_EQ(chosenBy("FAST", "FAST = probe()\n"), "unknown: 4 7");
  EXPECT_EQ(chosenBy("len([a for a in b]) in {1}"), "unknown: 3 6");
  EXPECT_EQ(linesOf("if probe():\n  f = 1\nelif True:\n  f = 2\nelse:\n  f = 3\n"), "2 4");
}

TEST(Names, OneDefinitionIsCertain) {
  EXPECT_EQ(linesOf("if probe():\n  f = 1\n"), "2"); // where the condition fails, Python has no f at all
  EXPECT_EQ(linesOf("if probe():\n  f = 1\nelse:\n  raise E\nf2 = 1\n"), "2");
  EXPECT_EQ(linesOf("f = 1\nif probe():\n  f = 2\n"), "1 3");
  EXPECT_EQ(linesOf("f = 1\nif probe():\n  g = 2\n"), "1");
  EXPECT_EQ(linesOf("if probe():\n  f = 1\nelse:\n  f = 2\nf = 3\n"), "5");
}

TEST(Names, DefinitionsThatMeanTheSameAreOne) {
  EXPECT_EQ(linesOf("if probe():\n  f = 4\nelse:\n  f = 2 + 2\n"), "2");
  EXPECT_EQ(linesOf("if probe():\n  from triton.language.extra.libdevice import f\nelse:\n  from triton.language.math "
                    "import f\n"),
            "2");
  EXPECT_EQ(linesOf("if probe():\n  import a.b as f\nelse:\n  from a import b as f\n"), "2");
}

TEST(Names, BranchesThatDoNotRunToTheirEnd) {
  EXPECT_EQ(linesOf("f = 1\nif probe():\n  f = 2\n  raise E\n"), "1");
  EXPECT_EQ(linesOf("if probe():\n  f = tl.nothing_like_this\nelse:\n  f = tl.exp\n"), "4");
  EXPECT_EQ(linesOf("f = 1\nif True:\n  raise E\nf = 2\n"), "4");
}

TEST(Names, KernelsAfterAnImportThatIsMissingHere) {
  std::string import = "  from triton.language.extra import no_such_library\n";
  EXPECT_EQ(linesOf("if True:\n" + import + "  f = 1\n"), "3");
  EXPECT_EQ(linesOf("if probe():\n" + import + "  f = 1\n"), "3");
  EXPECT_EQ(linesOf("if probe():\n" + import + "  f = 1\nelse:\n  f = 2\n"), "5");
  EXPECT_EQ(linesOf("try:\n" + import + "  f = 1\nexcept ImportError:\n  g = 1\n"), "3");
  EXPECT_EQ(linesOf("try:\n" + import + "  f = 1\nexcept ImportError:\n  f = 2\n"), "5");
}

TEST(Names, TryTakesItsBodyUnlessThatFails) {
  EXPECT_EQ(linesOf("try:\n  f = 1\nexcept E:\n  f = 2\n"), "2");
  EXPECT_EQ(linesOf("try:\n  import os, triton.language\n  f = 1\nexcept E:\n  f = 2\n"), "3");
  EXPECT_EQ(linesOf("try:\n  from triton.language import exp as f\nexcept ImportError:\n  f = 2\n"), "2");
  EXPECT_EQ(linesOf("try:\n  from triton.language import no_such_thing as f\nexcept ImportError:\n  f = 2\n"), "4");
  EXPECT_EQ(linesOf("try:\n  f = probe()\nexcept ImportError:\n  f = tl.math\n"), "4");
  EXPECT_EQ(linesOf("try:\n  f = probe()\nexcept ImportError:\n  f = tl.exp\n"), "2 4");
  EXPECT_EQ(linesOf("try:\n  f = tl.math.no_such_thing\nexcept AttributeError:\n  f = tl.exp\n"), "4");
  EXPECT_EQ(linesOf("try:\n  raise E\nexcept E:\n  f = 1\nelse:\n  f = 2\nfinally:\n  g = 1\n"), "4");
  EXPECT_EQ(linesOf("try:\n  f = 1\nexcept E:\n  pass\nelse:\n  f = 2\n"), "6");
  EXPECT_EQ(linesOf("try:\n  f = 1\nfinally:\n  f = 2\n"), "4");
}

TEST(Names, TryThatMayFail) {
  EXPECT_EQ(linesOf("try:\n  import a\n  f = 1\nexcept ImportError:\n  f = 2\n"), "3 5");
  EXPECT_EQ(linesOf("try:\n  import a\n  f = 1\nexcept ImportError:\n  raise\n"), "3");
  EXPECT_EQ(linesOf("try:\n  from a import f\nexcept ImportError:\n  pass\n"), "2");
  EXPECT_EQ(linesOf("f = 0\ntry:\n  f = probe()\nexcept E:\n  g = 2\n"), "1 3");
  EXPECT_EQ(linesOf("try:\n  import a\n  H = True\nexcept E:\n  H = False\nif H:\n  f = 1\nelse:\n  f = 2\n"), "7 9");
}

TEST(Names, OtherBlocks) {
  EXPECT_EQ(linesOf("f = 1\nwith a as b:\n  f = 2\n"), "3");
  EXPECT_EQ(linesOf("f = 1\nfor f2 in a:\n  f = 2\n"), "1 3");
  EXPECT_EQ(linesOf("f = 1\nwhile a():\n  f = 2\nelse:\n  f = 3\n"), "5");
  EXPECT_EQ(linesOf("if __name__ == '__main__':\n  f = 1\n"), "");
  EXPECT_EQ(linesOf("if False:\n  f = 1\n"), "");
}

TEST(Names, ValuesAreThoseOfTheirTime) {
  auto module = parseModule("m.py", "N = 4\nM = N * 2\nN = 8\n");
  ModuleNames names(*module);
  const ModuleNames::Binding *m = names.find("M");
  ASSERT_TRUE(m && m->isCertain());
  HostConstants then(names, m->candidates[0].time), now(names);
  EXPECT_EQ(then.evaluate(*now.assignedValue("M")), ConstantValue(int64_t(8)));
  EXPECT_EQ(now.evaluate(*now.assignedValue("N")), ConstantValue(int64_t(8)));
}

TEST(Kernels, OnlyTritonsJitDecoratesByACall) {
  auto count = [](const std::string &source) { return inspect(*parseModule("m.py", source)).size(); };
  EXPECT_EQ(count("import triton\ndef f(x): pass\nk = triton.jit(f)\n"), 1u);
  EXPECT_EQ(count("from lib import triton\ndef f(x): pass\nk = triton.jit(f)\n"), 1u);
  EXPECT_EQ(count("import numba\ndef f(x): pass\nk = numba.jit(f)\n"), 0u);
  EXPECT_EQ(count("from numba import jit\ndef f(x): pass\nk = jit(f)\n"), 0u);
}

TEST(Kernels, AreListedByWhatTheirNamesMean) {
  auto listed = [](const std::string &source) {
    std::string text;
    for (const KernelInfo &kernel : inspect(*parseModule("m.py", source))) {
      text += kernel.name + "(";
      for (const KernelInfo::Param &param : kernel.params)
        text += param.name;
      text += kernel.problem ? ")? " : ") ";
    }
    return text;
  };
  EXPECT_EQ(listed("@jit\ndef k(a): pass\n@jit\ndef g(): pass\n@jit\ndef k(b): pass\n"), "g() k(b) ");
  EXPECT_EQ(listed("if True:\n  @jit\n  def k(a): pass\nelse:\n  @jit\n  def k(b): pass\n"), "k(a) ");
  EXPECT_EQ(listed("if False:\n  @jit\n  def k(a): pass\n"), "");
  EXPECT_EQ(listed("if x:\n  @jit\n  def k(a): pass\nelse:\n  @jit\n  def k(b): pass\n"), "k(a)? ");
  EXPECT_EQ(listed("@jit\ndef k(a): pass\nk = wrap(k)\n"), "k(a)? ");
}

TEST(Kernels, DefaultsAreThoseOfTheDefinition) {
  auto kernels = inspect(*parseModule("m.py", "N = 4\n@jit\ndef k(a, B: tl.constexpr = N): pass\nN = 8\n"));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].params[1].defaultValue, ConstantValue(int64_t(4)));
}

} // namespace
} // namespace tegula::lang
