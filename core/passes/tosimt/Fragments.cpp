// Tensors in fragments: conversions from and to distributed layouts, and the ops on fragments: elementwise ops,
// reductions of rows, broadcasts of rows and columns.
#include "core/passes/analysis/Uniform.h"
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

using layout_ir::FragmentsKind;

simt::FragmentType Lowering::fragmentType(Fragments fragments) {
  bool isOperand = fragments.getKind() == FragmentsKind::Operand;
  return simt::FragmentType::get(fragments.getContext(), fragments.getRows(), fragments.getColumns(),
                                 fragments.getElementType(),
                                 isOperand ? simt::FragmentUse::A : simt::FragmentUse::Accumulator);
}

Type Lowering::pieceType(Value planned) const {
  Fragments fragments = fragmentsOf(planned);
  if (fragments.getElementType() == elementOf(planned))
    return fragmentType(fragments);
  return VectorType::get({fragments.getRows() * fragments.getColumns() / warpSize_}, elementOf(planned));
}

Value Lowering::fragmentLoad(Value memory, bool byColumns, Value offset, Value stride, Type type) {
  auto order = byColumns ? simt::FragmentOrder::ColumnMajor : simt::FragmentOrder::RowMajor;
  return simt::FragmentLoadOp::create(b_, location_, type, order, memory, offset, stride);
}

SmallVector<Value, 3> Lowering::blockOfWarp(Fragments fragments) {
  SmallVector<Value, 3> block(fragments.getWarps().size());
  int64_t shift = 0;
  for (size_t axis = block.size(); axis-- > 0;) {
    int64_t count = fragments.getWarps()[axis];
    Value number = warp_;
    if (count == 1) {
      block[axis] = constant(0);
      continue;
    }
    if (shift)
      number = arith::ShRUIOp::create(b_, location_, number, constant(shift));
    block[axis] = arith::AndIOp::create(b_, location_, number, constant(count - 1));
    shift += llvm::Log2_64(count);
  }
  return block;
}

// --- elementwise ---

Value Lowering::elementsOfPiece(Value piece) {
  auto type = dyn_cast<simt::FragmentType>(piece.getType());
  if (!type)
    return piece;
  int64_t count = type.getRows() * type.getColumns() / warpSize_;
  if (auto fill = piece.getDefiningOp<simt::FragmentFillOp>())
    return splat(fill.getValue(), count);
  if (auto made = piece.getDefiningOp<simt::FragmentFromElementsOp>())
    return made.getSrc();
  return simt::FragmentElementsOp::create(b_, location_, vectorOf(count, type.getElementType()), piece);
}

Value Lowering::pieceOf(Value elements, Value planned) {
  Type type = pieceType(planned);
  return isa<VectorType>(type) ? elements : Value(simt::FragmentFromElementsOp::create(b_, location_, type, elements));
}

Values Lowering::elementwiseOnFragments(Operation *op) {
  Values result;
  for (size_t i = 0, count = typesOf(op->getResult(0)).size(); i < count; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isTensor(operand) ? elementsOfPiece(values_.at(operand)[i]) : get(operand));
    result.push_back(pieceOf(emitElementwise(op, operands), op->getResult(0)));
  }
  return result;
}

// --- lines ---

std::pair<Value, Value> Lowering::placesInFragment(Fragments fragments) {
  simt::FragmentType type = fragmentType(fragments);
  std::pair<Value, Value> &known = places_[type];
  if (!known.first) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointAfter(warp_.getDefiningOp());
    Type numbers = vectorOf(type.getRows() * type.getColumns() / warpSize_, b_.getI32Type());
    auto made = simt::FragmentCoordinatesOp::create(b_, location_, numbers, numbers, TypeAttr::get(type));
    known = {made.getRows(), made.getColumns()};
  }
  return known;
}

SmallVector<Value> Lowering::coordinatesAlong(Fragments fragments, ArrayRef<int64_t> shape) {
  bool isColumn = fragments.getKind() == FragmentsKind::Column;
  size_t axis = isColumn ? 0 : 1;
  int64_t count = fragments.getGridOfWarp(shape)[axis], size = isColumn ? fragments.getRows() : fragments.getColumns();
  auto [rows, columns] = placesInFragment(fragments);
  Value within = isColumn ? rows : columns;
  Value first = arith::MulIOp::create(b_, location_, blockOfWarp(fragments)[axis], constant(count * size));
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i) {
    Value start = arith::AddIOp::create(b_, location_, first, constant(i * size));
    result.push_back(arith::AddIOp::create(b_, location_, within, splat(start, countOf(within))));
  }
  return result;
}

Values Lowering::lineFromThreads(Value src, Value result) {
  Fragments fragments = fragmentsOf(result);
  ArrayRef<int64_t> shape = shapeOf(src);
  bool isColumn = fragments.getKind() == FragmentsKind::Column;
  unsigned axis = shape.size() == 1 || isColumn ? 0 : 1;
  int64_t size = isColumn ? fragments.getRows() : fragments.getColumns();
  Value buffer =
      scratch(std::max(shape[axis], size), elementOf(src)); // elements beyond the line's extent stay undefined
  storeShared(buffer, coordinates(layoutOf(src), axis), get(src));
  Values made;
  for (Value places : coordinatesAlong(fragments, shape))
    made.push_back(pieceOf(loadShared(buffer, places, countOf(places), elementOf(src)), result));
  return made;
}

Value Lowering::lineToThreads(Value src, Value result) {
  Fragments fragments = fragmentsOf(src);
  ArrayRef<int64_t> shape = shapeOf(src);
  bool isColumn = fragments.getKind() == FragmentsKind::Column;
  unsigned axis = shape.size() == 1 || isColumn ? 0 : 1;
  Type element = elementOf(src);
  Value buffer = scratch(shape[axis] + threads(), element);
  auto [rows, columns] = placesInFragment(fragments);
  Value isFirst = isBelow(isColumn ? columns : rows, 1);
  byFirstHolders(fragments, [&] {
    for (auto [piece, places] : llvm::zip_equal(values_.at(src), coordinatesAlong(fragments, shape)))
      storeWhere(buffer, both(isFirst, isBelow(places, shape[axis])), places, shape[axis], elementsOfPiece(piece));
  });
  Value numbers = coordinates(layoutOf(result), axis);
  return loadShared(buffer, numbers, countOf(numbers), element);
}

LogicalResult Lowering::reduceRows(tile::ReduceOp op) {
  Value src = op.getSrcs()[0], result = op.getResult(0);
  std::optional<simt::CombineKind> kind = tile::rowCombination(op);
  Fragments fragments = fragmentsOf(src);
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(shapeOf(src));
  if (!kind || op.getAxis() != 1 || fragments.getWarps()[1] != 1 || shapeOf(src)[1] < fragments.getColumns())
    return op.emitOpError("has no lowering for tensors in fragments");
  const Values &pieces = values_.at(src);
  Values made;
  for (int64_t i = 0; i < grid[0]; ++i) {
    Value whole = elementsOfPiece(pieces[i * grid[1]]);
    for (int64_t j = 1; j < grid[1]; ++j)
      whole = applyRegion(op.getCombine(), {whole, elementsOfPiece(pieces[i * grid[1] + j])})[0];
    Value piece = pieceOf(whole, result);
    made.push_back(simt::FragmentReduceRowsOp::create(b_, location_, piece.getType(), *kind, piece));
  }
  values_[result] = std::move(made);
  return success();
}

Values Lowering::repeatLine(tile::BroadcastOp op) {
  SmallVector<int64_t, 3> grid = fragmentsOf(op).getGridOfWarp(shapeOf(op));
  bool isColumn = fragmentsOf(op.getSrc()).getKind() == FragmentsKind::Column;
  const Values &lines = values_.at(op.getSrc());
  Values made;
  for (int64_t i = 0; i < grid[0]; ++i)
    for (int64_t j = 0; j < grid[1]; ++j)
      made.push_back(lines[isColumn ? i : j]);
  return made;
}

Values Lowering::toOperand(Value src, Value result) {
  simt::FragmentType wanted = fragmentType(fragmentsOf(result)), accumulator = fragmentType(fragmentsOf(src));
  Values made;
  for (Value piece : values_.at(src)) {
    Value wide = piece;
    // Elements narrower than f32 are widened to the accumulator's type first, and narrowed again by the conversion:
    // both are exact.
    if (!isa<simt::FragmentType>(piece.getType()))
      wide = simt::FragmentFromElementsOp::create(
          b_, location_, accumulator, castFloat(piece, accumulator.getElementType(), tile::RoundingMode::NearestEven));
    made.push_back(simt::FragmentConvertOp::create(b_, location_, wanted, wide));
  }
  return made;
}

/// Broadcasts a line that is in a distributed layout. The line is stored to shared memory once; each fragment is loaded
/// from it with a stride of 0, so that all of the fragment's rows (or columns) are equal.
Values Lowering::spreadLine(tile::BroadcastOp op) {
  Value src = op.getSrc();
  Fragments fragments = fragmentsOf(op);
  ArrayRef<int64_t> from = shapeOf(src), shape = shapeOf(op);
  size_t rank = shape.size(), axis = from.back() == 1 ? rank - 2 : rank - 1;
  bool isColumn = axis == rank - 2;
  int64_t step = isColumn ? fragments.getRows() : fragments.getColumns();
  int64_t extent = std::max(from[axis], step), batch = rank == 3 ? from[0] : 1;
  Value buffer = scratch(batch * extent, elementOf(src));
  if (extent > from[axis])
    zero(buffer);
  Value places = coordinates(layoutOf(src), axis);
  if (batch > 1) {
    Value entry =
        arith::MulIOp::create(b_, location_, coordinates(layoutOf(src), 0), splat(constant(extent), countOf(places)));
    places = arith::AddIOp::create(b_, location_, places, entry);
  }
  storeShared(buffer, places, get(src));
  SmallVector<Value, 3> block = blockOfWarp(fragments);
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(shape);
  auto along = [&](size_t at, int64_t number, int64_t size) -> Value {
    Value first = arith::MulIOp::create(b_, location_, block[at], constant(grid[at] * size));
    return arith::AddIOp::create(b_, location_, first, constant(number * size));
  };
  Values result;
  for (int64_t entry = 0; entry < (rank == 3 ? grid[0] : 1); ++entry) {
    SmallVector<Value> lines;
    for (int64_t i = 0; i < grid[axis]; ++i) {
      Value offset = along(axis, i, step);
      if (batch > 1)
        offset = arith::AddIOp::create(b_, location_, offset, along(0, entry, extent));
      lines.push_back(fragmentLoad(buffer, isColumn, offset, constant(0), pieceType(op)));
    }
    for (int64_t i = 0; i < grid[rank - 2]; ++i)
      for (int64_t j = 0; j < grid[rank - 1]; ++j)
        result.push_back(lines[isColumn ? i : j]);
  }
  return result;
}

// --- conversions ---

Lowering::Passage Lowering::passageOf(Fragments fragments, Layout layout, ArrayRef<int64_t> shape, Type element) {
  size_t rank = shape.size(), row = rank - 2, column = rank - 1;
  Passage passage;
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(shape), sizes(rank, 1);
  sizes[row] = fragments.getRows();
  sizes[column] = fragments.getColumns();
  passage.perPart = grid;
  passage.isPadded = shape[row] < sizes[row] || shape[column] < sizes[column];
  SmallVector<int64_t, 3> extents(rank);
  auto bytes = [&] {
    for (size_t axis = 0; axis < rank; ++axis)
      extents[axis] = fragments.getWarps()[axis] * passage.perPart[axis] * sizes[axis];
    int64_t padding = tile::linePadding(element); // padding of lines along either axis
    int64_t count = (rank == 3 ? extents[0] : 1) *
                    (extents[row] * extents[column] + padding * std::max(extents[row], extents[column]));
    int64_t idle = threads() * 16 / simt::elementBytes(element);
    return (count + (passage.perPart == grid ? 0 : idle)) * simt::elementBytes(element);
  };
  for (size_t axis : {row, column, size_t(0)})
    while (bytes() > room_ && passage.perPart[axis] > 1)
      passage.perPart[axis] /= 2;
  bytes();
  SmallVector<PartBits> parts;
  for (size_t axis = 0; axis < rank; ++axis)
    if (passage.perPart[axis] < grid[axis])
      parts.push_back({unsigned(axis), llvm::Log2_64(passage.perPart[axis] * sizes[axis]),
                       llvm::Log2_64(grid[axis] * sizes[axis])});
  passage.staging = stagingOf(layout, shape, extents, parts, element);
  return passage;
}

void Lowering::forFragments(const Passage &passage, Fragments fragments, int64_t part,
                            function_ref<void(int64_t, Value)> visit) {
  const Staging &staging = passage.staging;
  size_t rank = staging.shape.size(), row = rank - 2, column = rank - 1;
  SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(staging.shape), first(rank, 0), steps(rank);
  for (const PartBits &bits : staging.parts) {
    int64_t parts = int64_t(1) << (bits.high - bits.low);
    first[bits.axis] = part % parts * passage.perPart[bits.axis];
    part /= parts;
  }
  for (size_t axis = 0; axis < rank; ++axis)
    steps[axis] = axis == staging.fast ? 1 : axis == staging.slow ? staging.stride : staging.matrix;
  steps[row] *= fragments.getRows();
  steps[column] *= fragments.getColumns();
  SmallVector<Value, 3> block = blockOfWarp(fragments);
  Value start;
  for (size_t axis = 0; axis < rank; ++axis) {
    Value part = arith::MulIOp::create(b_, location_, block[axis], constant(passage.perPart[axis] * steps[axis]));
    start = start ? Value(arith::AddIOp::create(b_, location_, start, part)) : part;
  }
  int64_t batch = rank == 3 ? passage.perPart[0] : 1;
  for (int64_t entry = 0; entry < batch; ++entry)
    for (int64_t i = 0; i < passage.perPart[row]; ++i)
      for (int64_t j = 0; j < passage.perPart[column]; ++j) {
        int64_t number = ((rank == 3 ? first[0] : 0) + entry) * grid[row] * grid[column] +
                         (first[row] + i) * grid[column] + first[column] + j;
        int64_t offset = (rank == 3 ? entry * steps[0] : 0) + i * steps[row] + j * steps[column];
        visit(number, arith::AddIOp::create(b_, location_, start, constant(offset)));
      }
}

void Lowering::byFirstHolders(Fragments fragments, function_ref<void()> body) {
  if (fragments.getWarpCount() == warps())
    return body();
  Value isFirst =
      arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ult, warp_, constant(fragments.getWarpCount()));
  auto branch = scf::IfOp::create(b_, location_, isFirst, /*withElse=*/false);
  branch->setAttr(simt::kUniformAttr, b_.getI32IntegerAttr(1));
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  body();
}

Values Lowering::toFragments(Value src, Value result) {
  Fragments fragments = fragmentsOf(result);
  Passage passage = passageOf(fragments, layoutOf(src), shapeOf(src), elementOf(src));
  bool isByColumns = passage.staging.fast < passage.staging.slow;
  Values made(typesOf(result).size());
  for (int64_t part = 0; part < passage.staging.partCount(); ++part) {
    Value buffer = stagePart(get(src), passage.staging, part, passage.isPadded);
    forFragments(passage, fragments, part, [&](int64_t number, Value offset) {
      made[number] = fragmentLoad(buffer, isByColumns, offset, constant(passage.staging.stride), pieceType(result));
    });
  }
  return made;
}

Value Lowering::fromFragments(Value src, Value result) {
  Fragments fragments = fragmentsOf(src);
  Passage passage = passageOf(fragments, layoutOf(result), shapeOf(src), elementOf(src));
  bool isByColumns = passage.staging.fast < passage.staging.slow;
  auto order = isByColumns ? simt::FragmentOrder::ColumnMajor : simt::FragmentOrder::RowMajor;
  const Values &values = values_.at(src);
  Value made;
  for (int64_t part = 0; part < passage.staging.partCount(); ++part) {
    Value buffer = scratch(passage.staging.count, elementOf(src));
    byFirstHolders(fragments, [&] {
      forFragments(passage, fragments, part, [&](int64_t number, Value offset) {
        simt::FragmentStoreOp::create(b_, location_, order, values[number], buffer, offset,
                                      constant(passage.staging.stride));
      });
    });
    made = unstagePart(buffer, passage.staging, part, made);
  }
  return made;
}

// --- the walk ---

LogicalResult Lowering::lowerInFragments(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return lowerMatrixDot(dot);
  auto fill = [&](Value scalar) {
    Value result = op->getResult(0);
    Type type = pieceType(result);
    auto vector = dyn_cast<VectorType>(type);
    Value one = vector ? splat(scalar, vector.getNumElements())
                       : Value(simt::FragmentFillOp::create(b_, location_, type, scalar));
    values_[result] = Values(typesOf(result).size(), one);
    return success();
  };
  auto bind = [&](Values made) {
    values_[op->getResult(0)] = std::move(made);
    return success();
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<TypedAttr>(cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>());
    return fill(arith::ConstantOp::create(b_, location_, value));
  }
  if (auto spread = dyn_cast<tile::SplatOp>(op))
    return fill(get(spread.getSrc()));
  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    Values made;
    for (Value numbers : coordinatesAlong(fragmentsOf(range), shapeOf(range)))
      made.push_back(
          arith::AddIOp::create(b_, location_, numbers, splat(constant(int32_t(range.getStart())), countOf(numbers))));
    return bind(std::move(made));
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return bind(Values(values_.at(expand.getSrc())));
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return reduceRows(reduce);
  if (auto spread = dyn_cast<tile::BroadcastOp>(op))
    return bind(isInFragments(spread.getSrc()) ? repeatLine(spread) : spreadLine(spread));
  if (auto convert = dyn_cast<simt::ConvertLayoutOp>(op))
    return convertFragments(convert);
  if (tile::isElementwise(op) && op->getNumResults() == 1)
    return bind(elementwiseOnFragments(op));
  return op->emitOpError("has no lowering for tensors in fragments");
}

LogicalResult Lowering::convertFragments(simt::ConvertLayoutOp op) {
  Value src = op.getSrc(), result = op.getResult();
  auto isMatrix = [](Value value) { return fragmentsOf(value).getKind() == FragmentsKind::Matrix; };
  auto isLine = [&](Value value) { return !isMatrix(value) && fragmentsOf(value).getKind() != FragmentsKind::Operand; };
  auto hasOwnElements = [](Value value) { return fragmentsOf(value).getElementType() == elementOf(value); };
  Values made;
  if (isInFragments(src) && isInFragments(result)) {
    Fragments from = fragmentsOf(src), to = fragmentsOf(result);
    if (!isMatrix(src) || to.getKind() != FragmentsKind::Operand || from.getRows() != to.getRows() ||
        from.getColumns() != to.getColumns() || from.getWarps() != to.getWarps())
      return op->emitOpError("expected a matrix that becomes an operand in fragments of the same shape");
    made = toOperand(src, result);
  } else if (isInFragments(result)) {
    if (!isLine(result) && !hasOwnElements(result))
      return op->emitOpError("expected elements of the fragments' type");
    made = isLine(result) ? lineFromThreads(src, result) : toFragments(src, result);
  } else {
    if (!isLine(src) && !(isMatrix(src) && hasOwnElements(src)))
      return op->emitOpError("expected a line, or a matrix with elements of the fragments' type");
    made = {isLine(src) ? lineToThreads(src, result) : fromFragments(src, result)};
  }
  values_[result] = std::move(made);
  return success();
}

} // namespace tegula::tosimt
