// Speed of the CPU executor: dot tiles and functions of rows alone, and whole kernels against OpenBLAS and memcpy where
// the machine has them.
//   ./cpu_executor_bench --benchmark_filter=matmul
#include "backends/cpu/executor/Machine.h"
#include "backends/cpu/kernels/Functions.h"
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

/// One function of a row of 4096 elements from `low` to `high`. Argument: bits of an element, 32 or 16; halves are
/// converted to f32 and back, as the executor does.
void function(benchmark::State &state, RowKernel kernel, float low, float high) {
  constexpr size_t kCount = 4096;
  std::vector<float> x = ramp(kCount), y(kCount);
  for (float &element : x)
    element = low + (high - low) * (element + 0.5f);
  RowOperation operation;
  operation.kernel = kernel;
  operation.inputBytes[0] = operation.outputBytes = static_cast<unsigned>(state.range(0) / 8);
  std::vector<uint16_t> halves(kCount);
  const void *in[1] = {x.data()};
  if (state.range(0) == 16) {
    const auto half = static_cast<size_t>(ElementKind::F16);
    operation.before[0] = kernels().toF32[half];
    operation.after[0] = kernels().fromF32[0][half];
    operation.after[0](halves.data(), in, kCount, 0);
    in[0] = halves.data();
  }
  for (auto _ : state)
    operation.run(y.data(), in, 1, kCount, 0);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCount));
}
RowKernel rowOf(Opcode opcode) { return kernels().elementwise[static_cast<size_t>(opcode)][0]; }

#define TEGULA_BENCH_FUNCTION(name, kernel, low, high)                                                                 \
  BENCHMARK_CAPTURE(function, name, kernel, low, high)->ArgName("bits")->Arg(32)->Arg(16)
TEGULA_BENCH_FUNCTION(exp, rowOf(Opcode::Exp), -5, 5);
TEGULA_BENCH_FUNCTION(erf, rowOf(Opcode::Erf), -4, 4);
TEGULA_BENCH_FUNCTION(erfc, functionKernel(kernels(), FunctionKind::Erfc, false), -4, 10);
TEGULA_BENCH_FUNCTION(tanh, rowOf(Opcode::Tanh), -5, 5);
TEGULA_BENCH_FUNCTION(log, rowOf(Opcode::Log), 0.01f, 100);
TEGULA_BENCH_FUNCTION(sin, rowOf(Opcode::Sin), -100, 100);
TEGULA_BENCH_FUNCTION(cos, rowOf(Opcode::Cos), -100, 100);
TEGULA_BENCH_FUNCTION(rsqrt, rowOf(Opcode::Rsqrt), 0.01f, 100);

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
