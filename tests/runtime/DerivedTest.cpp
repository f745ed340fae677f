// Code that takes descriptors which launches derive of other arguments, and the code for arguments that do not fit.
#include "tests/runtime/RuntimeFixture.h"

#include "core/contracts/DerivedTensor.h"
#include "core/runtime/Session.h"
#include "core/runtime/launch/PreparedLaunch.h"
#include "core/tuning/Records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

/// A matrix of n lines of `stride` elements of f32 behind `x_ptr`, of which lines are read in blocks of 4.
DerivedTensor matrix() {
  DerivedTensor tensor;
  tensor.axes = {{{1, {1}}, {1, {2}}, 4}, {{16, {}}, {1, {}}}};
  tensor.isNarrow = true;
  return tensor;
}

TEST(DerivedTensor, HasTheShapeThatArgumentsSay) {
  const int64_t values[] = {64, 8, 20};
  std::optional<TensorShape> shape = shapeOf(matrix(), 4, values);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->extents[0], 8);
  EXPECT_EQ(shape->extents[1], 16);
  EXPECT_EQ(shape->strides[0], 20);
  EXPECT_EQ(shape->strides[1], 1);
}

TEST(DerivedTensor, EachConditionCanFail) {
  auto holds = [](const DerivedTensor &tensor, std::vector<int64_t> values) {
    return shapeOf(tensor, 4, values).has_value();
  };
  EXPECT_TRUE(holds(matrix(), {64, 8, 20}));
  EXPECT_FALSE(holds(matrix(), {68, 8, 20})) << "the address";
  EXPECT_FALSE(holds(matrix(), {0, 8, 20})) << "no address";
  EXPECT_FALSE(holds(matrix(), {64, 8, 21})) << "the stride is no multiple of 16 bytes";
  EXPECT_FALSE(holds(matrix(), {64, 8, 0})) << "no stride";
  EXPECT_FALSE(holds(matrix(), {64, 8, -20})) << "a negative stride";
  EXPECT_FALSE(holds(matrix(), {64, 8, int64_t(1) << 38})) << "2^40 bytes";
  EXPECT_FALSE(holds(matrix(), {64, 0, 20})) << "no lines";
  EXPECT_FALSE(holds(matrix(), {64, 10, 20})) << "no multiple of 4 lines";
  EXPECT_FALSE(holds(matrix(), {64, int64_t(1) << 31, 20})) << "too many lines";
  EXPECT_FALSE(holds(matrix(), {64, 1 << 28, 20})) << "offsets of more than 31 bits";
  EXPECT_TRUE(holds(matrix(), {64, 1 << 26, 20}));
  DerivedTensor wide = matrix();
  wide.isNarrow = false;
  EXPECT_TRUE(holds(wide, {64, 1 << 28, 20}));
  DerivedTensor open = matrix();
  open.axes[0].isOpen = true;
  EXPECT_TRUE(holds(open, {64, 1 << 28, 20})) << "the kernel knows no bound";
  DerivedTensor product = matrix();
  product.axes[0].stride = {4, {2, 2, 2}};
  EXPECT_TRUE(holds(product, {64, 8, 20}));
  EXPECT_FALSE(holds(product, {64, 8, int64_t(1) << 40})) << "the product has more than 64 bits";
}

using Kind = ProgramExpression::Kind;

/// min(all - program / across * 2, 2), with `all` rows of tiles in parameter 1 and `across` in parameter 2: the rows of
/// tiles in the group of a program.
ProgramExpression rowsOfGroup() {
  return {{{Kind::Param, 1},
           {Kind::Program, 0},
           {Kind::Param, 2},
           {Kind::Divide, 0, 1, 2},
           {Kind::Constant, 2},
           {Kind::Multiply, 0, 3, 4},
           {Kind::Subtract, 0, 0, 5},
           {Kind::Minimum, 0, 6, 4}}};
}

TEST(ProgramExpression, IsJudgedOverAllPrograms) {
  auto holds = [](const ProgramExpression &expression, std::vector<int64_t> values, uint32_t programs) {
    return isPositive(expression, values, {programs, 1, 1});
  };
  EXPECT_TRUE(holds(rowsOfGroup(), {0, 3, 4}, 8));
  EXPECT_FALSE(holds(rowsOfGroup(), {0, 3, 4}, 9)) << "the third group has no rows";
  EXPECT_FALSE(holds(rowsOfGroup(), {0, 3, 0}, 8)) << "a divisor of 0";
  EXPECT_FALSE(holds(rowsOfGroup(), {0, 3, -4}, 8)) << "a negative divisor";
  EXPECT_FALSE(holds(rowsOfGroup(), {0, int64_t(1) << 31, 4}, 8)) << "more than 32 bits";
  EXPECT_FALSE(holds({{{Kind::Param, 0}, {Kind::Multiply, 0, 0, 0}}}, {1 << 16}, 1)) << "the square wraps";
  EXPECT_TRUE(holds({{{Kind::Param, 0}, {Kind::Multiply, 0, 0, 0}}}, {-100}, 1));
  EXPECT_FALSE(holds({{{Kind::Program, 0}, {Kind::Param, 0}, {Kind::Remainder, 0, 0, 1}}}, {3}, 10)) << "may be 0";
  EXPECT_TRUE(holds({{{Kind::Program, 0}, {Kind::Constant, 1}, {Kind::Maximum, 0, 0, 1}}}, {}, 10));
  EXPECT_FALSE(holds({}, {}, 1));
}

/// A driver that refuses to describe tensors of more than `most` lines, and launches nothing.
class DescribingDriver final : public null::NullDriver {
public:
  class DescribingKernel final : public DriverKernel {
  public:
    DescribingKernel(int64_t most, const Artifact &artifact)
        : isConditional(artifact.conditions.has_value()), guards(artifact.guards.size()), most_(most) {}
    const bool isConditional;
    const size_t guards;
    bool canDescribe(size_t param, const DescriptorValue &tensor) const override {
      EXPECT_EQ(param, 3u);
      return tensor.shape[0] <= most_;
    }

  private:
    int64_t most_;
  };
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    return std::make_unique<DescribingKernel>(most, artifact);
  }
  void launch(void *, const DriverKernel &kernel, const LaunchRequest &request) override {
    if (request.arguments.size() == 4 && request.arguments[3].descriptor->shape[0] > most)
      throw Error("this tensor cannot be described");
    seen = request.arguments.size();
    isConditional = static_cast<const DescribingKernel &>(kernel).isConditional;
    guards = static_cast<const DescribingKernel &>(kernel).guards;
    lines = seen == 4 ? request.arguments[3].descriptor->shape[0] : -1;
  }
  int64_t most = 1 << 20, lines = 0;
  size_t seen = 0;
  bool isConditional = false;
  size_t guards = 0;
};

class Derived : public RuntimeTest {
protected:
  Derived() : x_(device_, DType::F32, {4096}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "stride", "BLOCK"})};
    fake_.onCompile = [this](const CompileRequest &request, CompileResult &result) {
      Artifact &artifact = *result.artifact;
      if (request.conditional) {
        artifact.conditions = {positive};
        artifact.params.push_back(
            {"x_ptr (derived)", ArtifactParam::Kind::Descriptor, ScalarType::F32, {4, 16}, matrix()});
      }
      if (request.signature[1].divisibility >= 16 && !(request.conditional && conditionalIgnoresFacts))
        artifact.guards.push_back({Guard::Kind::DivisibleBy, 1, 16});
      std::string binary = std::string(null::kMagic) + (request.conditional ? "derives" : "plain");
      artifact.binary.assign(binary.begin(), binary.end());
    };
    auto driver = std::make_unique<DescribingDriver>();
    driver_ = driver.get();
    old_ = std::exchange(device_.impl()->driver, std::move(driver));
  }
  ~Derived() override { device_.impl()->driver = std::move(old_); }

  void expectInGrid(const Kernel &kernel, int64_t programs, bool isDerived, int64_t n = 12) {
    kernel.launch(stream_, {programs}, {x_, n, 20}, {.constants = {{"BLOCK", 64}}});
    EXPECT_EQ(driver_->seen, isDerived ? 4u : 3u) << programs;
  }
  struct Call {
    int64_t offset, n, stride;
    bool isDerived; // what a process that launches nothing else runs
  };
  void expect(const Kernel &kernel, const Call &call, bool background = false) {
    kernel.launch(stream_, {1}, {x_.view({8}, {1}, call.offset), call.n, call.stride},
                  {.constants = {{"BLOCK", 64}}, .background = background});
    EXPECT_EQ(driver_->seen, call.isDerived ? 4u : 3u) << call.n << ", " << call.stride;
    EXPECT_EQ(driver_->lines, call.isDerived ? call.n : -1);
  }

  Buffer x_;
  std::vector<ProgramExpression> positive;
  bool conditionalIgnoresFacts = false; // conditional code has no guards
  DescribingDriver *driver_;
  std::unique_ptr<Driver> old_;
};

TEST_F(Derived, ArgumentsDecideWhateverCameBefore) {
  const std::vector<Call> calls = {{0, 20, 20, true},   {0, 44, 52, true},  {0, 20, -20, false},    {0, 10, 20, false},
                                   {0, -20, 20, false}, {1, 20, 20, false}, {0, 1 << 28, 20, false}};
  std::vector<size_t> order(calls.size());
  std::iota(order.begin(), order.end(), size_t(0));
  for (int source = 0; source < 200; ++source) {
    Kernel kernel = load("source " + std::to_string(source));
    for (size_t i : order)
      expect(kernel, calls[i]);
    for (size_t i : order) // from memory
      expect(kernel, calls[i]);
    std::next_permutation(order.begin(), order.end());
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
}

TEST_F(Derived, TuningMeasuresCodeThatTheDriverAccepts) {
  fake_.kernels[0].tuneMilliseconds = 0.01;
  for (int64_t block : {32, 64})
    fake_.kernels[0].configs.emplace_back().constants["BLOCK"] = block;
  for (int64_t most : {1 << 20, 10}) {
    driver_->most = most;
    Kernel kernel = load("source " + std::to_string(most));
    kernel.launch(stream_, {1}, {x_.view({8}, {1}), 20, 20});
    EXPECT_EQ(driver_->lines, most > 20 ? 20 : -1);
  }
  EXPECT_EQ(tuning::Records::open().list().size(), 2u);
}

TEST_F(Derived, OtherValuesOfAKeyTakeItsConfiguration) {
  for (int64_t block : {32, 64})
    fake_.kernels[0].configs.emplace_back().constants["BLOCK"] = block;
  for (bool background : {false, true}) {
    Kernel kernel = load("source " + std::to_string(background));
    auto launch = [&](int64_t stride) {
      kernel.launch(stream_, {1}, {x_, 20, stride}, {.background = background, .autotune = false});
      session::finishBackground();
      EXPECT_EQ(session::lastLaunch(kernel).configuration.constants.at("BLOCK"), ConstantValue(int64_t(32)));
      return session::lastLaunch(kernel).from;
    };
    launch(20);
    load("source " + std::to_string(background)) // stands for another process, whose record is of the same bucket
        .tune(stream_, [](const auto &) { return Grid(1); }, {x_, 20, 20}, {},
              {.space = {Config{.constants = {{"BLOCK", 64}}}}});
    launch(-20);
    EXPECT_EQ(launch(-20), session::LaunchReport::From::Memory);
    EXPECT_EQ(driver_->lines, -1);
  }
}

TEST_F(Derived, RepeatedLaunchesCompileNothing) {
  Kernel kernel = load();
  const Call fits = {0, 20, 20, true}, other = {0, 20, -20, false};
  expect(kernel, fits);
  expect(kernel, other);
  size_t before = fake_.requests.size();
  EXPECT_EQ(before, 2u);
  for (int i = 0; i < 5; ++i) {
    expect(kernel, fits);
    expect(kernel, other);
  }
  EXPECT_EQ(fake_.requests.size(), before);
}

TEST_F(Derived, WhatTheDriverRefusesIsNotDerived) {
  driver_->most = 16;
  Kernel kernel = load();
  for (int i = 0; i < 3; ++i)
    expect(kernel, {0, 20, 20, false});
  expect(load("other"), {0, 12, 20, true});
}

TEST_F(Derived, WhatTheDriverRefusesLaterIsNotDerivedEither) {
  driver_->most = 30;
  Kernel kernel = load();
  for (int i = 0; i < 3; ++i) {
    expect(kernel, {0, 20, 20, true});
    expect(kernel, {0, 44, 20, false});
    EXPECT_EQ(fake_.requests.size(), 2u);
  }
}

TEST_F(Derived, TheGridDecidesToo) {
  positive = {rowsOfGroup()};
  Kernel kernel = load();
  for (int i = 0; i < 3; ++i) {
    expectInGrid(kernel, 120, true); // 12 rows of tiles, 20 across
    EXPECT_EQ(fake_.requests.size(), i ? 2u : 1u);
    expectInGrid(kernel, 121, false);
    expectInGrid(kernel, 1000, false);
    EXPECT_EQ(fake_.requests.size(), 2u);
  }
  Kernel another = load("another");
  expectInGrid(another, 1000, false);
  expectInGrid(another, 1, true);
}

TEST_F(Derived, InOtherGridsCodeForTheSameFactsRuns) {
  positive = {rowsOfGroup()};
  conditionalIgnoresFacts = true;
  Kernel kernel = load();
  expectInGrid(kernel, 1, true, 48);
  expectInGrid(kernel, 1000, false, 48);
  ASSERT_EQ(fake_.requests.size(), 2u);
  EXPECT_EQ(fake_.requests.back().signature[1].divisibility, 16u);
  for (int i = 0; i < 3; ++i) {
    expectInGrid(kernel, 1, true, 12); // the first code holds for these arguments, too
    expectInGrid(kernel, 1000, false, 12);
    EXPECT_EQ(driver_->guards, 0u);
    expectInGrid(kernel, 1000, false, 48);
    EXPECT_EQ(driver_->guards, 1u) << "n is a multiple of 16";
  }
  EXPECT_EQ(fake_.requests.size(), 3u);
}

/// Code that was written as IR has its conditions whatever is asked for.
TEST_F(Derived, CodeWithoutASubstituteIsRefused) {
  fake_.onCompile = [this](const CompileRequest &, CompileResult &result) {
    result.artifact->conditions = {positive};
    std::string binary = std::string(null::kMagic) + "conditional";
    result.artifact->binary.assign(binary.begin(), binary.end());
  };
  positive = {rowsOfGroup()};
  Kernel kernel = load();
  kernel.launch(stream_, {120}, {x_, 12, 20}, {.constants = {{"BLOCK", 64}}});
  EXPECT_TRUE(driver_->isConditional);
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {121}, {x_, 12, 20}, {.constants = {{"BLOCK", 64}}}); }),
              HasSubstr("its grid breaks a condition"));
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {1}, {x_, 12, -20}, {.constants = {{"BLOCK", 64}}}); }),
              HasSubstr("integers that are not negative"));
}

/// Conditional code that takes no derived descriptor.
TEST_F(Derived, CodeMayBeConditionalWithoutDescriptors) {
  fake_.onCompile = [this](const CompileRequest &request, CompileResult &result) {
    Artifact &artifact = *result.artifact;
    if (request.conditional)
      artifact.conditions = {positive};
    std::string binary = std::string(null::kMagic) + (request.conditional ? "conditional" : "plain");
    artifact.binary.assign(binary.begin(), binary.end());
  };
  positive = {rowsOfGroup()};
  Kernel kernel = load();
  auto isConditional = [&](int64_t n, int64_t stride, int64_t programs) {
    kernel.launch(stream_, {programs}, {x_, n, stride}, {.constants = {{"BLOCK", 64}}});
    return driver_->isConditional;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(isConditional(12, 20, 120));
    EXPECT_FALSE(isConditional(12, 20, 121)) << "the grid";
    EXPECT_FALSE(isConditional(12, -20, 1)) << "a negative argument";
    EXPECT_FALSE(isConditional(-12, 20, 1));
    EXPECT_TRUE(isConditional(12, 20, 1));
  }
}

/// Conditional code whose first two arguments must not overlap.
class Apart : public Derived {
protected:
  Apart() : y_(device_, DType::F32, {4096}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "y_ptr", "n", "BLOCK"})};
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      if (request.conditional)
        result.artifact->conditions = {{}, {{0, 1}}};
      std::string binary = std::string(null::kMagic) + (request.conditional ? "apart" : "plain");
      result.artifact->binary.assign(binary.begin(), binary.end());
    };
  }
  bool isApart(const Kernel &kernel, const Argument &x, const Argument &y, int64_t n = 12) {
    kernel.launch(stream_, {1}, {x, y, n}, {.constants = {{"BLOCK", 64}}});
    return driver_->isConditional;
  }
  DeviceAddress address(const Buffer &buffer, uint64_t bytes) const {
    return {buffer.impl()->address(), DType::F32, bytes};
  }
  Buffer y_;
};

TEST_F(Apart, MemoryThatDoesNotOverlap) {
  Kernel kernel = load();
  const Buffer low = x_.view({16}, {1}), high = x_.view({16}, {1}, 16), across = x_.view({2}, {1}, 15);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(isApart(kernel, x_, y_));
    EXPECT_FALSE(isApart(kernel, x_, x_)) << "one array";
    EXPECT_TRUE(isApart(kernel, low, high));
    EXPECT_TRUE(isApart(kernel, high, low));
    EXPECT_FALSE(isApart(kernel, low, across)) << "one element in common";
    EXPECT_FALSE(isApart(kernel, across, high));
    EXPECT_FALSE(isApart(kernel, x_, high)) << "a part of the other";
    EXPECT_FALSE(isApart(kernel, x_.view({16, 16}, {32, 1}), x_.view({16, 16}, {32, 1}, 16))) << "rows in turn";
    EXPECT_FALSE(isApart(kernel, x_, y_, -12)) << "a negative argument";
    EXPECT_EQ(fake_.requests.size(), i ? 2u : fake_.requests.size());
  }
}

TEST_F(Apart, BareAddressesMaySayTheirExtent) {
  Kernel kernel = load();
  EXPECT_FALSE(isApart(kernel, address(x_, 0), address(y_, 0))) << "not known";
  EXPECT_FALSE(isApart(kernel, address(x_, 64), address(y_, 0)));
  EXPECT_TRUE(isApart(kernel, address(x_, 64), address(y_, 64)));
  EXPECT_TRUE(isApart(kernel, x_, address(y_, 64)));
  EXPECT_FALSE(isApart(kernel, x_, address(x_, 64)));
  EXPECT_FALSE(isApart(kernel, address(x_, 64), address(x_.view({8}, {1}, 15), 64)));
  EXPECT_TRUE(isApart(kernel, address(x_, 64), address(x_.view({8}, {1}, 16), 64)));
}

TEST_F(Apart, DescriptorsHaveMemory) {
  Kernel kernel = load();
  auto described = [&](int64_t offset) { return TensorDescriptor{x_.view({4, 16}, {32, 1}, offset), {4, 16}}; };
  EXPECT_TRUE(isApart(kernel, described(0), y_));
  EXPECT_FALSE(isApart(kernel, described(0), x_));
  EXPECT_TRUE(isApart(kernel, described(0), x_.view({64}, {1}, 112)));
  EXPECT_FALSE(isApart(kernel, described(0), x_.view({64}, {1}, 111)));
  EXPECT_TRUE(isApart(kernel, described(0), described(112)));
  EXPECT_FALSE(isApart(kernel, described(0), described(16))) << "lines in turn";
}

TEST_F(Apart, PreparedLaunchesToo) {
  Kernel kernel = load();
  PreparedLaunch prepared(kernel, device_, std::vector<Argument>{x_, y_, 12}, {.constants = {{"BLOCK", 64}}});
  uint64_t x = x_.impl()->address(), y = y_.impl()->address();
  auto isConditional = [&](uint64_t one, uint64_t other, const uint64_t *extents) {
    const uint64_t slots[] = {one, other, 12};
    prepared.launch(stream_, {1}, slots, extents);
    bool isVariant = prepared.variantFor(slots, extents).compiled.artifact.conditions.has_value();
    EXPECT_EQ(driver_->isConditional, isVariant);
    return driver_->isConditional;
  };
  const uint64_t known[] = {64, 64, 0}, unknown[] = {64, 0, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(isConditional(x, y, known));
    EXPECT_FALSE(isConditional(x, y, nullptr));
    EXPECT_FALSE(isConditional(x, y, unknown));
    EXPECT_FALSE(isConditional(x, x + 60, known));
    EXPECT_TRUE(isConditional(x, x + 64, known));
  }
}

TEST_F(Derived, InTheBackgroundToo) {
  Kernel kernel = load();
  expect(kernel, {0, 20, -20, false}, true); // nothing fits: it waits
  expect(kernel, {0, 32, -20, false}, true); // for other facts, what fits
  session::finishBackground();
  expect(kernel, {0, 32, -20, false}, true);
  size_t before = fake_.requests.size();
  session::finishBackground();
  expect(kernel, {0, 32, -20, false}, true);
  session::finishBackground();
  EXPECT_EQ(fake_.requests.size(), before);
}

} // namespace
} // namespace tegula::test
