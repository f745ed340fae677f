// One kernel, launch after launch on a GPU: what the code relies on is checked again for each.
#include "core/runtime/Session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
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

bool expectsOne(const Kernel &kernel, uint32_t param) {
  const std::vector<Guard> guards = session::lastLaunch(kernel).guards;
  return std::find(guards.begin(), guards.end(), Guard{Guard::Kind::Equals, param, 1}) != guards.end();
}

TEST(Launches, EachStrideHasItsElements) {
  Device device = [] {
    try {
      return Device::open("vulkan:0");
    } catch (const Error &) {
      return Device::open("cpu");
    }
  }();
  if (device.info().name == "cpu")
    GTEST_SKIP() << "there is no Vulkan device here";
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("strided" + std::to_string(getpid()) + ".py");
  std::ofstream(path) << kSource;
  Kernel kernel = Kernel::load(path.string());
  std::filesystem::remove(path);
  constexpr int64_t kCount = 200, kBlock = 256;
  std::vector<int32_t> numbers(3 * kBlock), found(kBlock);
  std::iota(numbers.begin(), numbers.end(), 0);
  Stream stream(device);
  Buffer x(device, DType::I32, {3 * kBlock}), y(device, DType::I32, {kBlock});
  stream.write(x, numbers.data());
  // The code for 1 is never taken for others, and others never for 1 once it is there.
  for (int64_t stride : {1, 2, 1, 3, 1})
    for (int64_t n : {kCount, int64_t(1)}) {
      stream.fill(y, 0xff);
      kernel.launch(stream, {1}, {x, y, n, stride}, {.constants = {{"BLOCK", kBlock}}});
      EXPECT_EQ(expectsOne(kernel, 3), stride == 1) << "stride " << stride;
      EXPECT_EQ(expectsOne(kernel, 0), false);
      stream.read(y, found.data());
      for (int64_t i = 0; i < kBlock; ++i)
        ASSERT_EQ(found[size_t(i)], i < n ? i * stride : -1) << "element " << i << ", stride " << stride << ", n " << n;
    }
}

} // namespace
} // namespace tegula::conformance
