// A repeated launch on a CUDA device through the public interface does not allocate on the heap, even with tensor
// descriptors.
#include "tests/cuda/CudaFixture.h"
#include "tests/cuda/TextCompiler.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<size_t> allocations = 0;

void *countedOrNull(size_t size, size_t alignment) noexcept {
  ++allocations;
  return std::aligned_alloc(alignment, (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment);
}

void *counted(size_t size, size_t alignment) {
  if (void *memory = countedOrNull(size, alignment))
    return memory;
  throw std::bad_alloc();
}
} // namespace

// Counts allocations of the whole process, including the fake driver.
void *operator new(size_t size) { return counted(size, 16); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return countedOrNull(size, 16); }
void *operator new(size_t size, std::align_val_t alignment) { return counted(size, static_cast<size_t>(alignment)); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace tegula::test {
namespace {

using Kind = ArtifactParam::Kind;

class RepeatedLaunch : public CudaTest {
protected:
  TextCompiler compiler_;
};

TEST_F(RepeatedLaunch, AllocatesNothing) {
  Artifact made = artifact("", {{"x", Kind::Pointer, ScalarType::F32, {}},
                                {"d", Kind::Descriptor, ScalarType::F32, {8, 32}},
                                {"n", Kind::Scalar, ScalarType::I32, {}}});
  made.descriptors = {{1, ScalarType::F32, {8, 32}, 128, DescriptorRecipe::Fill::AsPassed}};
  made.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize};
  Kernel kernel = compiler_.kernel(made, kernelText("k", ".param .u64 x, .param .align 64 .b8 d[128], .param .u32 n, "
                                                         ".param .u32 bx, .param .u32 by, .param .u32 bz, "
                                                         ".param .u32 gx, .param .u32 gy, .param .u32 gz"));
  {
    Device device = Device::open("cuda:0");
    Stream stream(device);
    Buffer x(device, DType::F32, {64, 64});
    const std::vector<Argument> arguments = {x, TensorDescriptor(x, {8, 32}), 64};
    const LaunchOptions options;
    kernel.launch(stream, {4}, arguments, options);
    stream.synchronize();
    EXPECT_EQ(fake_.launches.size(), 1u);
    EXPECT_EQ(fake_.launches[0].params.at(1), fake_.encodings.at(0).map);
    EXPECT_EQ(valueOf<uint64_t>(fake_.launches[0].params[0]), x.address());
    fake_.quiet = true;
    size_t before = allocations;
    for (int i = 0; i < 10; ++i)
      kernel.launch(stream, {4}, arguments, options);
    EXPECT_EQ(allocations - before, 0u);
    fake_.quiet = false;
    EXPECT_EQ(fake_.launchCount, 11u);
    EXPECT_EQ(fake_.encodingCount, 1u);
    ApiError::Kind kind{};
    try {
      kernel.launch(stream, {1}, arguments, {.checked = true});
    } catch (const ApiError &e) {
      kind = e.kind();
      EXPECT_THAT(e.what(), ::testing::HasSubstr("device cuda:0 cannot check launches"));
    }
    EXPECT_EQ(kind, ApiError::Kind::BadUse);
  }
  kernel = compiler_.kernel(artifact(), ""); // releases the old kernel, and with it the device
}

TEST_F(RepeatedLaunch, TheCountSeesAllocations) {
  size_t before = allocations;
  auto one = std::make_unique<int>(1);
  EXPECT_EQ(*one, 1);
  EXPECT_GE(allocations - before, 1u);
}

} // namespace
} // namespace tegula::test
