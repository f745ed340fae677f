// Conversions between distributed layouts and fragments: the tensor is staged in shared memory as a matrix with padded
// lines, to and from which fragments are stored and loaded. A tensor larger than the memory for one exchange is staged
// in parts.
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

int64_t bitsBetween(unsigned low, unsigned high) { return (int64_t(1) << high) - (int64_t(1) << low); }

/// The contribution of register `number` to the coordinate along `axis`.
int64_t ofRegister(ArrayRef<int64_t> bases, unsigned rank, unsigned axis, int64_t number) {
  int64_t coordinate = 0;
  for (size_t bit = 0; bit * rank < bases.size(); ++bit)
    coordinate ^= number >> bit & 1 ? bases[bit * rank + axis] : 0;
  return coordinate;
}

/// Whether the bits `mask` of the coordinate along `axis` depend on the register alone, not on lane or warp.
bool isOfRegister(layout_ir::DistributedAttr layout, unsigned axis, int64_t mask) {
  for (ArrayRef<int64_t> bases : {layout.getLanes(), layout.getWarps()})
    for (size_t at = axis; at < bases.size(); at += layout.getRank())
      if (bases[at] & mask)
        return false;
  return true;
}

/// How many of the lowest register bits count up along an axis: with n such bits, 2^n consecutive registers hold 2^n
/// neighbours.
unsigned neighbourBits(layout_ir::DistributedAttr layout, unsigned axis) {
  ArrayRef<int64_t> bases = layout.getRegisters();
  unsigned rank = layout.getRank(), bits = 0;
  for (size_t at = 0; at < bases.size(); at += rank, ++bits)
    for (unsigned other = 0; other < rank; ++other)
      if (bases[at + other] != (other == axis ? int64_t(1) << bits : 0))
        return bits;
  return bits;
}

/// The axis along which neighbouring lanes differ.
unsigned axisOfLanes(layout_ir::DistributedAttr layout) {
  ArrayRef<int64_t> bases = layout.getLanes();
  for (size_t at = 0; at < bases.size(); ++at)
    if (bases[at] != 0)
      return at % layout.getRank();
  return layout.getRank() - 1;
}

} // namespace

int64_t Lowering::Staging::partCount() const {
  int64_t count = 1;
  for (const PartBits &bits : parts)
    count <<= bits.high - bits.low;
  return count;
}

Lowering::Staging Lowering::stagingOf(Layout layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> extents,
                                      ArrayRef<PartBits> parts, Type element) {
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  unsigned byRow = neighbourBits(layout, row), byColumn = neighbourBits(layout, column);
  bool isByColumns = byRow > byColumn || (byRow == byColumn && axisOfLanes(layout) == row);
  Staging staging{layout,
                  SmallVector<int64_t>(shape),
                  isByColumns ? row : column,
                  isByColumns ? column : row,
                  0,
                  0,
                  0,
                  SmallVector<PartBits>(parts),
                  1};
  staging.stride = extents[staging.fast] + tile::linePadding(element);
  staging.matrix = extents[staging.slow] * staging.stride;
  staging.count = (rank == 3 ? extents[0] : 1) * staging.matrix;
  unsigned bits = std::min<unsigned>(isByColumns ? byRow : byColumn, llvm::Log2_64(16 / simt::elementBytes(element)));
  for (const PartBits &part : parts)
    if (part.axis == staging.fast)
      bits = std::min(bits, part.low);
  staging.width = int64_t(1) << bits;
  return staging;
}

/// Emits the numbers with the bits [low, high) removed: the bits above move down to `low`.
Value Lowering::withoutBits(Value numbers, unsigned low, unsigned high) {
  auto all = [&](int64_t value) { return splat(constant(value), countOf(numbers)); };
  Value below = arith::AndIOp::create(b_, location_, numbers, all(bitsBetween(0, low)));
  Value above = arith::ShRUIOp::create(b_, location_, numbers, all(high));
  above = arith::ShLIOp::create(b_, location_, above, all(low));
  return arith::OrIOp::create(b_, location_, below, above);
}

Lowering::Placed Lowering::placedIn(const Staging &staging, int64_t part) {
  Layout layout = staging.layout;
  unsigned rank = staging.shape.size();
  Placed placed;
  // For each range of coordinate bits that select a part: the value of these bits in this part, and whether they depend
  // on the register alone. If they do, a register with another value is in another part in every thread, and is
  // omitted.
  struct Asked {
    PartBits bits;
    int64_t number;
    bool ofRegister;
  };
  SmallVector<Asked> asked;
  for (const PartBits &bits : staging.parts) {
    int64_t mask = bitsBetween(bits.low, bits.high);
    asked.push_back({bits, part & (mask >> bits.low), isOfRegister(layout, bits.axis, mask)});
    part >>= bits.high - bits.low;
  }
  SmallVector<int32_t> firsts;
  for (int64_t first = 0, count = layout_ir::registersOf(layout); first < count; first += staging.width) {
    bool mayBeIn = llvm::all_of(asked, [&](const Asked &a) {
      int64_t coordinate = ofRegister(layout.getRegisters(), rank, a.bits.axis, first);
      return !a.ofRegister || (coordinate & bitsBetween(a.bits.low, a.bits.high)) >> a.bits.low == a.number;
    });
    if (!mayBeIn)
      continue;
    firsts.push_back(first);
    for (int64_t i = 0; i < staging.width; ++i)
      placed.registers.push_back(first + i);
  }
  if (firsts.empty())
    return placed;
  int64_t count = firsts.size();
  auto all = [&](int64_t value) { return splat(constant(value), count); };
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t step = axis == staging.fast ? 1 : axis == staging.slow ? staging.stride : staging.matrix;
    if (staging.shape[axis] == 1)
      continue;
    Value coordinate = pick(coordinates(layout, axis), firsts);
    for (const Asked &a : asked) {
      if (a.bits.axis != axis)
        continue;
      unsigned low = a.bits.low, high = a.bits.high;
      if (!a.ofRegister) {
        Value number = arith::AndIOp::create(b_, location_, coordinate, all(bitsBetween(low, high)));
        Value isIn = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, number, all(a.number << low));
        placed.isIn = both(placed.isIn, isIn);
      }
      coordinate = withoutBits(coordinate, low, high); // the coordinate within the part
    }
    if (step != 1)
      coordinate = arith::MulIOp::create(b_, location_, coordinate, all(step));
    placed.offsets =
        placed.offsets ? Value(arith::AddIOp::create(b_, location_, placed.offsets, coordinate)) : coordinate;
  }
  if (!placed.offsets)
    placed.offsets = all(0);
  return placed;
}

void Lowering::zero(Value buffer) {
  auto type = cast<simt::SharedType>(buffer.getType());
  Type element = type.getElementType();
  int64_t width = 16 / simt::elementBytes(element), count = type.getBytes() / simt::elementBytes(element);
  int64_t accesses = llvm::divideCeil(count, width * threads());
  SmallVector<int64_t> starts;
  for (int64_t i = 0; i < accesses; ++i)
    starts.push_back(i * threads() * width);
  Value mine = arith::MulIOp::create(b_, location_, thread_, constant(width));
  Value offsets = arith::AddIOp::create(b_, location_, splat(mine, accesses), constants(starts, b_.getI32Type()));
  // An access that would go beyond the buffer's end stores zeros to its last elements again, so that no thread needs a
  // branch.
  offsets = arith::MinSIOp::create(b_, location_, offsets, splat(constant(count - width), accesses));
  VectorType zeros = vectorOf(accesses * width, element);
  storeShared(buffer, offsets, arith::ConstantOp::create(b_, location_, zeros, b_.getZeroAttr(zeros)));
}

Value Lowering::stagePart(Value vector, const Staging &staging, int64_t part, bool isPadded) {
  Placed placed = placedIn(staging, part);
  // Registers that belong to another part are stored to a per-thread dummy slot after the staged data, so that every
  // thread executes the same stores.
  int64_t idle = placed.isIn ? threads() * staging.width : 0;
  Value buffer = scratch(staging.count + idle, elementOf(vector));
  if (isPadded)
    zero(buffer);
  if (placed.registers.empty())
    return buffer;
  Value offsets = placed.offsets;
  if (placed.isIn) {
    Value own = arith::MulIOp::create(b_, location_, thread_, constant(staging.width));
    own = arith::AddIOp::create(b_, location_, own, constant(staging.count));
    offsets = select(placed.isIn, offsets, splat(own, countOf(offsets)));
  }
  storeShared(buffer, offsets, pick(vector, placed.registers));
  return buffer;
}

Value Lowering::unstagePart(Value buffer, const Staging &staging, int64_t part, Value rest) {
  Placed placed = placedIn(staging, part);
  Type element = cast<simt::SharedType>(buffer.getType()).getElementType();
  int64_t count = layout_ir::registersOf(staging.layout);
  if (!rest) {
    VectorType zeros = vectorOf(count, element);
    rest = arith::ConstantOp::create(b_, location_, zeros, b_.getZeroAttr(zeros));
  }
  if (placed.registers.empty())
    return rest;
  int64_t loaded = placed.registers.size();
  Value values = simt::SharedLoadOp::create(b_, location_, vectorOf(loaded, element), buffer, placed.offsets);
  if (placed.isIn) {
    SmallVector<int32_t> accesses;
    for (int64_t i = 0; i < loaded; ++i)
      accesses.push_back(i / staging.width);
    values = select(pick(placed.isIn, accesses), values, pick(rest, placed.registers));
  }
  // Register i of the result is loaded from the buffer if it belongs to this part; else it is register i of `rest`.
  SmallVector<int32_t> from = llvm::to_vector(llvm::seq<int32_t>(loaded, loaded + count));
  for (auto [i, number] : llvm::enumerate(placed.registers))
    from[number] = i;
  return pick(concat({values, rest}, loaded + count, element), from);
}

} // namespace tegula::tosimt
