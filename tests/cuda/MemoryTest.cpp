// Memory, streams, events, and the thread's context.
#include "tests/cuda/CudaFixture.h"

#include "core/support/Diagnostic.h"

#include <dlfcn.h>
#include <numeric>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Memory : public CudaTest {
protected:
  /// Calls the fake library directly, to inspect the thread's state.
  template <class F> F *entry(const char *name) {
    return reinterpret_cast<F *>(dlsym(dlopen(TEGULA_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), name));
  }
};

TEST_F(Memory, TooMuchSaysHowMuch) {
  fake_.memoryBytes = 1 << 20;
  EXPECT_EQ(messageOf([&] { device().allocate(1 << 21); }),
            "cannot allocate 2097152 bytes on device cuda:0, which has 1048576: cuMemAlloc_v2 failed with "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory); free other buffers, or work on smaller parts of the data");
}

TEST_F(Memory, HostMemoryMayBeReusedWhenACopyReturns) {
  // The fake copies when a thread waits: a driver that does not wait copies the host memory's later content.
  DeviceMemory memory = device().allocate(1000);
  void *stream = device().createStream();
  std::vector<uint8_t> host(100), back(100, 0xee);
  std::iota(host.begin(), host.end(), uint8_t(0));
  std::vector<uint8_t> expected = host;
  device().copyToDevice(stream, memory, 200, host.data(), 100);
  std::fill(host.begin(), host.end(), uint8_t(0xff));
  device().copyToHost(stream, back.data(), memory, 200, 100);
  EXPECT_EQ(back, expected);
  device().fill(stream, memory, 210, 7, 20);
  device().copyToHost(stream, back.data(), memory, 200, 100);
  std::fill(expected.begin() + 10, expected.begin() + 30, uint8_t(7));
  EXPECT_EQ(back, expected);
  // Within the device, in the stream's order.
  DeviceMemory other = device().allocate(500);
  device().fill(stream, other, 0, 1, 500);
  device().copyOnDevice(stream, other, 300, memory, 205, 40);
  device().fill(stream, memory, 200, 9, 100);
  std::vector<uint8_t> copied(42);
  device().copyToHost(stream, copied.data(), other, 299, 42);
  EXPECT_EQ(copied.front(), 1);
  EXPECT_EQ(copied.back(), 1);
  EXPECT_TRUE(std::equal(copied.begin() + 1, copied.end() - 1, expected.begin() + 5));
  device().destroyStream(stream);
  device().free(memory);
  device().free(other);
}

TEST_F(Memory, EventsTellDeviceTime) {
  DeviceMemory memory = device().allocate(16);
  void *stream = device().createStream();
  void *start = device().recordEvent(stream);
  device().fill(stream, memory, 0, 1, 16);
  device().fill(stream, memory, 0, 2, 16);
  void *end = device().recordEvent(stream);
  // Each operation takes 0.25 ms in the fake; between the two times are the first record and two fills.
  EXPECT_DOUBLE_EQ(device().elapsed(start, end), 3 * 0.25e-3);
  device().waitEvent(end);
  device().destroyEvent(start);
  device().destroyEvent(end);
  fake_.failures["cuEventRecord"] = 400;
  EXPECT_THAT(
      messageOf([&] { device().recordEvent(stream); }),
      HasSubstr("cannot record an event on device cuda:0: cuEventRecord failed with CUDA_ERROR_INVALID_HANDLE"));
  EXPECT_EQ(fake_.liveEvents, 0u);
  device().destroyStream(stream);
  device().free(memory);
}

TEST_F(Memory, EachFailureNamesTheFunctionAndTheDevice) {
  DeviceMemory memory = device().allocate(16);
  void *stream = device().createStream();
  char host[16] = {};
  struct Case {
    const char *name;
    std::function<void()> body;
    const char *doing;
  };
  const Case cases[] = {
      {"cuMemFree_v2", [&] { device().free(memory); }, "cannot free 16 bytes on device cuda:0"},
      {"cuMemcpyHtoDAsync_v2", [&] { device().copyToDevice(stream, memory, 0, host, 16); },
       "cannot copy to the device: 16 bytes on device cuda:0"},
      {"cuMemcpyDtoHAsync_v2", [&] { device().copyToHost(stream, host, memory, 0, 16); },
       "cannot copy to the host: 16 bytes on device cuda:0"},
      {"cuMemcpyDtoDAsync_v2", [&] { device().copyOnDevice(stream, memory, 0, memory, 8, 8); },
       "cannot copy on the device: 8 bytes on device cuda:0"},
      {"cuMemsetD8Async", [&] { device().fill(stream, memory, 0, 0, 16); }, "cannot fill 16 bytes on device cuda:0"},
      {"cuStreamCreate", [&] { device().createStream(); }, "cannot create a stream on device cuda:0"},
      {"cuStreamSynchronize", [&] { device().synchronize(stream); }, "cannot wait for a stream on device cuda:0"},
      {"cuEventCreate", [&] { device().recordEvent(stream); }, "cannot create an event on device cuda:0"},
  };
  for (const Case &c : cases) {
    fake_.failures[c.name] = 1;
    EXPECT_EQ(messageOf(c.body),
              std::string(c.doing) + ": " + c.name + " failed with CUDA_ERROR_INVALID_VALUE (invalid argument)");
  }
  device().destroyStream(stream);
  device().free(memory);
}

TEST_F(Memory, AFailedKernelIsItsOwnKindOfFailure) {
  void *stream = device().createStream();
  fake_.failures["cuStreamSynchronize"] = 700;
  try {
    device().synchronize(stream);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const KernelFault &fault) {
    EXPECT_THAT(fault.diagnostic().message,
                AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"),
                      HasSubstr("TRITON_INTERPRET=1")));
  }
  device().destroyStream(stream);
}

TEST_F(Memory, TheThreadKeepsItsContext) {
  auto *getCurrent = entry<int(void **)>("cuCtxGetCurrent");
  auto *setCurrent = entry<int(void *)>("cuCtxSetCurrent");
  setCurrent(nullptr);
  DeviceMemory memory = device().allocate(16);
  void *ours = nullptr, *now = nullptr;
  getCurrent(&ours);
  EXPECT_NE(ours, nullptr) << "a thread without a context keeps ours, which makes the next call cheap";
  fake_.deviceCount = 2;
  std::unique_ptr<Driver> second = cudaDriverFactory()->open("cuda:0");
  int other = 0; // stands for the context of another library
  setCurrent(&other);
  device().free(memory);
  getCurrent(&now);
  EXPECT_EQ(now, &other);
  fake_.failures["cuMemAlloc_v2"] = 2;
  EXPECT_THAT(messageOf([&] { device().allocate(1); }), HasSubstr("OUT_OF_MEMORY"));
  getCurrent(&now);
  EXPECT_EQ(now, &other) << "also after a failure";
  setCurrent(nullptr);
  std::thread([&] { device().free(device().allocate(16)); }).join();
}

} // namespace
} // namespace tegula::test
