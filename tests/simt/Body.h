// Runs the body of a small kernel on one input and one output array.
#pragma once

#include "tests/simt/Kernel.h"

#include <numeric>

#include <gtest/gtest.h>

namespace tegula::simt_test {

struct BodyShape {
  uint32_t warps = 1, warpSize = 32;
  std::string in = "f32", out = "f32"; // pointee types of %x and %o
  std::string aliases = {};            // attribute aliases before the kernel
  Grid grid = {1, 1, 1};
  RunOptions options = {};
};

/// Bodies that read and write i32.
inline BodyShape integers(uint32_t warps, uint32_t warpSize) {
  return {.warps = warps, .warpSize = warpSize, .in = "i32", .out = "i32"};
}

/// first, first + 1, ...
inline std::vector<int32_t> iota(size_t count, int32_t first = 0) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Runs `body`, which can use %x and %o, the numbers of thread %t, warp %w and lane %l, and constants %c0, %c1, %c2,
/// %c4, %c8, %c16; returns the reports and the printed lines.
template <class In, class Out>
RunResult runBody(const BodyShape &shape, const std::string &body, std::vector<In> &in, std::vector<Out> &out) {
  std::string text = shape.aliases + "\nfunc.func @k(%x: !tile.ptr<" + shape.in + ">, %o: !tile.ptr<" + shape.out +
                     ">) attributes {simt.warps = " + std::to_string(shape.warps) +
                     " : i32, simt.warp_size = " + std::to_string(shape.warpSize) + " : i32} {\n";
  for (int number : {0, 1, 2, 4, 8, 16})
    text += "%c" + std::to_string(number) + " = arith.constant " + std::to_string(number) + " : i32\n";
  text += "%t = simt.thread_id : i32\n%w = simt.warp_id : i32\n%l = simt.lane_id : i32\n" + body + "\nreturn\n}\n";
  Kernel kernel(text);
  SimtExecutor executor = kernel.executor();
  executor.pointer(in, "x").pointer(out, "o");
  return executor.run(shape.grid, shape.options);
}

} // namespace tegula::simt_test
