// What a repeated launch costs the host, beside the driver's bare call with as many parameter bytes: a kernel of ten
// arguments and one of three tensor descriptors. See --help.
#include <tegula/tegula.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace tegula;

namespace {

constexpr const char *kSource = R"(
import triton
import triton.language as tl

@triton.jit
def ten(a, b, c, d, e, n, m, k, s, t):
    i = tl.arange(0, 32)
    tl.store(e + i, tl.load(a + i) + tl.load(b + i) + tl.load(c + i) + tl.load(d + i) + n + m + k + s + t)

@triton.jit
def three(a_desc, b_desc, c_desc, m, n, k):
    total = tl.zeros((64, 64), dtype=tl.float32)
    for start in range(0, k, 64):
        total = tl.dot(a_desc.load([0, start]), b_desc.load([0, start]).T, total)
    c_desc.store([0, 0], total.to(tl.float16))
)";

using Status = int;
using Launch = Status (*)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned threadsX,
                          unsigned threadsY, unsigned threadsZ, unsigned sharedBytes, void *stream, void **arguments,
                          void **extra);

/// The driver's own functions, with a kernel that returns at once.
class Bare {
public:
  /// `params`: the entry's parameters in PTX, of `sizes` bytes.
  Bare(const std::string &params, const std::vector<size_t> &sizes) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](const char *name) {
      void *found = library ? dlsym(library, name) : nullptr;
      if (!found)
        throw std::runtime_error(std::string("the CUDA driver has no ") + name);
      return found;
    };
    launch_ = reinterpret_cast<Launch>(find("cuLaunchKernel"));
    auto load = reinterpret_cast<Status (*)(void **, const void *)>(find("cuModuleLoadData"));
    auto get = reinterpret_cast<Status (*)(void **, void *, const char *)>(find("cuModuleGetFunction"));
    std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(" + params + ")\n{ ret; }\n";
    void *module = nullptr;
    if (load(&module, text.c_str()) || get(&function_, module, "k"))
      throw std::runtime_error("the CUDA driver does not load the empty kernel");
    for (size_t size : sizes)
      bytes_.emplace_back(size);
    for (std::vector<char> &each : bytes_)
      arguments_.push_back(each.data());
  }
  void launch(void *stream) {
    if (launch_(function_, 1, 1, 1, 128, 1, 1, 0, stream, arguments_.data(), nullptr))
      throw std::runtime_error("the CUDA driver does not launch the empty kernel");
  }

private:
  Launch launch_ = nullptr;
  void *function_ = nullptr;
  std::vector<std::vector<char>> bytes_;
  std::vector<void *> arguments_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Microseconds a call, of a hundred that the device is waited for afterwards.
double microseconds(Stream &stream, const std::function<void()> &launch) {
  constexpr int kCalls = 100;
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i)
    launch();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  stream.synchronize();
  return seconds / kCalls * 1e6;
}

/// Prints the row of one kernel, and returns the median of the ratios.
double measure(const char *name, Stream &stream, int rounds, Bare bare, const std::function<void()> &launch) {
  void *native = stream.native();
  std::vector<double> ofBare, ofOurs, ratios;
  for (int round = -3; round < rounds; ++round) { // the first three warm up
    double theirs = microseconds(stream, [&] { bare.launch(native); }), ours = microseconds(stream, launch);
    if (round < 0)
      continue;
    ofBare.push_back(theirs);
    ofOurs.push_back(ours);
    ratios.push_back(ours / theirs);
  }
  double ratio = median(ratios);
  std::printf("%-18s bare call %6.3f us, launch %6.3f us, ratio %.3f\n", name, median(ofBare), median(ofOurs), ratio);
  return ratio;
}

double measureTen(const Device &device, Stream &stream, int rounds) {
  Kernel kernel = Kernel::fromSource(kSource, "ten");
  std::vector<Argument> arguments;
  for (int i = 0; i < 5; ++i)
    arguments.emplace_back(Buffer(device, DType::F32, {64}));
  for (int i = 0; i < 5; ++i)
    arguments.emplace_back(64 + i);
  const LaunchOptions options;
  kernel.launch(stream, {1}, arguments, options);
  Bare bare(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 e, .param .u32 n, .param .u32 m, "
            ".param .u32 k, .param .u32 s, .param .u32 t",
            {8, 8, 8, 8, 8, 4, 4, 4, 4, 4});
  return measure("ten arguments", stream, rounds, bare, [&] { kernel.launch(stream, {1}, arguments, options); });
}

double measureThree(const Device &device, Stream &stream, int rounds) {
  Kernel kernel = Kernel::fromSource(kSource, "three");
  std::vector<Argument> arguments;
  for (int i = 0; i < 3; ++i)
    arguments.emplace_back(TensorDescriptor(Buffer(device, DType::F16, {64, 64}), {64, 64}));
  for (int i = 0; i < 3; ++i)
    arguments.emplace_back(64);
  const LaunchOptions options;
  kernel.launch(stream, {1}, arguments, options);
  Bare bare(".param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .align 64 .b8 c[128], .param .u32 m, "
            ".param .u32 n, .param .u32 k",
            {128, 128, 128, 4, 4, 4});
  return measure("three descriptors", stream, rounds, bare, [&] { kernel.launch(stream, {1}, arguments, options); });
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Times repeated launches through the C++ interface in turns with the CUDA driver's bare call.");
  app.footer("Examples:\n  cuda_launch_bench\n  cuda_launch_bench cuda:1 --rounds 1000 --most 1.2\n\n"
             "Exit status: 0; 1, a ratio is above --most, or the device fails; others, bad use.");
  std::string name = "cuda:0";
  int rounds = 400;
  double most = 1.15;
  app.add_option("DEVICE", name, "A CUDA device, as `tegula devices` names it (default: cuda:0)");
  app.add_option("--rounds", rounds, "Turns of a hundred launches each (default: 400)")->check(CLI::Range(1, 100000));
  app.add_option("--most", most, "The largest median of the ratios that is accepted (default: 1.15)");
  CLI11_PARSE(app, argc, argv);
  try {
    Device device = Device::open(name);
    Stream stream(device);
    double ten = measureTen(device, stream, rounds), three = measureThree(device, stream, rounds);
    return std::max(ten, three) <= most ? 0 : 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "cuda_launch_bench: %s\n", e.what());
    return 1;
  }
}
