// Several artifacts of one kernel: each launch uses the most specific one whose guards hold.
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"

#include <gmock/gmock.h>

namespace tegula::test {
namespace {

class Guards : public RuntimeTest {
protected:
  Guards() : x_(device_, DType::F32, {64}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n"})};
    // This compiler adds a guard whenever it is told that n is divisible by 16.
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      if (request.signature[1].divisibility >= 16)
        result.artifact->guards.push_back({Guard::Kind::DivisibleBy, 1, 16});
    };
  }
  /// Launches and returns the number of guards of the launched artifact.
  size_t launch(const Kernel &kernel, Argument n) {
    kernel.launch(stream_, {1}, {x_, n});
    return session::lastLaunch(kernel).guards.size();
  }
  Buffer x_;
};

TEST_F(Guards, OnlyUsedFactsMakeVariants) {
  Kernel kernel = load();
  EXPECT_EQ(launch(kernel, 32), 1u);
  EXPECT_EQ(launch(kernel, 48), 1u);
  EXPECT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(launch(kernel, 5), 0u);
  EXPECT_EQ(launch(kernel, 7), 0u);
  EXPECT_EQ(fake_.requests.size(), 2u);
  EXPECT_EQ(launch(kernel, 0), 1u) << "zero is divisible by everything";
  EXPECT_EQ(launch(kernel, -32), 1u);
  EXPECT_EQ(launch(kernel, -31), 0u);
  EXPECT_EQ(fake_.requests.size(), 2u);
}

TEST_F(Guards, TheMostSpecificIsTaken) {
  Kernel kernel = load();
  EXPECT_EQ(launch(kernel, 5), 0u);
  // 32 also satisfies the variant without guards, but deserves better.
  EXPECT_EQ(launch(kernel, 32), 1u);
  EXPECT_EQ(fake_.requests.size(), 2u);
  EXPECT_EQ(launch(kernel, 5), 0u);
}

TEST_F(Guards, FactsAreOfferedAsTheyAre) {
  launch(load(), 24);
  EXPECT_EQ(fake_.requests.back().signature[1].divisibility, 8u);
  EXPECT_GE(fake_.requests.back().signature[0].divisibility, 16u);
  load("2").launch(stream_, {1}, {x_.view({8}, {1}, 1), 3.0});
  EXPECT_EQ(fake_.requests.back().signature[0].divisibility, 4u);
  EXPECT_EQ(fake_.requests.back().signature[1].divisibility, 1u);
  EXPECT_FALSE(fake_.requests.back().signature[1].isOne);
  launch(load("3"), 1);
  EXPECT_TRUE(fake_.requests.back().signature[1].isOne);
  EXPECT_FALSE(fake_.requests.back().signature[0].isOne);
  load("4").launch(stream_, {1}, {x_, true});
  EXPECT_FALSE(fake_.requests.back().signature[1].isOne);
}

TEST_F(Guards, EachKindIsEvaluated) {
  struct Case {
    Guard guard;
    Argument good, bad; // values of the guarded parameter
  };
  Buffer aligned(device_, DType::I8, {256});
  int64_t toAligned = static_cast<int64_t>((64 - aligned.address() % 64) % 64);
  Buffer at64 = aligned.view({64}, {1}, toAligned), at1 = aligned.view({64}, {1}, toAligned + 1);
  Buffer small(device_, DType::I8, {100}), large(device_, DType::I8, {101});
  const Case cases[] = {
      {{Guard::Kind::Equals, 1, 1}, 1, 2},
      {{Guard::Kind::Equals, 1, -1}, -1, 1},
      {{Guard::Kind::DivisibleBy, 1, 8}, 24, 12},
      {{Guard::Kind::AlignedTo, 0, 64}, at64, at1},
      {{Guard::Kind::AllocationBelow, 0, 101}, small, large},
      {{Guard::Kind::AllocationBelow, 0, 100}, large.view({10}, {1}, 2), large.view({10}, {1}, 1)},
  };
  int round = 0;
  for (const Case &c : cases) {
    bool guarded = true;
    fake_.onCompile = [&](const CompileRequest &, CompileResult &result) {
      if (std::exchange(guarded, false))
        result.artifact->guards = {c.guard};
    };
    Kernel kernel = load("source " + std::to_string(round++));
    auto launch = [&](const Argument &argument) {
      bool first = c.guard.param == 0;
      kernel.launch(stream_, {1}, {first ? argument : Argument(at64), first ? Argument(3) : argument});
      return session::lastLaunch(kernel).guards.size();
    };
    EXPECT_EQ(launch(c.good), 1u) << round;
    EXPECT_EQ(launch(c.bad), 0u) << round;
    EXPECT_EQ(launch(c.good), 1u) << round;
  }
}

TEST_F(Guards, BrokenGuardsFallBackToNone) {
  // A compiler whose guard does not hold for the value: asked again without facts, it must drop the guard.
  int calls = 0;
  fake_.onCompile = [&](const CompileRequest &request, CompileResult &result) {
    ++calls;
    if (request.signature[0].divisibility > 1)
      result.artifact->guards = {{Guard::Kind::Equals, 1, 12345}};
  };
  EXPECT_EQ(launch(load(), 5), 0u);
  EXPECT_EQ(calls, 2);
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) {
    result.artifact->guards = {{Guard::Kind::Equals, 1, 12345}};
  };
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { launch(load("2"), 5); }, &kind),
              ::testing::HasSubstr("to be 12345, which the argument passed is not"));
  EXPECT_EQ(kind, ApiError::Kind::BadUse);
}

TEST_F(Guards, VariantsStayFew) {
  // A compiler that specialises for every value with a fact.
  int64_t value = 0;
  fake_.onCompile = [&](const CompileRequest &request, CompileResult &result) {
    if (request.signature[0].divisibility > 1)
      result.artifact->guards = {{Guard::Kind::Equals, 1, value}};
  };
  Kernel kernel = load();
  for (value = 0; value < 40; ++value) {
    ScopedVariable always("TRITON_ALWAYS_COMPILE", "1"); // several values have the same facts
    launch(kernel, value);
  }
  EXPECT_LE(fake_.requests.size(), 9u);
  EXPECT_EQ(launches().size(), 40u);
}

TEST_F(Guards, SpecialisedArgumentsShiftTheOthers) {
  fake_.onCompile = nullptr;
  Kernel kernel = load();
  kernel.launch(stream_, {1}, {nullptr, 9});
  ASSERT_EQ(launches().back().arguments.size(), 1u);
  EXPECT_EQ(launches().back().arguments[0].bits, 9u);
}

} // namespace
} // namespace tegula::test
