// Products by matrix instructions on opaque fragments. Each warp computes its own part of the result, fragment by
// fragment. An operand is in a shared buffer, in global memory, or already in fragments.
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

LogicalResult Lowering::checkAligned(tile::LoadStridedOp op, int64_t line) {
  auto isAligned = [&](const tile::AxisView &view) {
    return tile::areLinesAligned(view, op.getBase(), op.getStride(), line);
  };
  if (!axes_.use(isAligned))
    return op.emitOpError("has lines that are no longer known to begin at multiples of 16 bytes");
  return success();
}

Value Lowering::fragmentOfMatrix(Value base, Value stride, bool byColumns, Value row, Value column, Type type) {
  Value line = toWidth(byColumns ? column : row, 64), within = toWidth(byColumns ? row : column, 64);
  Value offset = arith::MulIOp::create(b_, location_, line, stride);
  offset = arith::AddIOp::create(b_, location_, offset, within);
  Value from = tile::AddPtrOp::create(b_, location_, base, offset);
  return fragmentLoad(from, byColumns, constant(0), toWidth(stride, 32), type);
}

namespace {

/// A matrix, or a batch of matrices, in a shared buffer of padded lines. Neighbouring lines may not be adjacent in
/// memory (transposedBuffer).
class MatrixInBuffer {
public:
  unsigned fast;    // the axis along a line
  int64_t elements; // from matrix to matrix of the batch

  explicit MatrixInBuffer(simt::SharedType buffer) : layout_(buffer.getTileLayout()) {
    ArrayRef<int64_t> extents = buffer.getTileShape();
    unsigned rank = extents.size(), last = rank - 1;
    fast = layout_.getBasis(0)[last] == 1 ? last : last - 1;
    across_ = fast == last ? last - 1 : last;
    elements = layout_.getPadded(extents[last] * extents[last - 1]);
  }
  /// The distance in memory from a line to the line that is `lines`, a power of two, further; nothing if there is no
  /// such line.
  std::optional<int64_t> step(int64_t lines) const {
    for (unsigned bit = 0; bit < layout_.getBits(); ++bit)
      if (layout_.getBasis(bit)[across_] == lines)
        return layout_.getPadded(int64_t(1) << bit);
    return std::nullopt;
  }
  /// Whether one stride describes each aligned group of `lines` lines, and another stride the distance of the groups.
  bool hasLines(int64_t lines) const {
    for (unsigned bit = 0; bit < layout_.getBits(); ++bit)
      if (llvm::count_if(layout_.getBasis(bit), [](int64_t step) { return step != 0; }) != 1)
        return false; // swizzled
    auto follow = [&](int64_t first, int64_t end) {
      for (int64_t each = first; each < end && step(each); each *= 2)
        if (*step(each) != *step(first) * (each / first))
          return false;
      return true;
    };
    return follow(1, lines) && follow(lines, std::numeric_limits<int64_t>::max());
  }

private:
  layout_ir::SharedAttr layout_;
  unsigned across_;
};

/// One operand of a product: the fragments of a warp. They either exist already (`held`), or the product loads them
/// from a matrix in memory. In the latter case the members give the place of the first fragment and the distances, in
/// elements, to the next fragment: in the next matrix of a batch, in the next tile of the result, in the next step
/// along the depth.
struct Operand {
  simt::FragmentType type;
  Values held = {};              // in fragments already
  tile::LoadStridedOp load = {}; // in global memory
  Value memory, stride;          // a pointer or a shared buffer
  bool byColumns = false;
  int64_t entryStep = 0, tileStep = 0, depthStep = 0;
  Value start;
};

} // namespace

LogicalResult Lowering::lowerMatrixDot(tile::DotOp op) {
  simt::InstructionAttr product = simt::instructionOf(op);
  auto inMemory = [](Value operand) { return operand.getDefiningOp<tile::LoadStridedOp>(); };
  for (auto [operand, rows, columns] :
       {std::tuple(op.getA(), product.getM(), product.getK()), std::tuple(op.getB(), product.getK(), product.getN())})
    if (auto load = inMemory(operand); load && failed(checkAligned(load, load.getColumns() ? rows : columns)))
      return failure();
  for (Value operand : {op.getA(), op.getB()}) {
    Operation *from = operand.getDefiningOp();
    if (!isInFragments(operand) && !(from && isMatrixInMemory(from)))
      return op->emitOpError("expected operands in fragments or in memory (tile-stage-operands)");
    int64_t lines = operand == op.getA() ? product.getM() : product.getN();
    if (auto load = dyn_cast_if_present<simt::SharedLoadOp>(from);
        load && !MatrixInBuffer(load.getSrc().getType()).hasLines(lines))
      return op->emitOpError() << "expected an operand in padded lines, found " << load.getSrc().getType();
  }
  Fragments fragments = fragmentsOf(op);
  ArrayRef<int64_t> shape = shapeOf(op);
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  int64_t depth = std::max(shapeOf(op.getA())[column], product.getK());
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(shape);
  int64_t entries = rank == 3 ? grid[0] : 1, rows = grid[row], columns = grid[column];
  SmallVector<Value, 3> block = blockOfWarp(fragments);

  auto multiplied = [&](Value value, int64_t by) { return arith::MulIOp::create(b_, location_, value, constant(by)); };
  auto operandOf = [&](Value value, simt::FragmentUse use) {
    bool isLeft = use == simt::FragmentUse::A;
    unsigned axis = isLeft ? row : column;
    int64_t size = isLeft ? product.getM() : product.getN(), count = isLeft ? rows : columns;
    SmallVector<int64_t, 2> extents = isLeft ? product.getShapeOfA() : product.getShapeOfB();
    Operand operand;
    operand.type = simt::FragmentType::get(b_.getContext(), extents[0], extents[1], elementOf(value), use);
    if (isInFragments(value)) {
      operand.held = values_.at(value);
      return operand;
    }
    if ((operand.load = inMemory(value))) {
      operand.start = multiplied(block[axis], count * size);
      operand.byColumns = operand.load.getColumns();
      operand.tileStep = size;
      operand.memory = get(operand.load.getBase());
      operand.stride = get(operand.load.getStride());
      return operand;
    }
    operand.memory = get(value.getDefiningOp<simt::SharedLoadOp>().getSrc());
    MatrixInBuffer matrix(cast<simt::SharedType>(operand.memory.getType()));
    int64_t stride = matrix.step(1).value_or(0); // a matrix with a single line has no stride
    operand.stride = constant(stride);
    operand.byColumns = matrix.fast == row;
    operand.entryStep = matrix.elements;
    operand.tileStep = axis == matrix.fast ? size : matrix.step(size).value_or(0);
    operand.depthStep = axis == matrix.fast ? stride : 1;
    operand.start = multiplied(block[axis], count * operand.tileStep);
    if (rank == 3 && entries * fragments.getWarps()[0] > 1)
      operand.start =
          arith::AddIOp::create(b_, location_, operand.start, multiplied(block[0], entries * matrix.elements));
    return operand;
  };
  Operand lefts = operandOf(op.getA(), simt::FragmentUse::A), rights = operandOf(op.getB(), simt::FragmentUse::B);
  // Returns a fragment of an operand: one that exists already, or one that is loaded. `k`: the position along the
  // depth. `step`: the fragment's number along the depth, for operands that are already in fragments.
  auto load = [&](const Operand &operand, int64_t entry, int64_t number, Value k, int64_t step) -> Value {
    if (!operand.held.empty())
      return operand.held[number * (depth / product.getK()) + step];
    if (operand.load) {
      Value at = arith::AddIOp::create(b_, location_, operand.start, constant(number * operand.tileStep));
      bool isLeft = operand.type.getUse() == simt::FragmentUse::A;
      return fragmentOfMatrix(operand.memory, operand.stride, operand.byColumns, isLeft ? at : k, isLeft ? k : at,
                              operand.type);
    }
    Value offset = arith::AddIOp::create(b_, location_, operand.start, multiplied(k, operand.depthStep));
    offset =
        arith::AddIOp::create(b_, location_, offset, constant(entry * operand.entryStep + number * operand.tileStep));
    return fragmentLoad(operand.memory, operand.byColumns, offset, operand.stride, operand.type);
  };
  // Emits the products of one step along the depth. A fragment of B is loaded once and multiplied with the fragments of
  // all rows of A.
  auto multiply = [&](Values sums, Value k, int64_t step = -1) {
    for (int64_t entry = 0; entry < entries; ++entry) {
      SmallVector<Value> ofRows;
      for (int64_t i = 0; i < rows; ++i)
        ofRows.push_back(load(lefts, entry, i, k, step));
      for (int64_t j = 0; j < columns; ++j) {
        Value ofColumn = load(rights, entry, j, k, step);
        for (int64_t i = 0; i < rows; ++i) {
          Value &sum = sums[(entry * rows + i) * columns + j];
          sum = simt::FragmentMmaOp::create(b_, location_, ofRows[i], ofColumn, sum);
        }
      }
    }
    return sums;
  };

  Values sums = values_.at(op.getC());
  int64_t steps = depth / product.getK();
  const TargetPolicies &policies = target_.policies;
  bool isFromMemory = lefts.load || rights.load;
  bool isShort =
      steps * int64_t(sums.size()) <= (isFromMemory ? policies.unrolledFromMemory : policies.unrolledInstructions);
  if (steps == 1 || isShort || !lefts.held.empty()) {
    for (int64_t step = 0; step < steps; ++step)
      sums = multiply(sums, constant(step * product.getK()), step);
  } else {
    auto loop = scf::ForOp::create(b_, location_, constant(0), constant(depth), constant(product.getK()), sums);
    loop->setAttr(simt::kUniformAttr, b_.getUnitAttr());
    sums = Values(loop.getResults());
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b_, location_, multiply(Values(loop.getRegionIterArgs()), loop.getInductionVar()));
  }
  values_[op] = sums;
  return success();
}

} // namespace tegula::tosimt
