// A repeated launch allocates nothing on the heap, for kernels of every origin.
#include "core/runtime/include/tegula/tegula.h"
#include "tests/runtime/RuntimeFixture.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<size_t> allocations = 0;
}

// Counts allocations of the whole process.
void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size ? size : 1))
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
  ASSERT_EQ(tegula_launcher_launch(launcher, stream, grid, slots), TEGULA_OK) << tegula_last_error();
  size_t before = allocations;
  for (slots[2] = 0; slots[2] < 10; ++slots[2])
    ASSERT_EQ(tegula_launcher_launch(launcher, stream, grid, slots), TEGULA_OK);
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(driver_->seen, 11u * 4);
  EXPECT_EQ(fake_.requests.size(), 1u);
  tegula_launcher_release(launcher);
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
}

TEST_F(RepeatedLaunch, TheCountSeesAllocations) {
  size_t before = allocations;
  auto one = std::make_unique<int>(1);
  EXPECT_EQ(*one, 1);
  EXPECT_GE(allocations - before, 1u);
}

} // namespace
} // namespace tegula::test
