// Tensor descriptors from the host and made in the kernel.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kDescriptorsFile = "descriptors.py";

TEST(Descriptors, host_descriptor) {
  Array x = random(DType::F32, {16, 32}), y = blank(DType::F32, {8, 16});
  run(kDescriptorsFile, "host_descriptor", {Described{&x, {8, 16}}, Described{&y, {8, 16}}},
      {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return 2 * x[(8 + i / 16) * 32 + 16 + i % 16]; });
}

TEST(Descriptors, elements_outside_read_zero) {
  Array x = random(DType::F16, {10, 24}), y = blank(DType::F16, {8, 16});
  run(kDescriptorsFile, "outside", {Described{&x, {8, 16}}, &y, int64_t(-3), int64_t(15)},
      {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) {
    int64_t row = i / 16 - 3, column = i % 16 + 15;
    return row >= 0 && row < 10 && column < 24 ? x[row * 24 + column] : 0;
  });
}

TEST(Descriptors, host_nan_padding) {
  Array x = random(DType::F32, {4, 12}), y = blank(DType::F32, {8, 16});
  run(kDescriptorsFile, "outside", {Described{&x, {8, 16}, true}, &y, int64_t(0), int64_t(0)},
      {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return i / 16 < 4 && i % 16 < 12 ? x[i / 16 * 12 + i % 16] : kNan; });
}

TEST(Descriptors, elements_outside_are_not_written) {
  Array x = random(DType::F32, {8, 16}), y = blank(DType::F32, {10, 24});
  run(kDescriptorsFile, "store_outside", {&x, Described{&y, {8, 16}}, int64_t(6), int64_t(-4)},
      {.constants = {{"M", 8}, {"N", 16}}, .checked = true});
  expectEqual(y, [&](int64_t i) {
    int64_t row = i / 24 - 6, column = i % 24 + 4;
    return row >= 0 && row < 8 && column < 16 ? x[row * 16 + column] : 77;
  });
}

// Checked pointers say in their upper bits which buffer they belong to; no stride carries into another buffer's.
TEST(Descriptors, far_strides_fault_in_checked_mode) {
  for (int64_t stride : {-(int64_t(1) << 46), int64_t(1) << 46, -(int64_t(1) << 45), int64_t(1) << 45}) {
    Array x = blank(DType::F32, {16}), other = blank(DType::F32, {16});
    try {
      run(kDescriptorsFile, "far_stride", {&x, &other, int64_t(1), stride}, {.checked = true});
      FAIL() << "a row that is " << stride << " elements away was written";
    } catch (const ApiError &error) {
      EXPECT_EQ(error.kind(), ApiError::Kind::KernelFault) << error.what();
    }
  }
}

TEST(Descriptors, made_in_kernel) {
  Array x = random(DType::F32, {20, 44}), y = blank(DType::F32, {20, 44});
  run(kDescriptorsFile, "made_in_kernel", {&x, &y, int64_t(20), int64_t(44)},
      {.constants = {{"M", 8}, {"N", 16}}, .grid = {3, 3}});
  expectEqual(y, [&](int64_t i) { return std::abs(x[i]); });
}

TEST(Descriptors, functions) {
  Array x = random(DType::F32, {8, 16}), y = blank(DType::F32, {8, 16});
  run(kDescriptorsFile, "functions", {Described{&x, {8, 16}}, Described{&y, {8, 16}}},
      {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return x[i] + 1; });
}

TEST(Descriptors, attributes) {
  Array x = random(DType::F32, {20, 44}), y = blank(DType::I64, {2});
  run(kDescriptorsFile, "attributes", {&x, &y, int64_t(20), int64_t(44)}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [](int64_t i) { return i == 0 ? 20044 : 44; });
}

TEST(Descriptors, nan_padding) {
  Array x = random(DType::F32, {4, 12}), y = blank(DType::F32, {8, 16});
  run(kDescriptorsFile, "nan_padding", {&x, &y, int64_t(4), int64_t(12)}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return i / 16 < 4 && i % 16 < 12 ? x[i / 16 * 12 + i % 16] : kNan; });
}

TEST(Descriptors, gather) {
  Array x = random(DType::F16, {32, 40}), rows = random(DType::I32, {16}, 0, 31), y = blank(DType::F16, {16, 16});
  run(kDescriptorsFile, "gather", {Described{&x, {1, 16}}, &rows, &y, int64_t(8)},
      {.constants = {{"ROWS", 16}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return x[static_cast<int64_t>(rows[i / 16]) * 40 + 8 + i % 16]; });
}

TEST(Descriptors, scatter) {
  Array x = random(DType::F32, {8, 16}), rows = of(DType::I32, {7, 3, 0, 12, 9, 1, 15, 4}),
        y = blank(DType::F32, {16, 32});
  run(kDescriptorsFile, "scatter", {&x, &rows, Described{&y, {1, 16}}, int64_t(24)},
      {.constants = {{"ROWS", 8}, {"N", 16}}});
  Array expected = blank(DType::F32, {16, 32});
  for (int64_t r = 0; r < 8; ++r)
    for (int64_t c = 0; c < 8; ++c) // columns past 32 do not exist
      expected.values[static_cast<size_t>(rows[r]) * 32 + 24 + static_cast<size_t>(c)] = x[r * 16 + c];
  expectEqual(y, [&](int64_t i) { return expected[i]; });
}

TEST(Descriptors, atomics) {
  Array x = random(DType::I32, {4, 8, 8}, -100, 100);
  Array sum = of(DType::I32, std::vector<Number>(64, 0)), least = sum, greatest = sum;
  for (Array *a : {&sum, &least, &greatest})
    a->shape = {8, 8};
  run(kDescriptorsFile, "atomics",
      {&x, Described{&sum, {8, 8}}, Described{&least, {8, 8}}, Described{&greatest, {8, 8}}},
      {.constants = {{"M", 8}, {"N", 8}}, .grid = {4}});
  auto fold = [&](int64_t i, const std::function<Number(Number, Number)> &f) {
    Number value = 0;
    for (int64_t p = 0; p < 4; ++p)
      value = f(value, x[p * 64 + i]);
    return value;
  };
  expectEqual(sum, [&](int64_t i) { return fold(i, [](Number a, Number b) { return a + b; }); });
  expectEqual(least, [&](int64_t i) { return fold(i, [](Number a, Number b) { return std::min(a, b); }); });
  expectEqual(greatest, [&](int64_t i) { return fold(i, [](Number a, Number b) { return std::max(a, b); }); });
}

TEST(Descriptors, bit_atomics) {
  Array x = random(DType::U32, {3, 8, 8}, 0, 1000000), all = random(DType::U32, {8, 8}, 0, 1000000, 2), any = all,
        odd = all, before = all;
  run(kDescriptorsFile, "bit_atomics", {&x, Described{&all, {8, 8}}, Described{&any, {8, 8}}, Described{&odd, {8, 8}}},
      {.constants = {{"M", 8}, {"N", 8}}, .grid = {3}});
  auto bits = [&](Number v) { return static_cast<uint64_t>(v); };
  expectEqual(all, [&](int64_t i) { return bits(before[i]) & bits(x[i]) & bits(x[64 + i]) & bits(x[128 + i]); });
  expectEqual(any, [&](int64_t i) { return bits(before[i]) | bits(x[i]) | bits(x[64 + i]) | bits(x[128 + i]); });
  expectEqual(odd, [&](int64_t i) { return bits(before[i]) ^ bits(x[i]) ^ bits(x[64 + i]) ^ bits(x[128 + i]); });
}

} // namespace

} // namespace tegula::conformance
