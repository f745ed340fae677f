// The CPU backend's goals. Each is measured in alternation with a peer in the same process: a 1024^3 f32 matrix product
// against OpenBLAS sgemm on the same cores (at most 2.5 times its time), softmax of 4096x4096 f32 against memcpy of the
// same bytes (at most 4 times). Exit status 1 where a goal is missed. Usage: cpu_goals_bench [MATMUL.py::KERNEL
// SOFTMAX.py::KERNEL]; the kernels' parameters are those of the specification's s3_matmul.py and s2_softmax.py.
#include "tegula/tegula.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace tegula;

namespace {

constexpr int kRuns = 15;

double seconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Times both alternately and prints the medians; false where our median exceeds `limit` times the peer's.
bool compare(const char *what, const std::function<void()> &ours, const char *peerName,
             const std::function<void()> &peer, double limit) {
  ours();
  peer();
  std::vector<double> a, b;
  for (int i = 0; i < kRuns; ++i) {
    a.push_back(seconds(ours));
    b.push_back(seconds(peer));
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double ratio = a[kRuns / 2] / b[kRuns / 2];
  std::printf("%-28s %8.2f ms   %-14s %8.2f ms   ratio %.2f (goal <= %.1f) %s\n", what, a[kRuns / 2] * 1e3, peerName,
              b[kRuns / 2] * 1e3, ratio, limit, ratio <= limit ? "ok" : "MISSED");
  return ratio <= limit;
}

Kernel load(const std::string &place) {
  size_t colon = place.find("::");
  return colon == std::string::npos ? Kernel::load(place)
                                    : Kernel::load(place.substr(0, colon), place.substr(colon + 2));
}

std::vector<float> normals(size_t count) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &v : values)
    v = normal(generator);
  return values;
}

bool matmul(const Stream &stream, const Kernel &kernel) {
  constexpr int64_t n = 1024, block = 128;
  std::vector<float> host = normals(n * n), product(n * n);
  Buffer a(stream.device(), DType::F32, {n, n}), b(stream.device(), DType::F32, {n, n}),
      c(stream.device(), DType::F32, {n, n});
  Stream copies(stream.device());
  copies.write(a, host.data());
  copies.write(b, host.data());
  copies.synchronize();
  LaunchOptions options{.constants = {{"BLOCK_M", 2 * block}, {"BLOCK_N", block}, {"BLOCK_K", block}}};
  return compare(
      "matmul f32 1024^3",
      [&] {
        kernel.launch(stream, {cdiv(n, 2 * block), cdiv(n, block)}, {a, b, c, n, n, n, n, 1, n, 1, n, 1}, options);
        Stream(stream).synchronize();
      },
      "OpenBLAS sgemm",
      [&] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, host.data(), n, host.data(), n, 0,
                    product.data(), n);
      },
      2.5);
}

bool softmax(const Stream &stream, const Kernel &kernel) {
  constexpr int64_t n = 4096;
  std::vector<float> host = normals(n * n), copy(n * n);
  Buffer x(stream.device(), DType::F32, {n, n}), y(stream.device(), DType::F32, {n, n});
  Stream copies(stream.device());
  copies.write(x, host.data());
  copies.synchronize();
  LaunchOptions options{.constants = {{"BLOCK_SIZE", n}}};
  return compare(
      "softmax f32 4096x4096",
      [&] {
        kernel.launch(stream, n, {x, y, n, n, n}, options);
        Stream(stream).synchronize();
      },
      "memcpy", [&] { std::memcpy(copy.data(), host.data(), n * n * sizeof(float)); }, 4);
}

} // namespace

int main(int argc, char **argv) {
  try {
    std::string folder = TEGULA_SOURCE_DIR "/tests/bench/";
    Kernel product = load(argc > 1 ? argv[1] : folder + "goals.py::matmul"),
           rows = load(argc > 2 ? argv[2] : folder + "goals.py::softmax");
    Stream stream(Device::open("cpu"));
    bool good = matmul(stream, product);
    good &= softmax(stream, rows);
    return good ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
