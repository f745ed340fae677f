// A repeated launch allocates nothing on the heap, for kernels of every origin.
#include "core/runtime/KernelImpl.h"
#include "core/runtime/include/tegula/tegula.h"
#include "tests/runtime/RuntimeFixture.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {
std::atomic<size_t> allocations = 0;
}

// Counts allocations of the whole process.
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
void *operator new(size_t size) {
  if (void *memory = operator new(size, std::nothrow))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace tegula::test {
namespace {

/// Launches without recording.
class QuietDriver final : public null::NullDriver {
public:
  void launch(void *, const DriverKernel &, const LaunchRequest &request) override { seen += request.arguments.size(); }
  size_t seen = 0;
};

class RepeatedLaunch : public RuntimeTest {
protected:
  RepeatedLaunch() {
    fake_.kernels = {makeKernel("k", {"x_ptr", "y_ptr", "n", "scale", "BLOCK", "ACT"})};
    auto quiet = std::make_unique<QuietDriver>();
    driver_ = quiet.get();
    old_ = std::exchange(device_.impl()->driver, std::move(quiet));
  }
  ~RepeatedLaunch() override { device_.impl()->driver = std::move(old_); }

  QuietDriver *driver_;
  std::unique_ptr<Driver> old_;
};

TEST_F(RepeatedLaunch, AllocatesNothing) {
  Kernel kernel = load();
  Buffer x(device_, DType::F32, {64}), y(device_, DType::F32, {64});
  const std::vector<Argument> arguments = {x, y, 64, 0.5};
  const NamedArguments named = {{"x_ptr", x}, {"y_ptr", y}, {"n", 64}, {"scale", 0.5}};
  const LaunchOptions options{
      .constants = {{"BLOCK", 64}, {"ACT", "a name that is too long to be kept inside of a string"}}, .numWarps = 8};
  kernel.launch(stream_, {4}, arguments, options);
  size_t before = allocations;
  for (int i = 0; i < 10; ++i) {
    kernel.launch(stream_, {4}, arguments, options);
    kernel.launch(stream_, {4, 2}, named, options);
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(driver_->seen, 21u * 4);
  EXPECT_EQ(fake_.requests.size(), 1u);
}

TEST_F(RepeatedLaunch, PreparedAllocatesNothing) {
  tegula_kernel *kernel = nullptr;
  tegula_device *device = nullptr;
  tegula_stream *stream = nullptr;
  tegula_launcher *launcher = nullptr;
  tegula_constant constants[2] = {{"BLOCK", {TEGULA_INTEGER, {64}}}, {"ACT", {TEGULA_TEXT, {}}}};
  constants[1].value.as.text = "a name that is too long to be kept inside of a string";
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.constants = constants;
  options.constant_count = 2;
  tegula_argument arguments[4] = {{nullptr, TEGULA_ARG_ADDRESS, TEGULA_F32, {0x1000}},
                                  {nullptr, TEGULA_ARG_ADDRESS, TEGULA_F32, {0x2000}},
                                  {nullptr, TEGULA_ARG_INTEGER, TEGULA_I32, {64}},
                                  {nullptr, TEGULA_ARG_SCALAR, TEGULA_F32, {0}}};
  ASSERT_EQ(tegula_device_open("null", &device), TEGULA_OK);
  ASSERT_EQ(tegula_stream_create(device, &stream), TEGULA_OK);
  ASSERT_EQ(tegula_kernel_load_source("source", nullptr, "file.py", nullptr, &kernel), TEGULA_OK);
  ASSERT_EQ(tegula_launcher_prepare(kernel, device, 4, arguments, &options, &launcher), TEGULA_OK)
      << tegula_last_error();
  const uint32_t grid[3] = {4, 1, 1};
  uint64_t slots[4] = {0x1000, 0x2000, 64, 0};
  auto launchAll = [&] {
    for (slots[2] = 0; slots[2] < 10; ++slots[2])
      ASSERT_EQ(tegula_launcher_launch(launcher, stream, grid, slots), TEGULA_OK) << tegula_last_error();
  };
  launchAll();
  size_t before = allocations;
  launchAll();
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(driver_->seen, 20u * 4);
  EXPECT_EQ(fake_.requests.size(), 2u) << "for 64, which serves all but 1, and for 1";
  tegula_launcher_release(launcher);
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
}

TEST_F(RepeatedLaunch, PositionalConstantsAndHeuristicsAllocateNothing) {
  fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK", "EVEN"})};
  fake_.kernels[0].heuristics = {{"EVEN", "n % BLOCK == 0", ""}};
  Kernel kernel = load();
  Buffer x(device_, DType::F32, {64});
  const std::vector<Argument> whole = {x, 128, 64, true}, part = {x, 128};
  const LaunchOptions none, block{.constants = {{"BLOCK", 64}}};
  auto launch = [&] {
    kernel.launch(stream_, {4}, whole, none);
    kernel.launch(stream_, {4}, part, block);
  };
  launch();
  size_t before = allocations;
  for (int i = 0; i < 10; ++i)
    launch();
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(fake_.requests.size(), 1u) << "the second one is found on disk";
}

// What a launch spends on choosing its variant, with the parameters of a matrix product: below 100 ns, where the build
// is optimised and the machine undisturbed, so the least of many is compared.
TEST_F(RepeatedLaunch, ThePickCostsLittle) {
  fake_.kernels = {makeKernel("k", {"a_ptr", "b_ptr", "c_ptr", "m", "n", "k", "sam", "sak", "sbk", "sbn", "scm", "scn",
                                    "BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"})};
  Kernel kernel = load();
  Buffer x(device_, DType::F32, {64});
  const std::vector<Argument> arguments = {x, x, x, 512, 512, 512, 512, 1, 512, 1, 512, 1};
  const LaunchOptions options{.constants = {{"BLOCK_M", 64}, {"BLOCK_N", 64}, {"BLOCK_K", 32}, {"GROUP_M", 8}},
                              .numWarps = 8};
  kernel.launch(stream_, {4}, arguments, options);
  Binding binding;
  binding.assign(kernel.impl()->prototype, arguments);
  binding.resolve(kernel.impl()->prototype, *device_.impl());
  double least = 1e9;
  for (int round = 0; round < 200; ++round) {
    constexpr int kTimes = 200;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kTimes; ++i)
      ASSERT_TRUE(select(*kernel.impl(), device_.impl(), binding, options, nullptr).fromMemory);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kTimes);
  }
  RecordProperty("nanoseconds", std::to_string(least * 1e9));
  std::printf("a pick takes %.1f ns\n", least * 1e9);
#if defined(NDEBUG) && !__has_feature(address_sanitizer)
  EXPECT_LT(least, 100e-9);
#endif
}

TEST_F(RepeatedLaunch, TheCountSeesAllocations) {
  size_t before = allocations;
  auto one = std::make_unique<int>(1);
  EXPECT_EQ(*one, 1);
  EXPECT_GE(allocations - before, 1u);
}

} // namespace
} // namespace tegula::test
