// Costs and throughput of the Vulkan driver: bandwidth of fills and of vector add on the device, host time of a
// repeated launch, transfers from and to the host. Usage: vulkan_driver_bench [DEVICE] [BYTES]
#include "backends/vulkan/driver/Driver.h"
#include "core/support/Diagnostic.h"
#include "tests/vulkan/Kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace tegula;

namespace {

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Seconds on the device's clock, the median of several.
template <class Work> double deviceSeconds(Driver &driver, void *stream, const Work &work) {
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    void *start = driver.recordEvent(stream);
    work();
    void *end = driver.recordEvent(stream);
    double time = driver.elapsed(start, end);
    driver.destroyEvent(start);
    driver.destroyEvent(end);
    if (i > 0)
      times.push_back(time);
  }
  return median(times);
}

void bench(const std::string &name, size_t bytes) {
  std::unique_ptr<Driver> driver = vulkanDriverFactory()->open(name);
  std::printf("%s: %s, target %s\n", name.c_str(), driver->info().description.c_str(), driver->info().target.c_str());
  void *stream = driver->createStream();
  DeviceMemory x = driver->allocate(bytes), y = driver->allocate(bytes), out = driver->allocate(bytes);
  for (const DeviceMemory &memory : {x, y, out})
    driver->fill(stream, memory, 0, 0, bytes);
  double gb = static_cast<double>(bytes) * 1e-9;

  double fill = deviceSeconds(*driver, stream, [&] { driver->fill(stream, out, 0, 1, bytes); });
  std::printf("fill              %8.1f GB/s written\n", gb / fill);
  for (uint32_t threads : {64u, 128u, 256u, 512u}) {
    std::unique_ptr<DriverKernel> kernel = driver->load(vulkan::test::vectorAdd(threads));
    size_t n = bytes / 4;
    LaunchRequest request;
    request.grid = {static_cast<uint32_t>((n + threads - 1) / threads), 1, 1};
    request.arguments = {{x.address}, {y.address}, {out.address}, {n}};
    double add = deviceSeconds(*driver, stream, [&] { driver->launch(stream, *kernel, request); });
    std::printf("vector add, %4u   %8.1f GB/s read and written\n", threads, 3 * gb / add);
  }

  std::unique_ptr<DriverKernel> kernel = driver->load(vulkan::test::vectorAdd(64));
  LaunchRequest request;
  request.arguments = {{x.address}, {y.address}, {out.address}, {64}};
  std::vector<double> launches;
  for (int round = 0; round < 20; ++round) {
    driver->synchronize(stream);
    auto begin = Clock::now();
    for (int i = 0; i < 100; ++i)
      driver->launch(stream, *kernel, request);
    launches.push_back(seconds(begin) / 100);
  }
  std::printf("repeated launch   %8.2f us of host time\n", median(launches) * 1e6);

  std::vector<std::byte> host(bytes, std::byte(1));
  std::vector<double> to, from;
  for (int i = 0; i < 5; ++i) {
    auto begin = Clock::now();
    driver->copyToDevice(stream, x, 0, host.data(), bytes);
    driver->synchronize(stream);
    to.push_back(seconds(begin));
    begin = Clock::now();
    driver->copyToHost(stream, host.data(), x, 0, bytes);
    from.push_back(seconds(begin));
  }
  std::printf("copy to device    %8.1f GB/s\ncopy to host      %8.1f GB/s\n", gb / median(to), gb / median(from));
  for (const DeviceMemory &memory : {x, y, out})
    driver->free(memory);
  driver->destroyStream(stream);
}

} // namespace

int main(int argc, char **argv) {
  try {
    bench(argc > 1 ? argv[1] : "vulkan:0", argc > 2 ? std::strtoull(argv[2], nullptr, 0) : size_t(1) << 28);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "vulkan_driver_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
