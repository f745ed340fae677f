// Programs of the grid, arguments, and calls between jit functions.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kProgramsFile = "programs.py";
// Kernels that the suite of devices has too.
const std::string kCalls = kSuite + "calls.py", kControl = kSuite + "control.py", kGrid = kSuite + "grid.py";

TEST(Programs, ids) {
  Array y = blank(DType::I32, {2 * 3 * 4});
  run(kProgramsFile, "ids", {&y}, {.grid = {4, 3, 2}});
  expectEqual(y, [](int64_t i) { return i % 4 + 100 * (i / 4 % 3) + 10000 * (i / 12); });
}

TEST(Programs, counts) {
  Array y = blank(DType::I32, {3});
  run(kGrid, "counts", {&y}, {.grid = {5, 3, 2}});
  expectEqual(y, [](int64_t i) { return i == 0 ? 5 : i == 1 ? 3 : 2; });
}

TEST(Programs, globals_are_constants) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  run(kCalls, "globals_are_constants", {&x, &y});
  expectNear(y, [&](int64_t i) { return std::max(x[i], Number(0)) * 3 + Number(0.5); }, 1e-6);
}

TEST(Programs, unannotated_block) {
  Array x = random(DType::F32, {64}), y = blank(DType::F32, {64});
  run(kCalls, "unannotated_block", {&x, &y}, {.constants = {{"BLOCK", 64}}});
  expectEqual(y, [&](int64_t i) { return x[i]; });
}

TEST(Programs, calls) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  run(kCalls, "helpers", {&x, &y}, {.constants = {{"N", 32}}});
  expectNear(
      y,
      [&](int64_t i) {
        Number active = std::max(x[i], Number(0));
        return (active + 1) * 2 + 1 + (active - 1) * (active - 1);
      },
      1e-6);
}

TEST(Programs, variadic) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  run(kCalls, "variadic", {&x, &y}, {.constants = {{"N", 32}}});
  expectNear(y, [&](int64_t i) { return 2 * x[i] + 1 + x[i] * x[i]; }, 1e-6, 1e-6);
}

TEST(Programs, early_return) {
  Array x = random(DType::F32, {100}), y = blank(DType::F32, {100});
  run(kControl, "early_return", {&x, &y, int64_t(50)}, {.constants = {{"BLOCK", 16}}, .grid = {6}});
  expectEqual(y, [&](int64_t i) { return i < 50 ? x[i] + 1 : 77; });
}

TEST(Programs, scalar_arguments) {
  Array y = blank(DType::F32, {3});
  run(kCalls, "scalar_arguments", {&y, int64_t(3), 0.25, true, int64_t(5) << 32});
  expectEqual(y, [](int64_t i) { return i == 0 ? Number(3.25) : i == 1 ? 1 : 5; });
}

TEST(Programs, optional_pointer) {
  Array x = random(DType::F32, {16}), bias = random(DType::F32, {16}, -1, 1, 2), y = blank(DType::F32, {16}), z = y;
  run(kCalls, "optional_pointer", {&x, &bias, &y}, {.constants = {{"N", 16}, {"HAS_BIAS", true}}});
  run(kCalls, "optional_pointer", {&x, &bias, &z}, {.constants = {{"N", 16}, {"HAS_BIAS", false}}});
  expectEqual(y, [&](int64_t i) { return x[i] + bias[i]; });
  expectEqual(z, [&](int64_t i) { return x[i]; });
}

TEST(Programs, python_functions) {
  Array y = blank(DType::I32, {1});
  run(kCalls, "python_functions", {&y});
  expectEqual(y, [](int64_t) { return 4 + 7 + 6 + 3 + 3 + 5 + 3 + 64 + 4 + 3 + 1; });
}

TEST(Programs, casts_by_name) {
  Array x = random(DType::F32, {32}, -50, 50), y = blank(DType::I32, {32}), z = blank(DType::F32, {32});
  run(kProgramsFile, "casts_by_name", {&x, &y, &z}, {.constants = {{"N", 32}}});
  expectEqual(y, [&](int64_t i) { return std::trunc(x[i]); });
  expectEqual(z, [](int64_t i) { return Number(i) / 4; });
}

TEST(Programs, map_elementwise) {
  Array x = random(DType::I32, {64}, -50, 50), y = random(DType::I32, {64}, -50, 50, 2), z = blank(DType::I32, {64});
  run(kCalls, "map_elementwise", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectEqual(z, [&](int64_t i) { return x[i] > y[i] ? x[i] - y[i] : (x[i] + y[i]) * 2; });
}

TEST(Programs, map_elementwise_tuple) {
  Array x = random(DType::I32, {64}, -50, 50), y = blank(DType::I32, {64}), z = blank(DType::F32, {64});
  run(kCalls, "map_to_two", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return x[i] + 1; });
  expectEqual(z, [&](int64_t i) { return x[i] * 2; });
}

TEST(Programs, map_elementwise_pack) {
  Array x = random(DType::I32, {64}, -50, 50), y = blank(DType::I32, {64});
  run(kCalls, "map_packed", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return x[i ^ 1]; });
}

TEST(Programs, to_tensor) {
  Array y = blank(DType::F32, {1});
  run(kProgramsFile, "to_tensor", {&y});
  expectEqual(y, [](int64_t) { return Number(65.5); });
}

TEST(Programs, item) {
  Array x = iota(DType::F32, {16}), y = blank(DType::F32, {1});
  run(kProgramsFile, "item", {&x, &y}, {.constants = {{"N", 16}}});
  expectEqual(y, [](int64_t) { return 120; });
}

TEST(Programs, methods) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  run(kProgramsFile, "methods", {&x, &y}, {.constants = {{"N", 32}}});
  Number sum = 0, greatest = -kInf;
  for (Number v : x.values) {
    sum += v;
    greatest = std::max(greatest, v);
  }
  expectNear(
      y,
      [&](int64_t i) {
        int64_t source = i % 8 * 4 + i / 8; // an 8 x 4 tile transposed
        return std::sqrt(std::abs(x[source])) + sum + greatest + 32 + 32;
      },
      1e-5, 1e-4);
}

} // namespace

} // namespace tegula::conformance
