// A launch that repeats an earlier one's types and facts takes a short way (core/runtime/launch/Repeat.h). Whatever was
// launched before, a launch runs the code and passes the values that it does alone.
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"
#include "core/runtime/launch/PreparedLaunch.h"

#include <functional>

namespace tegula::test {
namespace {

class Repeats : public RuntimeTest {
protected:
  Repeats() : x_(device_, DType::F32, {64}), half_(device_, DType::F16, {64}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK"})};
    // The code tells the types, and which facts it was compiled for.
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      Artifact &artifact = *result.artifact;
      for (uint32_t i = 0; i < artifact.params.size(); ++i) {
        const ParamType &type = request.signature[i];
        artifact.entry += "," + describe(type);
        if (type.divisibility > 1)
          artifact.guards.push_back(
              {type.kind == ParamType::Kind::Scalar ? Guard::Kind::DivisibleBy : Guard::Kind::AlignedTo, i,
               type.divisibility});
        if (type.isOne)
          artifact.guards.push_back({Guard::Kind::Equals, i, 1});
      }
      std::string code = "null:" + artifact.entry;
      artifact.binary.assign(code.begin(), code.end());
    };
  }

  /// What a launch did.
  struct Done {
    std::string code;
    std::vector<Guard> guards;
    std::vector<uint64_t> bits;
    bool operator==(const Done &) const = default;
  };
  using Launch = std::function<void(const Kernel &)>;
  Done run(const Kernel &kernel, const Launch &launch) {
    launch(kernel);
    null::RecordedLaunch recorded = launches().back();
    Done done{recorded.kernel, session::lastLaunch(kernel).guards, {}};
    for (const LaunchArgument &argument : recorded.arguments) {
      done.bits.push_back(argument.descriptor ? argument.descriptor->address : argument.bits);
      for (size_t i = 0; argument.descriptor && i < argument.descriptor->shape.size(); ++i)
        done.bits.insert(done.bits.end(), {static_cast<uint64_t>(argument.descriptor->shape[i]),
                                           static_cast<uint64_t>(argument.descriptor->strides[i])});
    }
    return done;
  }
  Launch with(const Argument &x, const Argument &n, int64_t block = 64) {
    return [=, this](const Kernel &kernel) { kernel.launch(stream_, {1}, {x, n}, {.constants = {{"BLOCK", block}}}); };
  }
  Kernel fresh() { return load("source " + std::to_string(++sources_)); }

  Buffer x_, half_;
  int sources_ = 0;
};

TEST_F(Repeats, WhatWasLaunchedBeforeDoesNotMatter) {
  Buffer other(device_, DType::F32, {64}), square(device_, DType::F32, {16, 16});
  DeviceAddress address{x_.address(), DType::F32};
  std::vector<Launch> all = {
      with(x_, 64),
      with(other, 48),
      with(other, 65),
      with(x_, 1),
      with(x_, int64_t(1) << 40),
      with(x_, -16),
      with(x_, true),
      with(x_, 0.5),
      with(x_, nullptr),
      with(x_, TypedScalar{DType::I16, 64}),
      with(x_.view({8}, {1}, 1), 64),
      with(x_.view({8}, {1}, 4), 64),
      with(half_, 64),
      with(address, 64),
      with(nullptr, 64),
      with(TensorDescriptor(square, {8, 8}), 64),
      with(TensorDescriptor(square.view({8, 8}, {16, 1}, 4), {8, 8}), 64),
      with(TensorDescriptor(square, {4, 8}), 64),
      with(PointerArray(stream_, {x_, other}), 64),
      with(x_, 64, 32),
      [&](const Kernel &kernel) { kernel.launch(stream_, {1}, {x_, 64, 64}, {}); },
      [&](const Kernel &kernel) {
        kernel.launch(stream_, {1}, NamedArguments{{"x_ptr", other}, {"n", 64}}, {.constants = {{"BLOCK", 64}}});
      },
      [&](const Kernel &kernel) {
        PreparedLaunch prepared(kernel, device_, std::vector<Argument>{x_, 64}, {.constants = {{"BLOCK", 64}}});
        const uint64_t slots[] = {half_.address(), 80};
        prepared.launch(stream_, {1}, slots);
      },
      [&](const Kernel &kernel) {
        kernel.launch(stream_, {1}, {x_, 64}, {.constants = {{"BLOCK", 64}}, .numWarps = 8});
      },
      [&](const Kernel &kernel) {
        kernel.launch(stream_, {1}, {x_, 64}, {.constants = {{"BLOCK", 64}}, .numStages = 2});
      },
  };
  std::vector<Done> alone;
  for (const Launch &launch : all)
    alone.push_back(run(fresh(), launch));
  for (size_t first = 0; first < all.size(); ++first)
    for (size_t second = 0; second < all.size(); ++second) {
      Kernel kernel = fresh();
      for (size_t which : {first, first, second, second, first})
        EXPECT_EQ(run(kernel, all[which]), alone[which]) << first << " and " << second << ": " << which;
    }
}

TEST_F(Repeats, RefusedArgumentsLeaveTheNextLaunchRight) {
  Device second = Device::open("cpu");
  Buffer elsewhere(second, DType::F32, {64});
  Kernel kernel = fresh();
  Done right = run(kernel, with(x_, 64));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(messageOf([&] { with(elsewhere, 64)(kernel); }),
              "parameter 'x_ptr' of kernel 'k' is on device cpu, the launch is on device null");
    EXPECT_NE(messageOf([&] { with(x_, Constant("text"))(kernel); }), "");
    EXPECT_EQ(run(kernel, with(x_, 64)), right);
  }
}

TEST_F(Repeats, ARefusedArgumentThatIsBoundAsInAnyLaunchLeavesTheNextLaunchRight) {
  Kernel kernel = fresh();
  Done right = run(kernel, with(x_, TypedScalar{DType::I16, 64}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(kernel, with(x_, TypedScalar{DType::I16, 64})), right);
    EXPECT_NE(messageOf([&] { with(x_, Constant("text"))(kernel); }), "(nothing was thrown)");
  }
}

TEST_F(Repeats, TheSecondLaunchIsFromMemory) {
  Kernel kernel = fresh();
  run(kernel, with(x_, 64));
  EXPECT_EQ(session::lastLaunch(kernel).from, session::LaunchReport::From::Compiler);
  for (int i = 0; i < 3; ++i) {
    run(kernel, with(x_, 64));
    EXPECT_EQ(session::lastLaunch(kernel).from, session::LaunchReport::From::Memory);
  }
}

/// A launch's storage is in use while its grid function runs. Launches that the function makes, of the same kernel and
/// of others to which the thread would give the same storage, must not change it.
TEST_F(Repeats, LaunchesInsideOfAGridFunction) {
  std::vector<Kernel> others;
  for (int i = 0; i < 9; ++i)
    others.push_back(fresh());
  Kernel kernel = others.front();
  Done inner = run(fresh(), with(half_, 1)), outer = run(fresh(), with(x_, 64));
  for (int i = 0; i < 3; ++i) {
    size_t before = launches().size();
    auto grid = [&](const std::map<std::string, Constant> &) {
      for (const Kernel &other : others)
        EXPECT_EQ(run(other, with(half_, 1)), inner);
      return Grid(1);
    };
    kernel.launch(stream_, grid, std::vector<Argument>{x_, 64}, {.constants = {{"BLOCK", 64}}});
    std::vector<null::RecordedLaunch> all = launches();
    ASSERT_EQ(all.size() - before, others.size() + 1);
    EXPECT_EQ(all.back().kernel, outer.code);
    EXPECT_EQ(all.back().arguments.at(0).bits, x_.address());
    EXPECT_EQ(all.back().arguments.at(1).bits, 64u);
  }
}

TEST_F(Repeats, AKernelInThePlaceOfAnotherIsItsOwn) {
  Done last;
  for (int i = 0; i < 20; ++i) { // kernels of which some take the storage of those before
    Kernel kernel = fresh();
    for (int times = 0; times < 2; ++times)
      last = run(kernel, i % 2 ? with(x_, 64) : with(half_, 64));
    EXPECT_EQ(last.code, i % 2 ? "k,*f32,i32" : "k,*f16,i32");
  }
}

} // namespace
} // namespace tegula::test
