// When a kernel is compiled again and when not: in memory, on disk, after damage.
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"
#include "core/support/DiskCache.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class KernelCaches : public RuntimeTest {
protected:
  KernelCaches() : x_(device_, DType::F32, {16}), half_(device_, DType::F16, {16}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK"})};
  }

  void launch(const Kernel &kernel, int64_t n = 4, int64_t block = 64) {
    kernel.launch(stream_, {1}, {x_, n}, {.constants = {{"BLOCK", block}}});
  }
  size_t compilations() const { return fake_.requests.size(); }
  void overwriteEntries(const std::string &text) {
    for (auto &file : entryFiles())
      std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }

  Buffer x_, half_;
};

TEST_F(KernelCaches, MemoryIsKeyedByTypesConstantsAndOptions) {
  Kernel kernel = load();
  launch(kernel);
  launch(kernel);
  launch(kernel, 5);
  EXPECT_EQ(compilations(), 1u) << "values do not matter";
  EXPECT_EQ(session::lastLaunch(kernel).from, session::LaunchReport::From::Memory);
  launch(kernel, 4, 128);
  EXPECT_EQ(compilations(), 2u) << "constants";
  launch(kernel, int64_t(1) << 40);
  EXPECT_EQ(compilations(), 3u) << "types";
  kernel.launch(stream_, {1}, {half_, 4}, {.constants = {{"BLOCK", 64}}});
  EXPECT_EQ(compilations(), 4u) << "element types";
  kernel.launch(stream_, {1}, {x_, 4}, {.constants = {{"BLOCK", 64}}, .numWarps = 8});
  EXPECT_EQ(compilations(), 5u) << "options";
  kernel.launch(stream_, {1}, {x_, 4}, {.constants = {{"BLOCK", true}}});
  EXPECT_EQ(compilations(), 6u) << "True is not 1";
  launch(kernel);
  EXPECT_EQ(compilations(), 6u);
}

TEST_F(KernelCaches, NaNConstantsAreFoundAgain) {
  Kernel kernel = load();
  for (int i = 0; i < 3; ++i)
    kernel.launch(stream_, {1}, {x_, 4}, {.constants = {{"BLOCK", std::numeric_limits<double>::quiet_NaN()}}});
  EXPECT_EQ(compilations(), 1u);
}

TEST_F(KernelCaches, AWarmProcessNeedsNoCompiler) {
  launch(load());
  EXPECT_EQ(fake_.inspections, 1);
  EXPECT_EQ(compilations(), 1u);
  Kernel again = load();
  launch(again);
  EXPECT_EQ(fake_.inspections, 1);
  EXPECT_EQ(compilations(), 1u);
  EXPECT_EQ(session::lastLaunch(again).from, session::LaunchReport::From::Disk);
  EXPECT_EQ(launches().size(), 2u);
}

TEST_F(KernelCaches, TheDiskKeyHoldsSourcePathAndEnvironment) {
  launch(load("source"));
  launch(load("source "));
  EXPECT_EQ(compilations(), 2u);
  launch(Kernel::fromSource("source", {}, "other.py"));
  EXPECT_EQ(compilations(), 3u);
  ScopedVariable precision("TRITON_F32_DEFAULT", "ieee");
  launch(load("source"));
  EXPECT_EQ(compilations(), 4u);
}

TEST_F(KernelCaches, ADescriptionBelongsToTheFolderOfItsRelativePath) {
  const std::filesystem::path before = std::filesystem::current_path();
  auto inspectionsIn = [&](const char *folder, const std::string &path) {
    std::filesystem::create_directories(directory_ / folder);
    std::filesystem::current_path(directory_ / folder);
    int count = fake_.inspections;
    Kernel::fromSource("source", {}, path);
    std::filesystem::current_path(before);
    return fake_.inspections - count;
  };
  EXPECT_EQ(inspectionsIn("a", "kernels.py"), 1);
  EXPECT_EQ(inspectionsIn("b", "kernels.py"), 1) << "os.path.abspath(__file__) is another one";
  EXPECT_EQ(inspectionsIn("a", "kernels.py"), 0);
  EXPECT_EQ(inspectionsIn("a", "/kernels.py"), 1);
  EXPECT_EQ(inspectionsIn("b", "/kernels.py"), 0);
}

TEST_F(KernelCaches, DamagedEntriesAreRebuilt) {
  launch(load());
  for (const char *text : {"", "TGULACHE", "garbage that is longer than any header of an entry could be, to be sure"}) {
    overwriteEntries(text);
    int inspections = fake_.inspections;
    size_t before = compilations();
    launch(load());
    EXPECT_EQ(fake_.inspections, inspections + 1);
    EXPECT_EQ(compilations(), before + 1);
    launch(load());
    EXPECT_EQ(compilations(), before + 1) << "rebuilt";
  }
}

TEST_F(KernelCaches, AnEntryOfAnotherKernelIsNotUsed) {
  launch(load("one"));
  auto first = entryFiles();
  launch(load("two"));
  ASSERT_EQ(compilations(), 2u);
  for (auto &file : entryFiles())
    if (std::find(first.begin(), first.end(), file) == first.end())
      for (auto &old : first)
        if (std::filesystem::file_size(old) > 0 && std::filesystem::file_size(file) == std::filesystem::file_size(old))
          std::filesystem::copy_file(old, file, std::filesystem::copy_options::overwrite_existing);
  launch(load("two"));
  EXPECT_EQ(compilations(), 3u);
}

TEST_F(KernelCaches, AlwaysCompileReplacesEntries) {
  launch(load());
  {
    ScopedVariable always("TRITON_ALWAYS_COMPILE", "1");
    launch(load());
    EXPECT_EQ(compilations(), 2u);
    EXPECT_EQ(fake_.inspections, 2);
  }
  launch(load());
  EXPECT_EQ(compilations(), 2u);
}

TEST_F(KernelCaches, AnUnusableDirectoryOnlyCostsTime) {
  std::filesystem::create_directories(directory_ / "cache" / "kernels");
  std::filesystem::permissions(directory_ / "cache" / "kernels", std::filesystem::perms(0777));
  testing::internal::CaptureStderr();
  launch(load());
  launch(load());
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(compilations(), 2u);
  EXPECT_EQ(launches().size(), 2u);
  EXPECT_THAT(said, HasSubstr("warning: the kernel cache"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning"));
}

TEST_F(KernelCaches, FailuresAreNotCached) {
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) {
    Diagnostic d;
    d.location = {"file.py", 3, 5};
    d.message = "shapes do not agree";
    d.sourceLine = "    z = x + y";
    result.error = d;
  };
  Kernel kernel = load();
  ApiError::Kind kind{};
  EXPECT_EQ(messageOf([&] { launch(kernel); }, &kind),
            "file.py:3:5: error: shapes do not agree\n        z = x + y\n        ^\n"
            "note: while compiling k(x_ptr: *f32, n: i32, BLOCK=64)");
  EXPECT_EQ(kind, ApiError::Kind::BadKernel);
  fake_.onCompile = nullptr;
  launch(kernel);
  EXPECT_EQ(launches().size(), 1u);
}

TEST_F(KernelCaches, DefectsOfTheCompilerAreInternal) {
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) { result.internalError = "pass 3 broke"; };
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { launch(load()); }, &kind), HasSubstr("pass 3 broke"));
  EXPECT_EQ(kind, ApiError::Kind::Internal);
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) { result.artifact.reset(); };
  EXPECT_THAT(messageOf([&] { launch(load()); }, &kind), HasSubstr("neither a kernel nor an error"));
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) { result.artifact->params.pop_back(); };
  EXPECT_THAT(messageOf([&] { launch(load()); }, &kind), HasSubstr("has 1 parameters, 2 are passed"));
}

TEST_F(KernelCaches, WarningsAndStaticPrintsAreShownOnce) {
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) {
    Diagnostic d;
    d.severity = Diagnostic::Severity::Warning;
    d.message = "be careful";
    result.warnings.push_back(d);
    result.staticOutput = "BLOCK 64\n";
  };
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  Kernel kernel = load();
  launch(kernel);
  launch(kernel);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "BLOCK 64\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: be careful\n");
}

TEST_F(KernelCaches, DumpsGoToTheirDirectory) {
  ScopedVariable dump("TEGULA_DUMP", (directory_ / "dump").c_str());
  launch(load());
  std::vector<std::string> names;
  for (auto &entry : std::filesystem::directory_iterator(directory_ / "dump"))
    names.push_back(entry.path().extension());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(".ast", ".tile"));
  std::filesystem::remove_all(directory_ / "dump");
  launch(load());
  EXPECT_TRUE(std::filesystem::exists(directory_ / "dump")) << "a cached kernel is dumped too";
}

TEST_F(KernelCaches, HeuristicsAreEvaluatedAtEachLaunch) {
  fake_.kernels[0].heuristics = {{"BLOCK", "16 if n % 16 == 0 else 1", ""}};
  Kernel kernel = load();
  for (int n : {32, 64, 5, 7, 16})
    kernel.launch(stream_, {1}, {x_, n});
  ASSERT_EQ(compilations(), 2u);
  EXPECT_EQ(fake_.requests[0].constants.at("BLOCK"), ConstantValue(int64_t(16)));
  EXPECT_EQ(fake_.requests[1].constants.at("BLOCK"), ConstantValue(int64_t(1)));
}

TEST_F(KernelCaches, KernelsAreFoundByName) {
  fake_.kernels = {makeKernel("first_kernel", {}), makeKernel("second_kernel", {})};
  EXPECT_EQ(load("s", "second_kernel").name(), "second_kernel");
  EXPECT_EQ(messageOf([&] { load(); }), "'file.py' holds 2 kernels; name one of first_kernel and second_kernel");
  EXPECT_EQ(
      messageOf([&] { load("s", "second_kernl"); }),
      "'file.py' has no kernel 'second_kernl'; it has first_kernel and second_kernel; did you mean 'second_kernel'?");
  fake_.kernels.clear();
  EXPECT_THAT(messageOf([&] { load("t"); }), HasSubstr("holds no kernel: no function is decorated with @triton.jit"));
  EXPECT_THAT(messageOf([&] { Kernel::load("/nonexistent.py"); }),
              HasSubstr("cannot read '/nonexistent.py': No such file"));
}

TEST_F(KernelCaches, ThreadsShareOneCompilation) {
  Kernel kernel = load();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        launch(kernel, 16 * i, 64 << (i % 3)); // multiples of 16: equal facts
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compilations(), 3u);
  EXPECT_EQ(launches().size(), 800u);
}

TEST_F(KernelCaches, AMissingOrForeignCompilerLibraryIsAMessage) {
  auto problem = [&] {
    try {
      openCompiler(directory_);
    } catch (const Error &e) {
      return e.diagnostic().message;
    }
    return std::string("(opened)");
  };
  EXPECT_THAT(problem(),
              HasSubstr("the compiler library is missing; expected " + directory_.string() + "/libtegula-compiler.so"));
  std::ofstream(directory_ / "libtegula-compiler.so") << "no library";
  EXPECT_THAT(problem(), HasSubstr("cannot load the compiler library: "));
}

TEST_F(KernelCaches, TheCacheIsListedAndCleared) {
  launch(load());
  DiskCache::open().store(deviceCodeKey("file.py", "a device", {}), std::vector<uint8_t>{1});
  auto entries = session::cacheEntries();
  ASSERT_EQ(entries.size(), 3u);
  std::vector<std::string> kinds = {entries[0].kind, entries[1].kind, entries[2].kind};
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre("kernel", "description", "device code"));
  for (auto &entry : entries) {
    if (entry.kind == "device code")
      EXPECT_EQ(entry.target, "a device");
    EXPECT_EQ(entry.path, "file.py");
    if (entry.kind == "kernel") {
      EXPECT_EQ(entry.kernel, "k");
      EXPECT_EQ(entry.target, "null");
    }
  }
  overwriteEntries("damaged");
  for (auto &entry : session::cacheEntries())
    EXPECT_EQ(entry.kind, "damaged");
  EXPECT_EQ(session::clearCache(), 3u);
  EXPECT_TRUE(session::cacheEntries().empty());
}

} // namespace
} // namespace tegula::test
