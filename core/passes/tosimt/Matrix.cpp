// Products by matrix instructions: both operands in shared memory, each warp multiplies fragments for its own part of
// the result.
#include "core/passes/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

/// Instructions that are written out one after another; more become a loop over the depth.
constexpr int64_t kMaxUnrolled = 64;

} // namespace

LogicalResult Lowering::lowerMatrixDot(tile::DotOp op) {
  FragmentProduct product = *parseFragmentProduct(cast<StringAttr>(op->getAttr(simt::kInstructionAttr)).getValue());
  Value a = op.getA(), b = op.getB();
  Fragments fragments = fragmentsOf(op);
  Type element = elementOf(get(a));
  ArrayRef<int64_t> shape = shapeOf(op), aShape = shapeOf(a), bShape = shapeOf(b);
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  int64_t batch = rank == 3 ? shape[0] : 1, depth = std::max(aShape[column], product.k);
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(shape);
  int64_t entries = rank == 3 ? grid[0] : 1, rows = grid[row], columns = grid[column];

  // As much of the depth at a time as shared memory holds.
  int64_t part = depth;
  int64_t idle = 2 * threads() * 16; // where registers of other parts go
  while (part > product.k && tile::operandBytes(op, product, part) + (part < depth ? idle : 0) > options_.sharedBytes)
    part /= 2;
  auto staging = [&](Value operand, unsigned depthAxis, int64_t m, int64_t n) {
    SmallVector<PartBits> parts;
    if (part < depth)
      parts.push_back({depthAxis, llvm::Log2_64(part), llvm::Log2_64(depth)});
    SmallVector<int64_t> extents = {m, n};
    if (rank == 3)
      extents.insert(extents.begin(), batch);
    return stagingOf(layoutOf(operand), shapeOf(operand), extents, parts, element);
  };
  int64_t m = std::max(shape[row], product.m), n = std::max(shape[column], product.n);
  Staging left = staging(a, column, m, part), right = staging(b, row, part, n);
  bool isDeepEnough = aShape[column] >= product.k;
  bool isLeftPadded = !isDeepEnough || aShape[row] < product.m,
       isRightPadded = !isDeepEnough || bShape[column] < product.n;

  // Where this warp's part of an operand begins, and the steps from fragment to fragment.
  SmallVector<Value, 3> block = blockOfWarp(fragments);
  struct Operand {
    Type type;
    bool byColumns;
    int64_t stride, entryStep, tileStep, depthStep;
    Value start, buffer;
  };
  auto operandOf = [&](const Staging &of, unsigned axis, int64_t size, int64_t count, simt::FragmentUse use) {
    bool byColumns = of.fast == row, isLeft = use == simt::FragmentUse::A;
    int64_t step = axis == of.fast ? 1 : of.stride, deep = axis == of.fast ? of.stride : 1;
    Operand operand{simt::FragmentType::get(b_.getContext(), isLeft ? product.m : product.k,
                                            isLeft ? product.k : product.n, element, use),
                    byColumns,
                    of.stride,
                    of.matrix,
                    size * step,
                    deep,
                    {},
                    {}};
    operand.start = b_.create<arith::MulIOp>(location_, block[axis], constant(count * size * step));
    if (rank == 3 && entries * fragments.getWarps()[0] > 1)
      operand.start = b_.create<arith::AddIOp>(
          location_, operand.start, b_.create<arith::MulIOp>(location_, block[0], constant(entries * of.matrix)));
    return operand;
  };
  Operand lefts = operandOf(left, row, product.m, rows, simt::FragmentUse::A);
  Operand rights = operandOf(right, column, product.n, columns, simt::FragmentUse::B);
  auto load = [&](const Operand &operand, int64_t entry, int64_t number, Value k) {
    Value offset = b_.create<arith::MulIOp>(location_, k, constant(operand.depthStep));
    offset = b_.create<arith::AddIOp>(location_, operand.start, offset);
    offset =
        b_.create<arith::AddIOp>(location_, offset, constant(entry * operand.entryStep + number * operand.tileStep));
    return fragmentLoad(operand.buffer, operand.byColumns, offset, operand.stride, operand.type);
  };
  // One step of the depth: a fragment of B is used for all rows while it is there.
  auto multiply = [&](Values sums, Value k) {
    for (int64_t entry = 0; entry < entries; ++entry) {
      SmallVector<Value> ofRows;
      for (int64_t i = 0; i < rows; ++i)
        ofRows.push_back(load(lefts, entry, i, k));
      for (int64_t j = 0; j < columns; ++j) {
        Value ofColumn = load(rights, entry, j, k);
        for (int64_t i = 0; i < rows; ++i) {
          Value &sum = sums[(entry * rows + i) * columns + j];
          sum = b_.create<simt::FragmentMmaOp>(location_, ofRows[i], ofColumn, sum);
        }
      }
    }
    return sums;
  };

  Values sums = values_.at(op.getC());
  for (int64_t number = 0; number < depth / part; ++number) {
    lefts.buffer = stagePart(get(a), left, number, isLeftPadded);
    rights.buffer = stagePart(get(b), right, number, isRightPadded);
    int64_t steps = part / product.k;
    if (steps == 1 || steps * int64_t(sums.size()) <= kMaxUnrolled) {
      for (int64_t step = 0; step < steps; ++step)
        sums = multiply(sums, constant(step * product.k));
      continue;
    }
    auto loop = b_.create<scf::ForOp>(location_, constant(0), constant(part), constant(product.k), sums);
    loop->setAttr(simt::kUniformAttr, b_.getUnitAttr());
    sums = Values(loop.getResults());
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    b_.create<scf::YieldOp>(location_, multiply(Values(loop.getRegionIterArgs()), loop.getInductionVar()));
  }
  values_[op] = sums;
  return success();
}

} // namespace tegula::tosimt
