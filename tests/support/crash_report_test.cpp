#include "core/support/process/CrashReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace tegula {
namespace {

constexpr uint32_t kProgram[3] = {7, 0, 2};
uint32_t lineOf(const void *executor) { return *static_cast<const uint32_t *>(executor); }
const uint32_t kLine = 12, kNoLine = 0;
const ExecutionPoint kPoint = {"scale", "dir/k.py", kProgram, lineOf, &kLine};

/// Writes to an address at which no process has memory.
void crash(uintptr_t address = 0x10) { *reinterpret_cast<volatile int *>(address) = 1; }

void exitWith3(int) {
  constexpr char kText[] = "the handler from before";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(3);
}

TEST(CrashReport, NamesKernelLineAddressAndProgram) {
  EXPECT_DEATH(
      {
        CrashScope scope(&kPoint);
        crash();
      },
      "^tegula: kernel scale \\(dir/k\\.py:12\\) crashed at address 0x10, program \\(7, 0, 2\\), which is outside of "
      "its "
      "arrays; run it with --check");
  EXPECT_DEATH(
      {
        ExecutionPoint point = kPoint;
        point.executor = &kNoLine;
        CrashScope scope(&point);
        crash(uintptr_t(1) << 63); // no address of the hardware's, which then reports none
      },
      "kernel scale \\(dir/k\\.py\\) crashed at an address that no memory has, program");
}

TEST(CrashReport, TheInnermostScopeOfTheThreadCounts) {
  ExecutionPoint inner = kPoint;
  inner.kernel = "inner";
  EXPECT_DEATH(
      {
        CrashScope outer(&kPoint);
        std::thread other([&] {
          CrashScope scope(&inner);
          crash();
        });
        other.join();
      },
      "kernel inner ");
  EXPECT_DEATH(
      {
        CrashScope outer(&kPoint);
        {
          CrashScope scope(&inner);
        }
        crash();
      },
      "kernel scale ");
}

TEST(CrashReport, CallbacksInsideOfAScopeAreTheCallersCode) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, exitWith3);
        CrashScope scope(&kPoint);
        CrashScope callback(nullptr);
        crash();
      },
      testing::ExitedWithCode(3), "^the handler from before");
}

TEST(CrashReport, HandlersFromBeforeAreCalled) {
  auto prepare = [] {
    signal(SIGSEGV, exitWith3);
    CrashScope installs(&kPoint);
  };
  EXPECT_EXIT(
      {
        prepare();
        CrashScope scope(&kPoint);
        crash();
      },
      testing::ExitedWithCode(3), "kernel scale .*\nthe handler from before");
  EXPECT_EXIT(
      {
        prepare();
        crash();
      },
      testing::ExitedWithCode(3), "^the handler from before"); // outside of a scope nothing is said
  EXPECT_EXIT(
      {
        prepare();
        CrashScope scope(&kPoint);
        kill(getpid(), SIGSEGV);
        pause();
      },
      testing::ExitedWithCode(3), "^the handler from before"); // nor about a signal that a process sent
}

/// Takes stack without end; `depth` keeps the compiler from seeing that.
[[gnu::noinline]] int overflow(volatile int *depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(*depth);
  return *depth < 0 ? 0 : overflow(depth) + frame[0];
}

TEST(CrashReport, AnOverflowOfTheStackIsHandledOnAStackOfItsOwn) {
  EXPECT_DEATH(
      {
        CrashScope scope(&kPoint);
        volatile int depth = 0;
        overflow(&depth);
      },
      "kernel scale ");
}

#if defined(__x86_64__)
TEST(CrashReport, CodeThatADriverMadeNamesTheKernelsUnderWay) {
  constexpr uint8_t kStore[] = {0xc7, 0x07, 1, 0, 0, 0, 0xc3}; // mov dword ptr [rdi], 1; ret
  void *code = mmap(nullptr, sizeof kStore, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  std::memcpy(code, kStore, sizeof kStore);
  auto store = reinterpret_cast<void (*)(uintptr_t)>(code);
  EXPECT_DEATH(
      {
        hostExecutedKernels().launched("add (k.py:3)", nullptr);
        std::thread thread([&] { store(0x10); });
        thread.join();
      },
      "^tegula: a kernel crashed at address 0x10, which is outside of its arrays; under way: add \\(k\\.py:3\\); run "
      "it");
  EXPECT_EXIT(
      {
        signal(SIGSEGV, exitWith3);
        hostExecutedKernels().launched("add (k.py:3)", nullptr);
        crash(); // of the program
      },
      testing::ExitedWithCode(3), "^the handler from before");
}
#endif

TEST(RecentKernels, ListsEachOnceTheLastFirst) {
  RecentKernels kernels;
  int one = 0, two = 0;
  EXPECT_EQ(kernels.list(), "");
  kernels.launched("a", &one);
  kernels.launched("b", &two);
  kernels.launched("a", &one);
  kernels.launched("c", &two);
  EXPECT_EQ(kernels.list(), "c, a, b");
  kernels.ended(&two);
  EXPECT_EQ(kernels.list(), "a");
  for (int i = 0; i < 20; ++i)
    kernels.launched(i % 2 ? "d" : "e", &one);
  EXPECT_EQ(kernels.list(), "d, e");
  char few[5];
  kernels.launched("a longer name", &one);
  EXPECT_EQ(kernels.list(few, sizeof few), 0u);
}

TEST(RecentKernels, NamesLiveAsLongAsTheProcess) {
  const char *name = kernelName("k", "f.py", 3);
  EXPECT_STREQ(name, "k (f.py:3)");
  EXPECT_EQ(kernelName("k", "f.py", 3), name);
  EXPECT_STREQ(kernelName("k", "f.mlir", 0), "k (f.mlir)");
}

} // namespace
} // namespace tegula
