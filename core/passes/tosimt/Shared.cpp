// Planned accesses to shared buffers: the layouts of the buffer and of the tensor determine the offsets that a thread
// accesses.
//
// Both layouts are linear, so the offset of a register's element is the XOR of three parts: by register, by lane and by
// warp. Bits of the register's part that no lane and no warp changes are added instead: they become address immediates.
#include "core/passes/tosimt/InFlight.h"
#include "core/passes/tosimt/Lowering.h"
#include "core/passes/tosimt/OperandParts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

int64_t allBits(ArrayRef<int64_t> bases) {
  int64_t bits = 0;
  for (int64_t basis : bases)
    bits |= basis;
  return bits;
}

/// The layout of the elements of one part of the tensor: each coordinate modulo the part's extent, a power of two.
layout_ir::DistributedAttr withinPart(layout_ir::DistributedAttr layout, ArrayRef<int64_t> extents) {
  auto within = [&](ArrayRef<int64_t> bases) {
    SmallVector<int64_t> result(bases);
    for (auto [i, step] : llvm::enumerate(result))
      step &= extents[i % extents.size()] - 1;
    return result;
  };
  return layout_ir::DistributedAttr::get(layout.getContext(), layout.getRank(), within(layout.getRegisters()),
                                         within(layout.getLanes()), within(layout.getWarps()), layout.getBlocks());
}

/// The bases of the number of the part that contains an element, along the axis with several parts.
SmallVector<int64_t> partBases(ArrayRef<int64_t> bases, ArrayRef<int64_t> extents) {
  size_t rank = extents.size();
  SmallVector<int64_t> result(bases.size() / rank);
  for (auto [i, step] : llvm::enumerate(bases))
    result[i / rank] |= step / extents[i % rank];
  return result;
}

/// The offset of each element of a tensor in a buffer, as a linear map of its register, lane and warp: what each bit of
/// these three numbers contributes. The buffer holds the whole tensor, or one of several equal parts of it.
struct Offsets {
  SmallVector<int64_t> registers, lanes, warps;
  SmallVector<int64_t> partOfRegisters, partOfLanes, partOfWarps; // bases of the part's number

  Offsets(layout_ir::DistributedAttr layout, simt::SharedType buffer) {
    ArrayRef<int64_t> extents = buffer.getTileShape();
    layout::LinearLayout map =
        buffer.getTileLayout().getLayout().offsetsOf(withinPart(layout, extents).getLayout(extents));
    registers = basesOf(map, layout::kRegister);
    lanes = basesOf(map, layout::kLane);
    warps = basesOf(map, layout::kWarp);
    partOfRegisters = partBases(layout.getRegisters(), extents);
    partOfLanes = partBases(layout.getLanes(), extents);
    partOfWarps = partBases(layout.getWarps(), extents);
  }

  /// A thread's accesses, each as wide as the layouts allow. Of registers that hold copies of one element, only one is
  /// accessed.
  struct Accesses {
    /// The register bits that number the accessed elements: first the bits within an access, then the bits that number
    /// the accesses.
    SmallVector<unsigned> order;
    /// For each access: what the register's number contributes to the offset, and to the number of the part that is
    /// accessed.
    SmallVector<int64_t> offsets, parts;
  };
  Accesses accesses(int64_t elementBytes) const {
    constexpr int64_t kMostBytes = 16;
    Accesses result;
    for (unsigned bit = 0; (elementBytes << (bit + 1)) <= kMostBytes; ++bit) {
      const auto *found = llvm::find(registers, int64_t(1) << bit);
      if (found == registers.end() || partOfRegisters[found - registers.begin()] != 0)
        break;
      result.order.push_back(unsigned(found - registers.begin()));
    }
    // The bits of the offset that number the elements within an access must depend on these register bits alone: not on
    // other bits of the register number, nor on lane or warp.
    while (othersWithin(result.order))
      result.order.pop_back();
    SmallVector<int64_t> between, partsBetween;
    size_t width = result.order.size();
    for (auto [bit, basis] : llvm::enumerate(registers))
      if ((basis != 0 || partOfRegisters[bit] != 0) &&
          !llvm::is_contained(ArrayRef(result.order).take_front(width), bit)) {
        result.order.push_back(bit);
        between.push_back(basis);
        partsBetween.push_back(partOfRegisters[bit]);
      }
    result.offsets = combinations(between);
    result.parts = combinations(partsBetween);
    return result;
  }

  /// How many of the lowest register bits are also the lowest bits of the offset and are changed by nothing else:
  /// consecutive registers of a thread then lie side by side in the buffer.
  unsigned bitsInPlace() const {
    SmallVector<unsigned> order;
    while (order.size() < registers.size() && registers[order.size()] == int64_t(1) << order.size())
      order.push_back(unsigned(order.size()));
    while (othersWithin(order))
      order.pop_back();
    return unsigned(order.size());
  }

private:
  bool othersWithin(ArrayRef<unsigned> order) const {
    int64_t others = allBits(lanes) | allBits(warps);
    for (auto [bit, basis] : llvm::enumerate(registers))
      others |= llvm::is_contained(order, bit) ? 0 : basis;
    return (others & ((int64_t(1) << order.size()) - 1)) != 0;
  }
};

} // namespace

Value Lowering::offsetsFrom(ArrayRef<int64_t> byAccess, ArrayRef<int64_t> lanes, ArrayRef<int64_t> warps,
                            ArrayRef<layout::Padding> paddings) {
  int64_t changing = allBits(lanes) | allBits(warps);
  SmallVector<int64_t> exchanged, added;
  for (int64_t offset : byAccess) {
    exchanged.push_back(offset & changing);
    added.push_back(offset & ~changing);
    // Padding is linear in the offset's upper bits, so the paddings of two numbers without common bits can be added.
    for (const layout::Padding &padding : paddings)
      added.back() += ((offset & ~changing) >> llvm::Log2_64(padding.interval)) * padding.padding;
  }
  bool areExchanged = allBits(exchanged) != 0;
  Value ofThread;
  {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointAfter(warp_.getDefiningOp()); // once in a kernel, before all loops
    Value ofLane = linear(lane_, lanes), ofWarp = linear(warp_, warps);
    ofThread = ofLane && ofWarp ? Value(arith::XOrIOp::create(b_, location_, ofLane, ofWarp))
               : ofLane         ? ofLane
                                : ofWarp;
    if (ofThread && !areExchanged)
      ofThread = paddedOffsets(ofThread, paddings);
  }
  if (!ofThread)
    return constants(added, b_.getI32Type());
  Value result = splat(ofThread, byAccess.size());
  if (areExchanged)
    result =
        paddedOffsets(arith::XOrIOp::create(b_, location_, result, constants(exchanged, b_.getI32Type())), paddings);
  if (allBits(added))
    result = arith::AddIOp::create(b_, location_, result, constants(added, b_.getI32Type()),
                                   arith::IntegerOverflowFlags::nsw);
  return result;
}

Value Lowering::placesIn(simt::SharedType buffer, ArrayRef<int64_t> byAccess, ArrayRef<int64_t> lanes,
                         ArrayRef<int64_t> warps) {
  return offsetsFrom(byAccess, lanes, warps, buffer.getTileLayout().getLayout().paddings());
}

Value Lowering::paddedOffsets(Value offsets, ArrayRef<layout::Padding> paddings) {
  auto number = [&](int64_t value) {
    Value scalar = constant(value);
    return isa<VectorType>(offsets.getType()) ? splat(scalar, countOf(offsets)) : scalar;
  };
  Value result = offsets;
  for (const layout::Padding &padding : paddings) {
    Value whole = arith::ShRUIOp::create(b_, location_, offsets, number(llvm::Log2_64(padding.interval)));
    whole = arith::MulIOp::create(b_, location_, whole, number(padding.padding));
    result = arith::AddIOp::create(b_, location_, result, whole);
  }
  return result;
}

LogicalResult Lowering::lowerShared(Operation *op) {
  if (auto alloc = dyn_cast<simt::SharedAllocOp>(op)) {
    set(alloc, simt::SharedAllocOp::create(b_, location_, alloc.getType(), alloc.getOffsetAttr()));
    return success();
  }
  if (auto stage = dyn_cast<simt::StageOp>(op)) {
    set(stage, simt::StageOp::create(b_, location_, stage.getType(), get(stage.getSrc()), get(stage.getIndex())));
    return success();
  }
  if (auto store = dyn_cast<simt::SharedStoreOp>(op)) {
    auto buffer = store.getDst().getType();
    bool isSmaller = llvm::any_of(llvm::zip_equal(shapeOf(store.getValue()), buffer.getTileShape()),
                                  [](auto extents) { return std::get<0>(extents) < std::get<1>(extents); });
    if (isSmaller)
      zero(get(store.getDst()));
    Value value = get(store.getValue());
    if (store.getTf32())
      value = divideOperand(b_, location_, value, FloatTF32Type::get(op->getContext()), 1).parts.front();
    storePlanned(store.getDst(), layoutOf(store.getValue()), value, store.getPart().value_or(0));
    return success();
  }
  if (auto copy = dyn_cast<simt::CopyOp>(op)) {
    lowerCopy(copy);
    return success();
  }
  if (auto wait = dyn_cast<simt::WaitCopiesOp>(op)) {
    int64_t younger = kUnbounded;
    for (Value token : wait.getCopies())
      younger = std::min(younger, startedAfter(token, wait));
    simt::WaitLoadsOp::create(b_, location_, uint32_t(younger));
    return success();
  }
  if (auto transpose = dyn_cast<simt::TransposeOp>(op)) {
    set(transpose, simt::TransposeOp::create(b_, location_, transpose.getType(), get(transpose.getSrc())));
    return success();
  }
  if (auto fence = dyn_cast<simt::FenceOp>(op)) {
    simt::FenceOp::create(b_, location_, fence.getKind());
    return success();
  }
  auto load = cast<simt::SharedLoadOp>(op);
  set(load, loadPlanned(load.getSrc(), layoutOf(load.getResult())));
  return success();
}

void Lowering::storePlanned(Value planned, Layout layout, Value vector, int64_t part) {
  auto buffer = cast<simt::SharedType>(planned.getType());
  Offsets at(layout, buffer);
  Offsets::Accesses accesses = at.accesses(simt::elementBytes(buffer.getElementType()));
  int64_t width = (int64_t(1) << accesses.order.size()) / accesses.offsets.size();
  SmallVector<int32_t> registers; // in the order of the accesses
  for (int64_t number = 0; number < int64_t(1) << accesses.order.size(); ++number) {
    int32_t from = 0;
    for (auto [position, bit] : llvm::enumerate(accesses.order))
      from |= (number >> position & 1) << bit;
    registers.push_back(from);
  }
  // Selects the accesses that go to part `part` in at least one thread. `ofThreads`: the bits of the part's number that
  // depend on lane and warp.
  int64_t ofThreads = allBits(at.partOfLanes) | allBits(at.partOfWarps);
  SmallVector<int64_t> offsets, parts;
  SmallVector<int32_t> moved;
  for (auto [access, number] : llvm::enumerate(accesses.parts))
    if (((number ^ part) & ~ofThreads) == 0) {
      offsets.push_back(accesses.offsets[access]);
      parts.push_back(number);
      llvm::append_range(moved, ArrayRef(registers).slice(access * width, width));
    }
  if (offsets.empty())
    return;
  Value places = placesIn(buffer, offsets, at.lanes, at.warps), values = pick(vector, moved);
  if (ofThreads == 0) {
    storeShared(get(planned), places, values);
    return;
  }
  Value numbers = offsetsFrom(parts, at.partOfLanes, at.partOfWarps);
  for (int64_t access = 0; access < int64_t(offsets.size()); ++access) {
    Value isHere = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, pickOne(numbers, int32_t(access)),
                                         constant(part));
    auto branch = scf::IfOp::create(b_, location_, isHere, /*withElse=*/false);
    branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(branch.thenBlock());
    storeShared(get(planned), pickOne(places, int32_t(access)), slice(values, access * width, width));
  }
}

void Lowering::lowerCopy(simt::CopyOp op) {
  Value pointers = op.getSrc();
  auto buffer = cast<simt::SharedType>(op.getDst().getType());
  Offsets at(layoutOf(pointers), buffer);
  int64_t width = accessWidth(pointers, op.getMask()), bytes = simt::elementBytes(buffer.getElementType());
  width = int64_t(1) << std::min<size_t>(llvm::Log2_64(width), at.bitsInPlace());
  bool isAlone = copyBits(layoutOf(pointers), shapeOf(pointers)) == std::pair<int64_t, int64_t>() &&
                 !llvm::is_contained(at.registers, 0);
  auto [from, offsets] = accessOf(pointers, width, buffer.getElementType());
  Value mask = op.getMask() ? everyNth(dataOf(op.getMask()), width) : Value();
  if (isAlone && width * bytes >= 4 && target_.features.copiesAsync) {
    SmallVector<int64_t> each = combinations(ArrayRef(at.registers).drop_front(llvm::Log2_64(width)));
    simt::AsyncLoadOp::create(b_, location_, from, offsets, get(op.getDst()),
                              placesIn(buffer, each, at.lanes, at.warps), uint32_t(width), mask);
  } else {
    auto loaded =
        simt::LoadOp::create(b_, location_, vectorOf(registers(pointers), buffer.getElementType()), from, offsets, mask,
                             Value(), tile::CacheModifier::None, tile::EvictionPolicy::Normal, /*is_volatile=*/false);
    storePlanned(op.getDst(), layoutOf(pointers), loaded, /*part=*/0);
  }
  // Each copy is committed as a group of its own, because waits count groups: also a copy by ordinary loads and stores,
  // which is complete at once.
  simt::CommitLoadsOp::create(b_, location_);
  values_[op.getToken()] = {};
}

/// For each of 2^`bits` registers, the number of the loaded element that it holds: bit p of the element's number is bit
/// order[p] of the register's number. Registers that differ in bits outside of `order` hold copies of one element.
static SmallVector<int32_t> placesOfRegisters(ArrayRef<unsigned> order, size_t bits) {
  SmallVector<int32_t> places;
  for (int64_t number = 0; number < int64_t(1) << bits; ++number) {
    int32_t place = 0;
    for (auto [position, bit] : llvm::enumerate(order))
      place |= (number >> bit & 1) << position;
    places.push_back(place);
  }
  return places;
}

Value Lowering::loadPlanned(Value planned, Layout layout) {
  if (Value loaded = loadMatrices(planned, layout))
    return loaded;
  auto buffer = cast<simt::SharedType>(planned.getType());
  Offsets at(layout, buffer);
  Offsets::Accesses accesses = at.accesses(simt::elementBytes(buffer.getElementType()));
  Value loaded = loadShared(get(planned), placesIn(buffer, accesses.offsets, at.lanes, at.warps),
                            int64_t(1) << accesses.order.size(), buffer.getElementType());
  return pick(loaded, placesOfRegisters(accesses.order, at.registers.size()));
}

Value Lowering::loadMatrices(Value planned, Layout layout) {
  auto buffer = cast<simt::SharedType>(planned.getType());
  int64_t bytes = simt::elementBytes(buffer.getElementType());
  if (!target_.features.loadsMatrices || warpSize_ != 32 || bytes > 2 || buffer.getElementType().isInteger(1) ||
      !buffer.getTileLayout().getPadding().empty())
    return {};
  Offsets at(layout, buffer);
  if (at.lanes.size() != 5)
    return {};
  // The instruction moves units of 16 bits: one element, or two neighbouring elements of 8 bits. A lane gets two units
  // of each matrix. A thread's register bits are therefore, from the lowest bit of a loaded element's number: with 8
  // bits the bit that selects the neighbour, then the bit that selects the unit (`unitBit`), then the bits that number
  // matrices (`rest`).
  const int64_t unit = 2 / bytes; // in elements
  SmallVector<unsigned> order;
  if (unit == 2) {
    const auto *neighbour = llvm::find(at.registers, 1);
    if (neighbour == at.registers.end())
      return {};
    order.push_back(unsigned(neighbour - at.registers.begin()));
  }
  const unsigned unitBit = llvm::is_contained(order, 0u) ? 1 : 0; // the lowest remaining bit
  if (unitBit >= at.registers.size())
    return {};
  order.push_back(unitBit);
  SmallVector<int64_t> rest;
  for (unsigned bit = unitBit + 1; bit < at.registers.size(); ++bit)
    if (!llvm::is_contained(order, bit)) {
      order.push_back(bit);
      rest.push_back(at.registers[bit]);
    }
  // The eight units of a row of an 8x8 matrix are adjacent in memory. They are the two units of each of four lanes, or,
  // in a transposed matrix, one unit of each of eight lanes.
  ArrayRef<int64_t> lanes = at.lanes;
  SmallVector<int64_t, 3> pairs = {at.registers[unitBit], lanes[0], lanes[1]}, groups(lanes.drop_front(2));
  const SmallVector<int64_t, 3> sideBySide = {unit, 2 * unit, 4 * unit};
  bool isPlain = pairs == sideBySide, isTransposed = groups == sideBySide;
  if (!isPlain && !isTransposed)
    return {};
  ArrayRef<int64_t> rows = isPlain ? groups : pairs;
  if ((allBits(rows) | allBits(rest) | allBits(at.warps)) & (8 * unit - 1))
    return {};
  // Lane 8*i + r supplies the offset of row r of matrix i.
  ArrayRef<int64_t> matrices = ArrayRef(rest).take_front(2);
  SmallVector<int64_t> byLane(rows);
  llvm::append_range(byLane, matrices);
  SmallVector<int64_t> loads = combinations(ArrayRef(rest).drop_front(matrices.size()));
  Value offsets = offsetsFrom(loads, byLane, at.warps);
  VectorType each = vectorOf(2 * unit << matrices.size(), buffer.getElementType());
  SmallVector<Value> parts;
  for (size_t i = 0; i < loads.size(); ++i)
    parts.push_back(
        simt::LoadMatrixOp::create(b_, location_, each, get(planned), pickOne(offsets, int32_t(i)), isTransposed));
  Value loaded = concat(parts, int64_t(1) << at.registers.size(), buffer.getElementType());
  return llvm::is_sorted(order) ? loaded : pick(loaded, placesOfRegisters(order, at.registers.size()));
}

} // namespace tegula::tosimt
