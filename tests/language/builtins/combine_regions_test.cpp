// Backends recognise common reductions and scans by their region: one arith op on the two arguments, and a yield.
#include "EmitKernel.h"

#include <gtest/gtest.h>

namespace tegula::lang {

namespace {

struct Row {
  const char *name;
  const char *call; // applied to x, a tile of `type` [64]
  ScalarType type;
  const char *operation;
  const char *element; // the region's element type
};

class CombineRegion : public testing::TestWithParam<Row> {};

TEST_P(CombineRegion, is_one_operation) {
  const Row &row = GetParam();
  TileContext tile;
  auto module = emitKernel(tile.context,
                           std::string("import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(p):\n"
                                       "    x = tl.load(p + tl.arange(0, 64))\n    y = ") +
                               row.call + "\n",
                           {pointerTo(row.type)});
  int regions = 0;
  module->walk([&](mlir::Operation *op) {
    if (!mlir::isa<tile::ReduceOp, tile::ScanOp>(op))
      return;
    ++regions;
    mlir::Block &block = op->getRegion(0).front();
    ASSERT_EQ(std::distance(block.begin(), block.end()), 2) << "more than one operation in the region";
    mlir::Operation &combine = block.front();
    EXPECT_EQ(combine.getName().getStringRef().str(), row.operation);
    EXPECT_EQ(combine.getOperand(0), block.getArgument(0));
    EXPECT_EQ(combine.getOperand(1), block.getArgument(1));
    std::string type;
    llvm::raw_string_ostream(type) << combine.getResult(0).getType();
    EXPECT_EQ(type, row.element);
  });
  EXPECT_EQ(regions, 1);
}

constexpr Row kRows[] = {
    {"sum_f32", "tl.sum(x)", ScalarType::F32, "arith.addf", "f32"},
    {"sum_f16", "tl.sum(x, 0)", ScalarType::F16, "arith.addf", "f32"}, // accumulates in f32
    {"sum_bf16", "tl.sum(x, 0)", ScalarType::BF16, "arith.addf", "f32"},
    {"sum_f64", "tl.sum(x, 0)", ScalarType::F64, "arith.addf", "f64"},
    {"sum_i8", "tl.sum(x, 0)", ScalarType::I8, "arith.addi", "i32"},
    {"sum_i64", "tl.sum(x, 0)", ScalarType::I64, "arith.addi", "i64"},
    {"max_f32", "tl.max(x, 0)", ScalarType::F32, "arith.maxnumf", "f32"},
    {"max_f16", "tl.max(x, 0)", ScalarType::F16, "arith.maxnumf", "f32"},
    {"min_f32", "tl.min(x, 0)", ScalarType::F32, "arith.minnumf", "f32"},
    {"max_i32", "tl.max(x, 0)", ScalarType::I32, "arith.maxsi", "i32"},
    {"max_u32", "tl.max(x, 0)", ScalarType::U32, "arith.maxui", "i32"},
    {"min_u64", "tl.min(x, 0)", ScalarType::U64, "arith.minui", "i64"},
    {"xor_i32", "tl.xor_sum(x, 0)", ScalarType::I32, "arith.xori", "i32"},
    {"or_i8", "tl.reduce_or(x, 0)", ScalarType::I8, "arith.ori", "i8"},
    {"cumsum_f32", "tl.cumsum(x)", ScalarType::F32, "arith.addf", "f32"},
    {"cumsum_i8", "tl.cumsum(x)", ScalarType::I8, "arith.addi", "i32"},
    {"cumprod_f16", "tl.cumprod(x)", ScalarType::F16, "arith.mulf", "f32"},
};

INSTANTIATE_TEST_SUITE_P(Builtins, CombineRegion, testing::ValuesIn(kRows),
                         [](auto &info) { return std::string(info.param.name); });

/// Whether the only reduction of `call`, applied to x, a tile of f32 [8, 8], may combine elements in any order, and
/// whether it flattens x in any order.
struct Freedom {
  bool commutes = false, reorders = false;
  bool operator==(const Freedom &) const = default;
};
Freedom freedomOf(const std::string &call) {
  TileContext tile;
  auto module = emitKernel(tile.context,
                           "import triton\nimport triton.language as tl\n\n"
                           "@triton.jit\ndef add(a, b):\n    return b + a\n\n"
                           "@triton.jit\ndef last(a, b):\n    return b\n\n"
                           "@triton.jit\ndef first_of_equals(v, i, w, j):\n"
                           "    return tl.where(v >= w, v, w), tl.where(v >= w, i, j)\n\n"
                           "@triton.jit\ndef kernel(p):\n"
                           "    i = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]\n"
                           "    x = tl.load(p + i)\n    y = " +
                               call + "\n",
                           {pointerTo(ScalarType::F32)});
  Freedom result;
  module->walk([&](tile::ReduceOp op) { result.commutes = op.commutes(); });
  module->walk([&](tile::ReshapeOp op) { result.reorders |= op.getAllowReorder(); });
  return result;
}

TEST(OrderOfReductions, is_open_for_functions_that_commute) {
  EXPECT_EQ(freedomOf("tl.sum(x)"), (Freedom{true, true}));
  EXPECT_EQ(freedomOf("tl.reduce(x, None, add)"), (Freedom{true, true}));
  // Which of equal elements, or of a NaN and a number, is taken may depend on the order; the index may not.
  EXPECT_EQ(freedomOf("tl.argmax(x, 1)"), (Freedom{true, false}));
  EXPECT_EQ(freedomOf("tl.argmin(x, 0, tie_break_left=False)"), (Freedom{true, false}));
  EXPECT_EQ(freedomOf("tl.max(x, None, return_indices=True)"), (Freedom{true, false}));
}

TEST(OrderOfReductions, is_the_axis_for_other_functions) {
  EXPECT_EQ(freedomOf("tl.reduce(x, 1, last)"), (Freedom{false, false}));
  EXPECT_EQ(freedomOf("tl.reduce(x, None, last)"), (Freedom{false, false}));
  EXPECT_EQ(freedomOf("tl.reduce((x, i), 0, first_of_equals)"), (Freedom{false, false}));
}

} // namespace

} // namespace tegula::lang
