// Changes of shape.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kShapesFile = "shapes.py";

TEST(Shapes, broadcast) {
  Array x = iota(DType::I32, {4}, 1), y = iota(DType::I32, {8}), z = blank(DType::I32, {4, 8});
  run(kShapesFile, "broadcast", {&x, &y, &z}, {.constants = {{"M", 4}, {"N", 8}}});
  expectEqual(z, [](int64_t i) { return (1 + i / 8) * 100 + i % 8; });
}

TEST(Shapes, broadcast_to) {
  Array x = random(DType::F32, {8}), y = blank(DType::F32, {4, 8});
  run(kShapesFile, "broadcast_to", {&x, &y}, {.constants = {{"M", 4}, {"N", 8}}});
  expectEqual(y, [&](int64_t i) { return 2 * x[i % 8]; });
}

TEST(Shapes, expand_dims) {
  Array x = random(DType::F32, {8}), y = blank(DType::F32, {8});
  run(kShapesFile, "expand_dims", {&x, &y}, {.constants = {{"N", 8}}});
  expectEqual(y, [&](int64_t i) { return 2 * x[i]; });
}

TEST(Shapes, squeeze_unsqueeze) {
  Array x = random(DType::F32, {8}), y = blank(DType::F32, {8});
  run(kShapesFile, "squeeze_unsqueeze", {&x, &y}, {.constants = {{"N", 8}}});
  expectEqual(y, [&](int64_t i) { return x[i]; });
}

TEST(Shapes, reshape) {
  Array x = iota(DType::F32, {4, 8}), y = blank(DType::F32, {4, 8});
  run(kShapesFile, "reshape", {&x, &y}, {.constants = {{"M", 4}, {"N", 8}}});
  // The 8 x 4 view transposed, plus the tile itself.
  expectEqual(y, [&](int64_t i) { return (i % 8) * 4 + i / 8 + i; });
}

TEST(Shapes, view) {
  Array x = iota(DType::I32, {64}), y = blank(DType::I32, {1});
  run(kShapesFile, "view", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [](int64_t) { return 2016; });
}

TEST(Shapes, ravel) {
  Array x = random(DType::F32, {4, 8}), y = blank(DType::F32, {32});
  run(kShapesFile, "ravel", {&x, &y}, {.constants = {{"M", 4}, {"N", 8}}});
  expectEqual(y, [&](int64_t i) { return x[i]; });
}

TEST(Shapes, permute) {
  Array x = iota(DType::I32, {2, 4, 8}), y = blank(DType::I32, {8, 2, 4});
  run(kShapesFile, "permute", {&x, &y}, {.constants = {{"A", 2}, {"B", 4}, {"C", 8}}});
  expectEqual(y, [](int64_t i) {
    int64_t c = i / 8, a = i / 4 % 2, b = i % 4;
    return (a * 4 + b) * 8 + c;
  });
}

TEST(Shapes, trans) {
  Array x = iota(DType::I32, {4, 8}), y = blank(DType::I32, {8, 4}), z = blank(DType::I32, {4, 8});
  run(kShapesFile, "trans", {&x, &y, &z}, {.constants = {{"M", 4}, {"N", 8}}});
  expectEqual(y, [](int64_t i) { return i % 4 * 8 + i / 4; });
  expectEqual(z, [](int64_t i) { return 2 * i; });
}

TEST(Shapes, transpose_attribute) {
  Array x = iota(DType::F16, {8, 16}), y = blank(DType::F16, {16, 8});
  run(kShapesFile, "transpose_attribute", {&x, &y}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [](int64_t i) { return i % 8 * 16 + i / 8; });
}

TEST(Shapes, join) {
  Array x = iota(DType::I32, {8}), y = iota(DType::I32, {8}, 100), z = blank(DType::I32, {8, 2});
  run(kShapesFile, "join", {&x, &y, &z}, {.constants = {{"N", 8}}});
  expectEqual(z, [](int64_t i) { return i / 2 + i % 2 * 100; });
}

TEST(Shapes, join_scalars) {
  Array x = of(DType::F32, {3, 4}), z = blank(DType::F32, {2});
  run(kShapesFile, "join_scalars", {&x, &z});
  expectEqual(z, [](int64_t i) { return 3 + i; });
}

TEST(Shapes, split) {
  Array x = iota(DType::I32, {16}), y = blank(DType::I32, {8}), z = blank(DType::I32, {8});
  run(kShapesFile, "split", {&x, &y, &z}, {.constants = {{"N", 8}}});
  expectEqual(y, [](int64_t i) { return 2 * i; });
  expectEqual(z, [](int64_t i) { return 2 * i + 1; });
}

TEST(Shapes, split_to_scalars) {
  Array x = of(DType::I32, {9, 4}), y = blank(DType::I32, {1});
  run(kShapesFile, "split_to_scalars", {&x, &y});
  expectEqual(y, [](int64_t) { return 5; });
}

TEST(Shapes, interleave) {
  Array x = iota(DType::I32, {8}), y = iota(DType::I32, {8}, 100), z = blank(DType::I32, {16});
  run(kShapesFile, "interleave", {&x, &y, &z}, {.constants = {{"N", 8}}});
  expectEqual(z, [](int64_t i) { return i / 2 + i % 2 * 100; });
}

TEST(Shapes, reshape_to_scalar) {
  Array x = of(DType::I32, {41}), y = blank(DType::I32, {1});
  run(kShapesFile, "reshape_to_scalar", {&x, &y});
  expectEqual(y, [](int64_t) { return 42; });
}

TEST(Shapes, subscripts) {
  Array x = random(DType::F32, {4, 8}), y = blank(DType::F32, {4, 8});
  run(kShapesFile, "subscripts", {&x, &y}, {.constants = {{"M", 4}, {"N", 8}}});
  expectEqual(y, [&](int64_t i) { return 2 * x[i]; });
}

} // namespace

} // namespace tegula::conformance
