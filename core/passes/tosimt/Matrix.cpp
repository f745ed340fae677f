// Products by matrix instructions. Each warp computes its own part of the result, fragment by fragment. An operand is
// staged in shared memory, read straight from global memory, or in fragments already.
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

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
  Value offset = b_.create<arith::MulIOp>(location_, line, stride);
  offset = b_.create<arith::AddIOp>(location_, offset, within);
  Value from = b_.create<tile::AddPtrOp>(location_, base, offset);
  return fragmentLoad(from, byColumns, constant(0), toWidth(stride, 32), type);
}

LogicalResult Lowering::lowerMatrixDot(tile::DotOp op) {
  simt::InstructionAttr product = simt::instructionOf(op);
  Value a = op.getA(), b = op.getB();
  auto inMemory = [](Value operand) { return operand.getDefiningOp<tile::LoadStridedOp>(); };
  if (auto load = inMemory(a); load && failed(checkAligned(load, load.getColumns() ? product.getM() : product.getK())))
    return failure();
  if (auto load = inMemory(b); load && failed(checkAligned(load, load.getColumns() ? product.getK() : product.getN())))
    return failure();
  Fragments fragments = fragmentsOf(op);
  Type element = elementOf(a);
  ArrayRef<int64_t> shape = shapeOf(op), aShape = shapeOf(a), bShape = shapeOf(b);
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  int64_t batch = rank == 3 ? shape[0] : 1, depth = std::max(aShape[column], product.getK());
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(shape);
  int64_t entries = rank == 3 ? grid[0] : 1, rows = grid[row], columns = grid[column];

  // If shared memory cannot hold the staged operands, it holds `part` of the depth at a time.
  int64_t part = depth;
  int64_t idle = 2 * threads() * 16; // dummy slots of 16 bytes for both operands; see stagePart
  bool isLeftStaged = !inMemory(a) && !isInFragments(a), isRightStaged = !inMemory(b);
  auto stagedBytes = [&] {
    return (isLeftStaged ? tile::leftBytes(op, product, part) : 0) +
           (isRightStaged ? tile::rightBytes(op, product, part) : 0) + (part < depth ? idle : 0);
  };
  while ((isLeftStaged || isRightStaged) && part > product.getK() && stagedBytes() > options_.sharedBytes)
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
  int64_t m = std::max(shape[row], product.getM()), n = std::max(shape[column], product.getN());
  bool isDeepEnough = aShape[column] >= product.getK();
  SmallVector<Value, 3> block = blockOfWarp(fragments);

  // Where this warp's fragments of an operand come from: exactly one of `memory`, `held` and `isStaged` is set. The
  // others say where the first fragment begins and the steps, in elements, to the next fragment along each axis.
  struct Operand {
    Value value;
    simt::FragmentType type;
    tile::LoadStridedOp memory; // in global memory
    Values held = {};           // in fragments already
    bool isStaged = false;      // in shared memory
    Staging staging = {};
    bool byColumns = false, isPadded = false;
    int64_t entryStep = 0, tileStep = 0, depthStep = 0;
    Value start, buffer, stride;
  };
  auto multiplied = [&](Value value, int64_t by) { return b_.create<arith::MulIOp>(location_, value, constant(by)); };
  auto operandOf = [&](Value value, simt::FragmentUse use) {
    bool isLeft = use == simt::FragmentUse::A;
    unsigned axis = isLeft ? row : column;
    int64_t size = isLeft ? product.getM() : product.getN(), count = isLeft ? rows : columns;
    Operand operand;
    operand.value = value;
    operand.type = simt::FragmentType::get(b_.getContext(), isLeft ? product.getM() : product.getK(),
                                           isLeft ? product.getK() : product.getN(), element, use);
    operand.memory = inMemory(value);
    operand.isStaged = isLeft ? isLeftStaged : isRightStaged;
    if (isInFragments(value)) {
      operand.held = values_.at(value);
      return operand;
    }
    operand.start = multiplied(block[axis], count * size);
    if (operand.memory) {
      operand.byColumns = operand.memory.getColumns();
      operand.tileStep = size;
      operand.buffer = get(operand.memory.getBase());
      operand.stride = get(operand.memory.getStride());
      return operand;
    }
    operand.staging = isLeft ? staging(value, column, m, part) : staging(value, row, part, n);
    const Staging &of = operand.staging;
    operand.byColumns = of.fast == row;
    operand.isPadded = !isDeepEnough || (isLeft ? aShape[row] < product.getM() : bShape[column] < product.getN());
    int64_t step = axis == of.fast ? 1 : of.stride;
    operand.entryStep = of.matrix;
    operand.tileStep = size * step;
    operand.depthStep = axis == of.fast ? of.stride : 1;
    operand.start = multiplied(operand.start, step);
    if (rank == 3 && entries * fragments.getWarps()[0] > 1)
      operand.start = b_.create<arith::AddIOp>(location_, operand.start, multiplied(block[0], entries * of.matrix));
    return operand;
  };
  Operand lefts = operandOf(a, simt::FragmentUse::A), rights = operandOf(b, simt::FragmentUse::B);
  int64_t done = 0; // the depth of the parts before
  // `k` is the position along the depth within a part; `step` the fragment's number along the whole depth, for operands
  // that are in fragments already.
  auto load = [&](const Operand &operand, int64_t entry, int64_t number, Value k, int64_t step) -> Value {
    if (!operand.held.empty())
      return operand.held[number * (depth / product.getK()) + step];
    if (operand.memory) {
      k = b_.create<arith::AddIOp>(location_, k, constant(done));
      Value at = b_.create<arith::AddIOp>(location_, operand.start, constant(number * operand.tileStep));
      bool isLeft = operand.type.getUse() == simt::FragmentUse::A;
      return fragmentOfMatrix(operand.buffer, operand.stride, operand.byColumns, isLeft ? at : k, isLeft ? k : at,
                              operand.type);
    }
    Value offset = b_.create<arith::AddIOp>(location_, operand.start, multiplied(k, operand.depthStep));
    offset =
        b_.create<arith::AddIOp>(location_, offset, constant(entry * operand.entryStep + number * operand.tileStep));
    return fragmentLoad(operand.buffer, operand.byColumns, offset, constant(operand.staging.stride), operand.type);
  };
  // The products of one step of the depth. A fragment of B is loaded once and multiplied with the fragments of all
  // rows.
  auto multiply = [&](Values sums, Value k, int64_t step = -1) {
    for (int64_t entry = 0; entry < entries; ++entry) {
      SmallVector<Value> ofRows;
      for (int64_t i = 0; i < rows; ++i)
        ofRows.push_back(load(lefts, entry, i, k, step));
      for (int64_t j = 0; j < columns; ++j) {
        Value ofColumn = load(rights, entry, j, k, step);
        for (int64_t i = 0; i < rows; ++i) {
          Value &sum = sums[(entry * rows + i) * columns + j];
          sum = b_.create<simt::FragmentMmaOp>(location_, ofRows[i], ofColumn, sum);
        }
      }
    }
    return sums;
  };

  Values sums = values_.at(op.getC());
  for (int64_t number = 0; number < depth / part; ++number, done += part) {
    for (Operand *operand : {&lefts, &rights})
      if (operand->isStaged)
        operand->buffer = stagePart(get(operand->value), operand->staging, number, operand->isPadded);
    int64_t steps = part / product.getK();
    bool isFromMemory = lefts.memory || rights.memory;
    bool isShort = steps * int64_t(sums.size()) <= (isFromMemory ? options_.target.policies.unrolledFromMemory
                                                                 : options_.target.policies.unrolledInstructions);
    if (steps == 1 || isShort || !lefts.held.empty()) {
      for (int64_t step = 0; step < steps; ++step)
        sums = multiply(sums, constant(step * product.getK()), done / product.getK() + step);
      continue;
    }
    auto loop = b_.create<scf::ForOp>(location_, constant(0), constant(part), constant(product.getK()), sums);
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
