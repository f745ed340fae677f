// The walk over a kernel, and helpers that all files of the lowering use: registers, thread ids, coordinates.
#include "core/passes/tosimt/Lowering.h"

#include "core/passes/analysis/Uniform.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

Lowering::Lowering(func::FuncOp planned, tile::AxisAnalysis &axes, const simt::Target &target)
    : planned_(planned), axes_(axes), target_(target), exchangeRoom_(planned, target.features), forms_(planned),
      narrowsEdges_(tile::narrowsEdges(planned)), warps_(simt::kernelWarps(planned)),
      warpSize_(simt::kernelWarpSize(planned)), b_(planned.getContext()), location_(planned.getLoc()) {}

FailureOr<func::FuncOp> Lowering::run() {
  b_.setInsertionPoint(planned_);
  auto kernel = cast<func::FuncOp>(b_.cloneWithoutRegions(*planned_));
  entry_ = kernel.addEntryBlock();
  b_.setInsertionPointToEnd(entry_);
  thread_ = simt::ThreadIdOp::create(b_, location_, b_.getI32Type());
  lane_ = simt::LaneIdOp::create(b_, location_, b_.getI32Type());
  warp_ = simt::WarpIdOp::create(b_, location_, b_.getI32Type());
  for (auto [from, to] : llvm::zip_equal(planned_.getArguments(), kernel.getArguments()))
    set(from, to);
  if (succeeded(lowerBlock(planned_.getBody().front())))
    return kernel;
  kernel.erase();
  return failure();
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    location_ = op.getLoc();
    if (failed(lower(&op)))
      return failure();
  }
  return success();
}

LogicalResult Lowering::lower(Operation *op) {
  room_ = exchangeRoom_.at(op);
  if (isMatrixInMemory(op))
    return success(); // products load the fragments of this matrix
  if (isa<func::ReturnOp>(op)) {
    func::ReturnOp::create(b_, location_);
    return success();
  }
  if (op->getDialect()->getNamespace() == "scf")
    return lowerControl(op);
  if (llvm::any_of(op->getResults(), isInFragments) || llvm::any_of(op->getOperands(), isInFragments))
    return lowerInFragments(op);
  if (isa<simt::SharedAllocOp, simt::StageOp, simt::TransposeOp, simt::SharedStoreOp, simt::SharedLoadOp, simt::CopyOp,
          simt::WaitCopiesOp, simt::FenceOp>(op))
    return lowerShared(op);
  if (isa<simt::BarrierAllocOp, simt::StartBarriersOp, simt::EndBarriersOp, simt::ArriveWarpsOp, simt::BarrierWaitOp,
          simt::CopyTileOp, simt::CopyOutOp, simt::WaitCopyOutOp, simt::WaitTilesOp, simt::ClusterBarrierOp>(op))
    return lowerBarrierObjects(op);
  if (auto producer = dyn_cast<simt::ProducerOp>(op))
    return lowerProducer(producer);
  if (isa<simt::EndGroupOp>(op))
    return success(); // the terminator is there
  if (isa<simt::WarpIdOp>(op)) {
    set(op->getResult(0), warp_);
    return success();
  }
  if (auto product = dyn_cast<simt::ProductOp>(op))
    return lowerProduct(product);
  if (auto wait = dyn_cast<simt::WaitProductsOp>(op))
    return lowerWaitProducts(wait);
  if (tile::isElementwise(op) || isa<arith::ConstantOp>(op))
    return lowerElementwise(op);
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return lowerMemory(op);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return lowerReduce(reduce);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return lowerScan(scan);
  if (auto sort = dyn_cast<tile::SortOp>(op))
    return lowerSort(sort);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return lowerGather(gather);
  if (auto histogram = dyn_cast<tile::HistogramOp>(op))
    return lowerHistogram(histogram);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return simt::instructionOf(dot) ? lowerRegisterProduct(dot, simt::instructionOf(dot)) : lowerDot(dot);
  if (isa<tile::PrintOp, tile::AssertOp, tile::AssumeOp, tile::BarrierOp, tile::MayNotEndOp>(op))
    return lowerEffect(op);
  return lowerShape(op);
}

// --- values ---

bool Lowering::isPointers(Value value) {
  return isTensor(value) && tile::isPtrScalar(getElementTypeOrSelf(value.getType()));
}

bool Lowering::isInFragments(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && isa_and_nonnull<Fragments>(tensor.getEncoding());
}

Lowering::Layout Lowering::layoutOf(Value tensor) {
  return cast<Layout>(cast<RankedTensorType>(tensor.getType()).getEncoding());
}

Lowering::Fragments Lowering::fragmentsOf(Value tensor) {
  return cast<Fragments>(cast<RankedTensorType>(tensor.getType()).getEncoding());
}

SmallVector<Type, 2> Lowering::typesOf(Value planned) const {
  Type type = planned.getType();
  if (isa<simt::TokenType>(type))
    return {};
  if (isa<simt::ArrivalType>(type)) // the object's number, and the phase's parity
    return {IntegerType::get(type.getContext(), 32), IntegerType::get(type.getContext(), 32)};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {type};
  if (auto fragments = dyn_cast<Fragments>(tensor.getEncoding())) {
    SmallVector<int64_t, 3> grid = fragments.getGridOfWarp(tensor.getShape());
    int64_t count = 1;
    for (int64_t along : grid)
      count *= along;
    return SmallVector<Type, 2>(count, pieceType(planned));
  }
  int64_t count = layout_ir::registersOf(layoutOf(planned));
  if (!isPointers(planned))
    return {VectorType::get({count}, tensor.getElementType())};
  unsigned bits = forms_.isWide(planned) ? 64 : 32;
  return {tensor.getElementType(), VectorType::get({count}, IntegerType::get(type.getContext(), bits))};
}

// --- registers ---

int64_t Lowering::countOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

Value Lowering::constant(int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(b_, location_, value, bits);
}

Value Lowering::constants(ArrayRef<int64_t> values, Type element) {
  SmallVector<APInt> numbers;
  for (int64_t value : values)
    numbers.emplace_back(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true);
  VectorType type = vectorOf(values.size(), element);
  return arith::ConstantOp::create(b_, location_, type, DenseElementsAttr::get(type, numbers));
}

Value Lowering::splat(Value scalar, int64_t count) {
  VectorType type = vectorOf(count, scalar.getType());
  if (auto definition = scalar.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(b_, location_, type, DenseElementsAttr::get(type, definition.getValue()));
  return simt::SplatOp::create(b_, location_, type, scalar);
}

Value Lowering::pick(Value vector, ArrayRef<int32_t> registers) {
  int64_t count = countOf(vector);
  if (int64_t(registers.size()) == count && llvm::equal(registers, llvm::seq<int32_t>(0, count)))
    return vector;
  return simt::PickOp::create(b_, location_, vectorOf(registers.size(), elementOf(vector)), vector, registers);
}

Value Lowering::pickOne(Value vector, int32_t number) {
  return simt::PickOp::create(b_, location_, elementOf(vector), vector, ArrayRef<int32_t>(number));
}

Value Lowering::concat(ValueRange parts, int64_t count, Type element) {
  if (parts.size() == 1 && isa<VectorType>(parts[0].getType()))
    return parts[0];
  return simt::ConcatOp::create(b_, location_, vectorOf(count, element), parts);
}

Value Lowering::select(Value conditions, Value yes, Value no) {
  return arith::SelectOp::create(b_, location_, conditions, yes, no);
}

Value Lowering::toWidth(Value integers, unsigned bits) {
  Type element = elementOf(integers), wanted = b_.getIntegerType(bits);
  Type type = isa<VectorType>(integers.getType()) ? Type(vectorOf(countOf(integers), wanted)) : wanted;
  if (element.getIntOrFloatBitWidth() < bits)
    return arith::ExtSIOp::create(b_, location_, type, integers);
  return element == wanted ? integers : arith::TruncIOp::create(b_, location_, type, integers);
}

// --- threads ---

Value Lowering::linear(Value number, ArrayRef<int64_t> bases) {
  // If the bases of neighbouring bits double from bit to bit, one mask and one shift compute what these bits
  // contribute: bases (4, 8, 16) are `number << 2`. The contributions of several such runs are combined by XOR, or by
  // addition if they have no common bit.
  Value sum;
  int64_t used = 0;
  bool isDisjoint = true;
  for (size_t first = 0; first < bases.size();) {
    if (bases[first] == 0) {
      ++first;
      continue;
    }
    size_t end = first + 1;
    while (llvm::isPowerOf2_64(bases[first]) && end < bases.size() && bases[end] == bases[end - 1] * 2)
      ++end;
    Value part = number;
    bool isPower = llvm::isPowerOf2_64(bases[first]);
    int64_t mask = (int64_t(1) << end) - (int64_t(1) << first);
    if (end < bases.size() || first > 0)
      part = arith::AndIOp::create(b_, location_, part, constant(mask));
    int64_t shift = int64_t(isPower ? llvm::Log2_64(bases[first]) : 0) - int64_t(first);
    if (shift > 0)
      part = arith::ShLIOp::create(b_, location_, part, constant(shift));
    else if (shift < 0)
      part = arith::ShRUIOp::create(b_, location_, part, constant(-shift));
    int64_t bits = mask >> first;
    if (!isPower) // the basis has several bits set: multiply it by the number's bit, 0 or 1
      part = arith::MulIOp::create(b_, location_, part, constant(bases[first]));
    bits *= bases[first];
    isDisjoint &= (used & bits) == 0;
    used |= bits;
    if (!sum)
      sum = part;
    else if (isDisjoint)
      sum = arith::AddIOp::create(b_, location_, sum, part);
    else
      sum = arith::XOrIOp::create(b_, location_, sum, part);
    first = end;
  }
  return sum;
}

static SmallVector<int64_t> basesAlong(ArrayRef<int64_t> bases, unsigned rank, unsigned axis) {
  SmallVector<int64_t> result;
  for (size_t at = axis; at < bases.size(); at += rank)
    result.push_back(bases[at]);
  return result;
}

SmallVector<int64_t> combinations(ArrayRef<int64_t> bases) {
  SmallVector<int64_t> result = {0};
  for (int64_t basis : bases)
    for (size_t i = 0, count = result.size(); i < count; ++i)
      result.push_back(result[i] ^ basis);
  return result;
}

Value Lowering::coordinates(Layout layout, unsigned axis) {
  Value &known = coordinates_[{layout, axis}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointAfter(warp_.getDefiningOp());
  unsigned rank = layout.getRank();
  SmallVector<int64_t> ofRegisters = basesAlong(layout.getRegisters(), rank, axis);
  SmallVector<int64_t> ofLanes = basesAlong(layout.getLanes(), rank, axis);
  SmallVector<int64_t> ofWarps = basesAlong(layout.getWarps(), rank, axis);
  auto all = [](ArrayRef<int64_t> bases) {
    int64_t bits = 0;
    for (int64_t basis : bases)
      bits |= basis;
    return bits;
  };
  auto combine = [&](Value left, Value right, bool isDisjoint) -> Value {
    if (!left || !right)
      return left ? left : right;
    // the sum stays below the tile's extent, so it does not wrap: its constant part can become an address immediate
    if (isDisjoint)
      return arith::AddIOp::create(b_, location_, left, right, arith::IntegerOverflowFlags::nsw);
    return arith::XOrIOp::create(b_, location_, left, right);
  };
  Value of = combine(linear(lane_, ofLanes), linear(warp_, ofWarps), (all(ofLanes) & all(ofWarps)) == 0);
  SmallVector<int64_t> inRegisters = combinations(ofRegisters);
  Value result;
  if (!of || all(ofRegisters) != 0)
    result = constants(inRegisters, b_.getI32Type());
  if (of)
    result = combine(splat(of, inRegisters.size()), result, (all(ofRegisters) & (all(ofLanes) | all(ofWarps))) == 0);
  return coordinates_[{layout, axis}] = result;
}

Value Lowering::elementNumbers(Layout layout, ArrayRef<int64_t> shape) {
  Value sum;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    if (shape[axis] == 1 && !(axis == 0 && !sum))
      continue;
    Value part = coordinates(layout, axis);
    if (stride != 1)
      part = arith::MulIOp::create(b_, location_, part, splat(constant(stride), countOf(part)));
    sum = sum ? arith::AddIOp::create(b_, location_, sum, part) : part;
  }
  return sum;
}

std::pair<int64_t, int64_t> Lowering::copyBits(Layout layout, ArrayRef<int64_t> shape) const {
  layout::LinearLayout map = layout.getLayout(shape);
  return {map.freeVariables(layout::kLane), map.freeVariables(layout::kWarp)};
}

Value Lowering::isFirstHolder(Layout layout, ArrayRef<int64_t> shape) {
  auto [lanes, warpBits] = copyBits(layout, shape);
  int64_t mask = lanes | warpBits * warpSize_;
  if (mask == 0)
    return {};
  Value bits = arith::AndIOp::create(b_, location_, thread_, constant(mask));
  return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, bits, constant(0));
}

FailureOr<SmallVector<Lowering::AxisBit>> Lowering::axisBits(Layout layout, ArrayRef<int64_t> shape, unsigned axis,
                                                             Operation *op) {
  unsigned rank = layout.getRank(), bits = llvm::Log2_64(shape[axis]);
  SmallVector<std::optional<AxisBit>> found(bits);
  bool isMixed = false;
  auto look = [&](ArrayRef<int64_t> bases, AxisBit::Kind kind) {
    for (size_t at = 0; at < bases.size(); at += rank) {
      int64_t here = bases[at + axis];
      if (here == 0)
        continue;
      bool isAlone = llvm::isPowerOf2_64(here);
      for (unsigned other = 0; other < rank; ++other)
        isAlone &= other == axis || bases[at + other] == 0;
      if (!isAlone) {
        isMixed = true;
        continue;
      }
      std::optional<AxisBit> &slot = found[llvm::Log2_64(here)];
      if (!slot) // a later bit with the same basis only makes copies
        slot = AxisBit{kind, unsigned(at / rank)};
    }
  };
  look(layout.getRegisters(), AxisBit::Register);
  look(layout.getLanes(), AxisBit::Lane);
  look(layout.getWarps(), AxisBit::Warp);
  SmallVector<AxisBit> result;
  for (const std::optional<AxisBit> &bit : found) {
    isMixed |= !bit;
    if (bit)
      result.push_back(*bit);
  }
  if (isMixed)
    return op->emitOpError() << "expected a layout in which each bit of the coordinate along axis " << axis
                             << " has a register, lane or warp bit of its own, found " << layout;
  return result;
}

} // namespace tegula::tosimt
