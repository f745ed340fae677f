// What a launch decides: on a GPU, what the code relies on is checked again for each; on the CPU, views of buffers are
// arguments, and checked launches find what a kernel may not do.
#include "core/runtime/Session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <tegula/tegula.hpp>
#include <unistd.h>

namespace tegula::conformance {
namespace {

constexpr const char *kSource = R"(import triton
import triton.language as tl


@triton.jit
def strided(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i * stride, mask=i < n), mask=i < n)
)";

class Launches : public testing::Test {
protected:
  static constexpr int64_t kCount = 200, kBlock = 256;

  void SetUp() override {
    try {
      device_ = Device::open("vulkan:0");
    } catch (const ApiError &) {
      GTEST_SKIP() << "there is no Vulkan device here";
    }
    path_ = std::filesystem::temp_directory_path() / ("strided" + std::to_string(getpid()) + ".py");
    std::ofstream(path_) << kSource;
    kernel_ = Kernel::load(path_.string());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void launch(int64_t n, int64_t stride) {
    std::vector<int32_t> numbers(3 * kBlock), found(kBlock);
    std::iota(numbers.begin(), numbers.end(), 0);
    Stream stream(*device_);
    Buffer x(*device_, DType::I32, {3 * kBlock}), y(*device_, DType::I32, {kBlock});
    stream.write(x, numbers.data());
    stream.fill(y, 0xff);
    kernel_->launch(stream, {1}, {x, y, n, stride}, {.constants = {{"BLOCK", kBlock}}});
    stream.read(y, found.data());
    for (int64_t i = 0; i < kBlock; ++i)
      ASSERT_EQ(found[size_t(i)], i < n ? i * stride : -1) << "element " << i << ", stride " << stride << ", n " << n;
  }
  /// Whether the code launched last is for a 1 as this parameter.
  bool expectsOne(uint32_t param) const {
    const std::vector<Guard> guards = session::lastLaunch(*kernel_).guards;
    return std::find(guards.begin(), guards.end(), Guard{Guard::Kind::Equals, param, 1}) != guards.end();
  }

  std::optional<Device> device_;
  std::optional<Kernel> kernel_;
  std::filesystem::path path_;
};

constexpr uint32_t kN = 2, kStride = 3;

TEST_F(Launches, CodeForAStrideOfOneIsForThatAlone) {
  for (int64_t stride : {1, 2, 1, 3, 1}) {
    launch(kCount, stride);
    EXPECT_EQ(expectsOne(kStride), stride == 1) << "stride " << stride;
  }
}

TEST_F(Launches, CodeForOneElementIsNotForMore) {
  launch(1, 1);
  EXPECT_TRUE(expectsOne(kN));
  launch(kCount, 1);
  EXPECT_FALSE(expectsOne(kN));
  launch(1, 2);
  launch(kCount, 2);
  launch(1, 1);
}

TEST_F(Launches, TheOrderChangesNoCode) {
  struct Call {
    int64_t n, stride, offset; // offset: of x, in elements
  };
  using Code = std::pair<std::vector<Guard>, size_t>;
  auto run = [&](const Kernel &kernel, const Call &call) {
    Stream stream(*device_);
    Buffer x(*device_, DType::I32, {4 * kBlock}), y(*device_, DType::I32, {kBlock});
    kernel.launch(stream, {1}, {x.view({2 * kBlock}, {1}, call.offset), y, call.n, call.stride},
                  {.constants = {{"BLOCK", kBlock}}});
    stream.synchronize();
    session::LaunchReport report = session::lastLaunch(kernel);
    return Code(report.guards, report.binaryBytes);
  };
  const std::pair<Call, Call> pairs[] = {
      {{200, 2, 0}, {200, 1, 0}}, {{201, 1, 0}, {224, 1, 0}}, {{224, 1, 1}, {224, 1, 0}}};
  for (const auto &[first, second] : pairs)
    for (bool turned : {false, true}) {
      const Call &before = turned ? second : first, &after = turned ? first : second;
      Code fresh = run(Kernel::load(path_.string()), after);
      Kernel kernel = Kernel::load(path_.string());
      EXPECT_NE(run(kernel, before), fresh) << "the pair has different code";
      EXPECT_EQ(run(kernel, after), fresh);
    }
}

/// Launches on the CPU backend; checked ones where a fault is asked for.
class CpuLaunches : public testing::Test {
protected:
  static Kernel suiteKernel(const std::string &file, const std::string &kernel) {
    return Kernel::load(TEGULA_SOURCE_DIR "/tests/conformance/kernels/" + file, kernel);
  }
  /// The message of the fault that the launch ends with; "" where it ends well.
  std::string faultOf(const Kernel &kernel, std::vector<Argument> arguments,
                      std::map<std::string, Constant> constants = {}) {
    try {
      kernel.launch(stream_, {1}, std::move(arguments), {.constants = std::move(constants), .checked = true});
      stream_.synchronize();
    } catch (const ApiError &error) {
      EXPECT_EQ(error.kind(), ApiError::Kind::KernelFault) << error.what();
      return error.what();
    }
    return "";
  }
  Buffer zeros(int64_t count) {
    Buffer made(device_, DType::F32, {count});
    stream_.fill(made, 0);
    return made;
  }

  Device device_ = Device::open("cpu");
  Stream stream_{device_};
};

// Every second row and column of a larger array.
TEST_F(CpuLaunches, AViewThatIsNotContiguousIsAnArgument) {
  constexpr int64_t kM = 8, kN = 16;
  std::vector<float> numbers(4 * kM * kN), found(kM * kN);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  Buffer whole(device_, DType::F32, {2 * kM, 2 * kN}), y = zeros(kM * kN);
  stream_.write(whole, numbers.data());
  Buffer view = whole.view({kM, kN}, {4 * kN, 2});
  suiteKernel("memory.py", "strided_2d")
      .launch(stream_, {1}, {view, y, kM, kN, 4 * kN, int64_t(2), kN, int64_t(1)},
              {.constants = {{"M", kM}, {"N", kN}}});
  stream_.read(y, found.data());
  for (int64_t i = 0; i < kM * kN; ++i)
    ASSERT_EQ(found[size_t(i)], float(i / kN * 4 * kN + i % kN * 2)) << "element " << i;
}

TEST_F(CpuLaunches, AFalseAssumptionIsAFault) {
  Kernel hints = suiteKernel("calls.py", "hints"); // assumes that n is not negative
  EXPECT_EQ(faultOf(hints, {zeros(32), zeros(32), int64_t(24)}, {{"N", 32}}), "");
  EXPECT_THAT(faultOf(hints, {zeros(32), zeros(32), int64_t(-8)}, {{"N", 32}}), testing::HasSubstr("assum"));
}

// Checked pointers say in their upper bits which buffer they belong to; no stride carries into another buffer's.
TEST_F(CpuLaunches, FarStridesOfDescriptorsReachNoOtherBuffer) {
  Kernel farStride = Kernel::fromSource(R"(import triton
import triton.language as tl


@triton.jit
def far_stride(x_ptr, other_ptr, row, stride):
    desc = tl.make_tensor_descriptor(x_ptr, shape=[4, 4], strides=[stride, 1], block_shape=[1, 4])
    desc.store([row, 0], tl.full([1, 4], 7.0, tl.float32))
    tl.store(other_ptr, tl.load(other_ptr))
)",
                                        "far_stride", "far_stride.py");
  EXPECT_EQ(faultOf(farStride, {zeros(16), zeros(16), int64_t(1), int64_t(4)}), "");
  for (int64_t stride : {-(int64_t(1) << 46), int64_t(1) << 46, -(int64_t(1) << 45), int64_t(1) << 45})
    EXPECT_NE(faultOf(farStride, {zeros(16), zeros(16), int64_t(1), stride}), "")
        << "a row that is " << stride << " elements away was written";
}

// In the kernel below element i of q is undefined for even i. The texts are what follows in the kernel, and what the
// message of the checked launch must contain; "" where nothing undefined matters.
TEST_F(CpuLaunches, UndefinedResultsAreFaultsWhereTheyMatter) {
  const std::string start = R"(import triton
import triton.language as tl


@triton.jit
def k(x_ptr, ones_ptr, n):
    i = tl.arange(0, 8)
    isOdd = i % 2 == 1
    q = 5 // (i % 2)
    f = q.to(tl.float32)
    )";
  const std::string cause = "undefined.py:9:11: error: integer division by zero, in program (0, 0, 0)";
  const std::pair<const char *, const char *> kUses[] = {
      {"tl.store(x_ptr + i, f)", "undefined.py:11:5: note: its result, for element [0], is used here"},
      {"tl.store(x_ptr + i, f, mask=isOdd)", ""},
      {"tl.store(x_ptr + i, f, mask=i > 3)", "for element [4], is used here"},
      {"tl.store(x_ptr + i, tl.where(isOdd, f, 0.0))", ""},
      {"tl.store(x_ptr + i, tl.where(i > 0, f, 0.0))", "for element [2],"},
      {"tl.store(x_ptr + i, tl.where(q > 0, 1.0, 0.0))", "for element [0],"},
      {"tl.store(x_ptr + i, (isOdd & (q > 0)).to(tl.float32))", ""},
      {"tl.store(x_ptr + i, ((i % 2 == 0) | (q > 0)).to(tl.float32))", ""},
      {"tl.store(x_ptr + i, ((i % 2 == 0) & (q > 0)).to(tl.float32))", "for element [0],"},
      {"tl.store(x_ptr + tl.arange(0, 2), tl.sum(tl.reshape(f, [4, 2]), axis=0), mask=tl.arange(0, 2) == 1)", ""},
      {"tl.store(x_ptr + tl.arange(0, 2), tl.sum(tl.reshape(f, [4, 2]), axis=0))", "for element [0],"},
      {"tl.store(x_ptr, tl.sum(tl.where(isOdd, f, 0.0), axis=0))", ""},
      {"tl.store(x_ptr + i, tl.load(ones_ptr + q))", "for element [0], is used here"},
      {"tl.store(x_ptr + i, tl.load(ones_ptr + q, mask=isOdd))", ""},
      {"tl.store(x_ptr + i, tl.load(ones_ptr + i, mask=isOdd, other=f))", "for element [0],"},
      {"tl.store(x_ptr + i, tl.load(ones_ptr + i, mask=i % 2 == 0, other=f))", ""},
      {"tl.store(x_ptr + i, tl.load(ones_ptr + i, mask=q > 0))", "for element [0],"},
      {"tl.store(x_ptr + i, tl.map_elementwise(divide, i + 5, i % 2), mask=isOdd)\n\n\n@triton.jit\ndef divide(a, b):"
       "\n    return a // b",
       ""},
      {"tl.store(x_ptr + i, tl.map_elementwise(divide, i + 5, i % 2), mask=i > 1)\n\n\n@triton.jit\ndef divide(a, b):"
       "\n    return a // b",
       "undefined.py:11:5: note: its result, for element [2], is used here"},
      {"tl.store(x_ptr + i, tl.map_elementwise(add, q, i), mask=isOdd)\n\n\n@triton.jit\ndef add(a, b):\n    return a "
       "+ b",
       ""},
      {"if 7 // n > 3:\n        tl.store(x_ptr + i, 1.0)", "its result is used here"},
      {"a, b = tl.split(tl.reshape(f, [4, 2]))\n    tl.store(x_ptr + tl.arange(0, 4), b + 1)", ""},
      {"tl.atomic_add(x_ptr + i, f, mask=isOdd)", ""},
      {"tl.atomic_add(x_ptr + i, f)", "for element [0],"},
      {"tl.store(x_ptr + i, tl.cumsum(f, 0), mask=isOdd)", "for element [0],"},
      {"tl.store(x_ptr + i, (i << (i + 25)).to(tl.float32), mask=i < 7)", ""},
      {"tl.store(x_ptr + i, (i << (i + 25)).to(tl.float32))", "shift by the width of the type or more"},
      {"tl.store(x_ptr + i, (i * 1e9).to(tl.int32), mask=i < 3)", ""},
      {"tl.store(x_ptr + i, (i * 1e9).to(tl.int32))", "conversion of a number that the integer type cannot hold"},
  };
  for (auto [use, wanted] : kUses) {
    std::string source = start + use + "\n";
    std::string found = faultOf(Kernel::fromSource(source, "k", "undefined.py"), {zeros(8), zeros(8), int64_t(0)});
    if (*wanted)
      EXPECT_THAT(found, testing::HasSubstr(wanted)) << use;
    else
      EXPECT_EQ(found, "") << use;
    bool isMapped = std::string(use).find("divide") != std::string::npos; // its division stands below the kernel
    if (!isMapped && (std::string(wanted).starts_with("for") || std::string(wanted).starts_with("undefined")))
      EXPECT_THAT(found, testing::HasSubstr(cause)) << use;
  }
}

} // namespace
} // namespace tegula::conformance
