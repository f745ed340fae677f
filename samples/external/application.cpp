// A program with its kernels inside: `numbers` is a bundle that tegula_add_kernels built and embedded. Runs them on
// every device that is there, and compares with the host. usage: application [DEVICE...]
//
//   $ application
//   cpu: saxpy and row_sums agree with the host
#include "numbers.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Floats = tegula::Tensor<tegula::DType::F32>;

std::vector<float> ramp(size_t count, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = step * static_cast<float>(i % 97);
  return values;
}

/// A count that 16 divides, and one that it does not: the bundle has code for each.
bool saxpyAgrees(tegula::Stream &stream, int32_t n) {
  std::vector<float> x = ramp(static_cast<size_t>(n), 1.0f), y = ramp(static_cast<size_t>(n), 0.5f), out(x.size());
  Floats deviceX(stream.device(), {n}), deviceY(stream.device(), {n}), deviceOut(stream.device(), {n});
  stream.write(deviceX, x.data());
  stream.write(deviceY, y.data());
  numbers::saxpy(stream, {tegula::cdiv(n, 1024)}, deviceX, deviceY, deviceOut, n, 2.0f);
  stream.read(deviceOut, out.data());
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] != 2.0f * x[i] + y[i]) // exact: the values are small multiples of 0.5
      return false;
  return true;
}

bool rowSumsAgree(tegula::Stream &stream, int32_t rows, int32_t columns) {
  std::vector<float> x = ramp(static_cast<size_t>(rows * columns), 1.0f), out(static_cast<size_t>(rows));
  Floats deviceX(stream.device(), {rows, columns}), deviceOut(stream.device(), {rows});
  stream.write(deviceX, x.data());
  numbers::row_sums(stream, {rows}, deviceX, deviceOut, columns, columns);
  stream.read(deviceOut, out.data());
  for (int32_t row = 0; row < rows; ++row) {
    auto first = x.begin() + row * columns;
    if (out[static_cast<size_t>(row)] != std::accumulate(first, first + columns, 0.0f)) // exact: integers below 2^24
      return false;
  }
  return true;
}

/// False where the results differ.
bool runOn(const std::string &name) {
  auto start = Clock::now();
  tegula::Device device = tegula::Device::open(name);
  tegula::Stream stream(device);
  auto opened = Clock::now();
  bool first = saxpyAgrees(stream, 1000);
  auto launched = Clock::now();
  bool all = first && saxpyAgrees(stream, 65536) && rowSumsAgree(stream, 33, 1040) && rowSumsAgree(stream, 5, 777);
  auto milliseconds = [](auto span) { return std::chrono::duration<double, std::milli>(span).count(); };
  std::printf("%s: saxpy and row_sums %s the host (device opened in %.1f ms, first kernel loaded and run in %.1f ms)\n",
              name.c_str(), all ? "agree with" : "DIFFER from", milliseconds(opened - start),
              milliseconds(launched - opened));
  return all;
}

} // namespace

int main(int argc, char **argv) {
  try {
    std::vector<std::string> names(argv + 1, argv + argc);
    if (names.empty())
      for (const tegula::Device::Info &info : tegula::Device::list())
        names.push_back(info.name);
    bool all = true;
    for (const std::string &name : names)
      all = runOn(name) && all;
    return all ? 0 : 1;
  } catch (const tegula::ApiError &error) {
    std::fprintf(stderr, "application: %s\n", error.what());
    return 2;
  }
}
