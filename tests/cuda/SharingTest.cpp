// Memory and streams of the caller, streams that wait for each other, graphs.
#include "tests/cuda/CudaFixture.h"

#include "core/support/Diagnostic.h"

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class Sharing : public CudaTest {
protected:
  std::vector<uint8_t> read(void *stream, const DeviceMemory &memory) {
    std::vector<uint8_t> host(memory.size);
    device().copyToHost(stream, host.data(), memory, 0, memory.size);
    return host;
  }
};

TEST_F(Sharing, TheCallersMemoryAndStreamStayTheCallers) {
  DeviceMemory owned = device().allocate(64);
  void *stream = device().createStream();
  DeviceMemory wrapped = device().wrapMemory({owned.address + 16, 32});
  void *shared = device().wrapStream(stream);
  EXPECT_EQ(device().nativeStream(shared), device().nativeStream(stream));
  device().fill(stream, owned, 0, 1, 64);
  device().fill(shared, wrapped, 0, 2, 32); // behind the first fill
  EXPECT_EQ(read(stream, wrapped), std::vector<uint8_t>(32, 2));
  EXPECT_EQ(read(stream, owned)[15], 1);
  EXPECT_EQ(read(stream, owned)[48], 1);
  device().unwrapMemory(wrapped);
  device().unwrapStream(shared);
  EXPECT_EQ(fake_.liveAllocations, 1u);
  EXPECT_EQ(fake_.liveStreams, 1u);
  device().destroyStream(stream);
  device().free(owned);
}

TEST_F(Sharing, AStreamWaitsForAnEventOfAnother) {
  DeviceMemory memory = device().allocate(8), copy = device().allocate(8);
  void *first = device().createStream(), *second = device().createStream();
  device().fill(first, memory, 0, 5, 8);
  void *event = device().recordEvent(first);
  device().waitInStream(second, event);
  device().copyOnDevice(second, copy, 0, memory, 0, 8);
  EXPECT_EQ(read(second, copy), std::vector<uint8_t>(8, 5));
  device().destroyEvent(event);
  for (void *stream : {first, second})
    device().destroyStream(stream);
  for (const DeviceMemory &one : {memory, copy})
    device().free(one);
}

TEST_F(Sharing, AGraphRunsWhatWasCapturedAndNothingBefore) {
  DeviceMemory memory = device().allocate(4);
  void *stream = device().createStream();
  auto kernel = load(artifact());
  int runs = 0;
  fake_.kernels["k"] = [&](const fakecuda::Launch &) { ++runs; };
  device().fill(stream, memory, 0, 1, 4);
  ASSERT_TRUE(device().supportsCapture());
  device().beginCapture(stream);
  device().fill(stream, memory, 0, 9, 4);
  LaunchRequest request;
  device().launch(stream, *kernel, request);
  EXPECT_THAT(messageOf([&] { device().synchronize(stream); }), HasSubstr("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"));
  void *graph = device().endCapture(stream);
  EXPECT_EQ(read(stream, memory), std::vector<uint8_t>(4, 1));
  EXPECT_EQ(runs, 0);
  for (int round = 1; round <= 3; ++round) {
    device().fill(stream, memory, 0, 1, 4);
    device().launchGraph(graph, stream);
    EXPECT_EQ(read(stream, memory), std::vector<uint8_t>(4, 9));
    EXPECT_EQ(runs, round);
  }
  EXPECT_EQ(fake_.liveGraphs, 1u) << "the captured form is destroyed, the one that is launched is not";
  device().destroyGraph(graph);
  EXPECT_EQ(fake_.liveGraphs, 0u);
  device().destroyStream(stream);
  device().free(memory);
}

TEST_F(Sharing, MemoryIsAllocatedWhileAStreamIsCaptured) {
  void *stream = device().createStream(), *other = device().createStream();
  EXPECT_FALSE(device().isCaptured(stream));
  device().beginCapture(stream);
  EXPECT_TRUE(device().isCaptured(stream));
  EXPECT_FALSE(device().isCaptured(other));
  DeviceMemory memory = device().allocate(4);
  device().fill(stream, memory, 0, 9, 4);
  device().free(device().allocate(8));
  void *graph = device().endCapture(stream);
  EXPECT_FALSE(device().isCaptured(stream));
  device().launchGraph(graph, stream);
  EXPECT_EQ(read(stream, memory), std::vector<uint8_t>(4, 9));
  device().destroyGraph(graph);
  device().destroyStream(stream);
  device().destroyStream(other);
  device().free(memory);
}

TEST_F(Sharing, AGraphThatCannotBeMadeReadyLeavesNothing) {
  void *stream = device().createStream();
  device().beginCapture(stream);
  fake_.failures["cuGraphInstantiateWithFlags"] = 1;
  EXPECT_THAT(messageOf([&] { device().endCapture(stream); }),
              HasSubstr("cannot make a graph ready to launch on device cuda:0: cuGraphInstantiateWithFlags failed"));
  EXPECT_EQ(fake_.liveGraphs, 0u);
  device().destroyStream(stream);
}

TEST_F(Sharing, AnOlderDriverHasNoGraphs) {
  ScopedEnvironment library("TEGULA_CUDA_LIBRARY", TEGULA_FAKE_CUDA_OLD);
  std::unique_ptr<Driver> old = cudaDriverFactory()->open("cuda:0");
  void *stream = old->createStream(), *event = old->recordEvent(stream);
  EXPECT_FALSE(old->supportsCapture());
  EXPECT_EQ(messageOf([&] { old->beginCapture(stream); }), "device cuda:0 cannot capture graphs");
  EXPECT_EQ(messageOf([&] { old->endCapture(stream); }), "device cuda:0 cannot capture graphs");
  old->waitInStream(stream, event); // the host waits
  old->destroyEvent(event);
  old->destroyStream(stream);
}

TEST_F(Sharing, UsageOfALoadedKernel) {
  fake_.functionAttributes = {{0, 1024}, {3, 48}, {4, 77}};
  KernelUsage usage = load(artifact())->usage();
  EXPECT_EQ(usage.registers, 77);
  EXPECT_EQ(usage.spillBytes, 48);
}

} // namespace
} // namespace tegula::test
