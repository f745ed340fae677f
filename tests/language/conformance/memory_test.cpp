// Loads, stores, pointers and block pointers.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kMemoryFile = "memory.py";

TEST(Memory, unmasked) {
  Array x = random(DType::F32, {64}), y = blank(DType::F32, {64});
  run(kMemoryFile, "unmasked", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return x[i]; });
}

TEST(Memory, masked) { // without 'other' the masked-off elements are zero
  Array x = random(DType::F32, {64}), y = blank(DType::F32, {64});
  run(kMemoryFile, "masked", {&x, &y, int64_t(37)}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return i < 37 ? x[i] : 0; });
}

TEST(Memory, masked_other) {
  Array x = random(DType::F32, {64}), y = blank(DType::F32, {64});
  run(kMemoryFile, "masked_other", {&x, &y, int64_t(37)}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return i < 37 ? x[i] : -kInf; });
}

TEST(Memory, masked_other_tile) {
  Array x = random(DType::F16, {64}), y = blank(DType::F16, {64});
  run(kMemoryFile, "masked_other_tile", {&x, &y, int64_t(10)}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return i < 10 ? x[i] : 2 * i; });
}

TEST(Memory, masked_store) {
  Array x = random(DType::F32, {64}), y = blank(DType::F32, {64});
  run(kMemoryFile, "masked_store", {&x, &y, int64_t(37)}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return i < 37 ? x[i] : 77; });
}

TEST(Memory, mask_broadcast) {
  Array x = random(DType::F32, {8, 16}), y = blank(DType::F32, {8, 16});
  run(kMemoryFile, "mask_broadcast", {&x, &y, int64_t(5), int64_t(11)}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return i % 16 >= 11 ? Number(77) : i / 16 < 5 ? x[i] : Number(-1); });
}

TEST(Memory, scalar_access) {
  Array x = of(DType::F32, {1, 2, 3}), y = blank(DType::F32, {2});
  run(kMemoryFile, "scalar_access", {&x, &y, int64_t(7)});
  expectEqual(y, [](int64_t i) { return i == 0 ? 8 : 77; });
}

TEST(Memory, store_casts) {
  for (DType type : {DType::F16, DType::BF16, DType::I32, DType::F8E4M3}) {
    Array x = random(DType::F16, {64}), y = blank(type, {64});
    run(kMemoryFile, "store_casts", {&x, &y}, {.constants = {{"N", 64}}});
    expectEqual(y, [&](int64_t i) { return type == DType::I32 ? std::trunc(x[i] * Number(1.5)) : x[i] * Number(1.5); });
  }
}

TEST(Memory, store_scalar) {
  Array y = blank(DType::F16, {32});
  run(kMemoryFile, "store_scalar", {&y}, {.constants = {{"N", 32}}});
  expectEqual(y, [](int64_t) { return 3; });
}

TEST(Memory, hints) {
  Array x = random(DType::I32, {64}), y = blank(DType::I32, {64});
  run(kMemoryFile, "hints", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return 4 * x[i]; });
}

TEST(Memory, pointer_arithmetic) {
  Array x = random(DType::F32, {100}), y = blank(DType::F32, {64});
  run(kMemoryFile, "pointer_arithmetic", {&x, &y, int64_t(20)}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return 2 * x[20 + i]; });
}

TEST(Memory, advancing) {
  Array x = random(DType::F32, {5 * 32}), y = blank(DType::F32, {32});
  run(kMemoryFile, "advancing", {&x, &y, int64_t(5)}, {.constants = {{"N", 32}}});
  expectNear(
      y,
      [&](int64_t i) {
        Number total = 0;
        for (int64_t k = 0; k < 5; ++k)
          total += x[k * 32 + i];
        return total;
      },
      1e-6, 1e-5);
}

TEST(Memory, strided) { // a transposed input: its strides are arguments
  Array x = random(DType::F32, {16, 8}), y = blank(DType::F32, {8, 16});
  run(kMemoryFile, "strided", {&x, &y, int64_t(1), int64_t(8)}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return x[i % 16 * 8 + i / 16]; });
}

TEST(Memory, non_contiguous_view) { // every second row and column of a larger array
  Array x = random(DType::F32, {16, 32}), y = blank(DType::F32, {8, 16});
  run(kMemoryFile, "strided", {Strided{&x, {8, 16}, {64, 2}}, &y, int64_t(64), int64_t(2)},
      {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return x[i / 16 * 64 + i % 16 * 2]; });
}

TEST(Memory, far_offsets) {
  Array x = iota(DType::F32, {8}), y = blank(DType::F32, {1});
  run(kMemoryFile, "far_offsets", {&x, &y, int64_t(2000000000)});
  expectEqual(y, [](int64_t) { return 3; });
}

TEST(Memory, booleans) {
  Array x = random(DType::I1, {64}, 0, 1), y = blank(DType::I1, {64}), z = blank(DType::F32, {64});
  run(kMemoryFile, "booleans", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return x[i]; });
  expectEqual(z, [&](int64_t i) { return x[i] != 0 ? 1 : -1; });
}

TEST(Memory, block_pointer) {
  Array x = random(DType::F32, {6, 9}), y = blank(DType::F32, {8, 8});
  run(kMemoryFile, "block_pointer", {&x, &y, int64_t(6), int64_t(9), int64_t(9), int64_t(1)},
      {.constants = {{"M", 8}, {"N", 8}}});
  expectEqual(y, [&](int64_t i) {
    int64_t row = i / 8 + 1, column = i % 8 + 2;
    return row < 6 && column < 9 ? x[row * 9 + column] : 0;
  });
}

TEST(Memory, block_pointer_nan) {
  Array x = random(DType::F16, {20}), y = blank(DType::F16, {32});
  run(kMemoryFile, "block_pointer_nan", {&x, &y, int64_t(20)}, {.constants = {{"N", 32}}});
  expectEqual(y, [&](int64_t i) { return i < 20 ? x[i] : kNan; });
}

TEST(Memory, block_pointer_store) {
  Array x = random(DType::F32, {8, 8}), y = blank(DType::F32, {5, 7});
  run(kMemoryFile, "block_pointer_store", {&x, &y, int64_t(5), int64_t(7)},
      {.constants = {{"M", 8}, {"N", 8}}, .checked = true});
  expectEqual(y, [&](int64_t i) { return x[i / 7 * 8 + i % 7]; });
}

TEST(Memory, advance) {
  Array x = random(DType::F32, {4, 20}), y = blank(DType::F32, {4, 8});
  run(kMemoryFile, "advance", {&x, &y, int64_t(20)}, {.constants = {{"M", 4}, {"K", 8}}});
  expectNear(
      y,
      [&](int64_t i) {
        Number total = 0;
        for (int64_t k = i % 8; k < 20; k += 8)
          total += x[i / 8 * 20 + k];
        return total;
      },
      1e-6, 1e-6);
}

} // namespace

} // namespace tegula::conformance
