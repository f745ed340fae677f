// Speed of the CPU executor: dot tiles alone, and whole kernels against OpenBLAS and memcpy where the machine has them.
//   ./cpu_executor_bench --benchmark_filter=matmul
#include "backends/cpu/kernels/KernelTable.h"
#include "tests/cpu/Kernels.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <numeric>

#ifdef TEGULA_BENCH_OPENBLAS
#include <cblas.h>
#endif

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

std::vector<float> ramp(size_t count) {
  std::vector<float> v(count);
  for (size_t i = 0; i < count; ++i)
    v[i] = static_cast<float>(i * 7919 % 1013) / 1013.0f - 0.5f;
  return v;
}

void dotTile(benchmark::State &state) {
  const auto m = static_cast<size_t>(state.range(0)), n = static_cast<size_t>(state.range(1)),
             k = static_cast<size_t>(state.range(2));
  const std::vector<float> a = ramp(m * k), b = ramp(k * n);
  std::vector<float> c(m * n);
  std::vector<char> scratch(dotScratchBytes(k) + 64);
  void *aligned = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t{63});
  const DotTile tile{m,
                     n,
                     k,
                     a.data(),
                     static_cast<ptrdiff_t>(k),
                     1,
                     b.data(),
                     static_cast<ptrdiff_t>(n),
                     c.data(),
                     static_cast<ptrdiff_t>(n),
                     false,
                     aligned};
  for (auto _ : state)
    kernels().dotF32(tile);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(m * n * k), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(dotTile)
    ->Args({128, 128, 64})
    ->Args({256, 128, 128})
    ->Args({64, 64, 32})
    ->Args({128, 256, 64})
    ->Args({100, 100, 100});

void exponential(benchmark::State &state) {
  std::vector<float> x = ramp(4096), y(4096);
  const void *in[1] = {x.data()};
  for (auto _ : state)
    kernels().elementwise[static_cast<size_t>(Opcode::Exp)][0](y.data(), in, x.size(), 0);
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(exponential);

void matmul(benchmark::State &state) {
  const int64_t size = 1024, m = state.range(0), n = state.range(1), k = state.range(2);
  const Program program(matmulModule(m, n, k));
  std::vector<float> a = ramp(size * size), b = ramp(size * size), c(size * size);
  const std::vector<ArgumentValue> arguments = {
      argument(a.data()), argument(b.data()), argument(c.data()), argument(size), argument(size), argument(size),
      argument(size),     argument(1),        argument(size),     argument(1),    argument(size), argument(1)};
  LaunchOptions options;
  options.grid = {static_cast<uint32_t>((size + m - 1) / m), static_cast<uint32_t>((size + n - 1) / n), 1};
  for (auto _ : state)
    program.run(arguments, options);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(size * size * size), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(matmul)
    ->Args({64, 64, 32})
    ->Args({64, 64, 64})
    ->Args({128, 128, 64})
    ->Args({128, 128, 128})
    ->Args({128, 256, 64})
    ->Args({256, 128, 128})
    ->MeasureProcessCPUTime()
    ->UseRealTime();

#ifdef TEGULA_BENCH_OPENBLAS
void openblas(benchmark::State &state) {
  const int size = 1024;
  std::vector<float> a = ramp(size * size), b = ramp(size * size), c(size * size);
  for (auto _ : state)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0f, a.data(), size, b.data(), size, 0.0f,
                c.data(), size);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * size * size * size, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(openblas)->MeasureProcessCPUTime()->UseRealTime();
#endif

void softmax(benchmark::State &state) {
  const int64_t rows = 4096, columns = 4096;
  const Program program(softmaxModule(columns));
  std::vector<float> x = ramp(rows * columns), y(rows * columns);
  const std::vector<ArgumentValue> arguments = {argument(y.data()), argument(x.data()), argument(columns),
                                                argument(columns)};
  LaunchOptions options;
  options.grid = {static_cast<uint32_t>(rows), 1, 1};
  for (auto _ : state)
    program.run(arguments, options);
  state.SetBytesProcessed(state.iterations() * rows * columns * 8);
}
BENCHMARK(softmax)->MeasureProcessCPUTime()->UseRealTime();

void copySameBytes(benchmark::State &state) {
  std::vector<float> x = ramp(4096 * 4096), y(4096 * 4096);
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), x.size() * sizeof(float));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(x.size()) * 8);
}
BENCHMARK(copySameBytes)->MeasureProcessCPUTime()->UseRealTime();

} // namespace

BENCHMARK_MAIN();
