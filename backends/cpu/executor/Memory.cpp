// Loads and stores of tiles. If the addresses are Affine and the mask is a Box, a tile is a strided rectangle of memory
// and is moved row by row. The axes are traversed in memory order, and a loaded tile keeps this order in its steps, so
// that a transposed operand is read along contiguous rows, too. All other tiles are moved element by element.
#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>
#include <cstring>

namespace tegula::cpu {

namespace {

using Order = std::array<unsigned, kMaxRank>;

/// The axes sorted by decreasing distance in memory, outermost first; axes of extent 1 come before all others.
Order memoryOrder(const MemoryBlock &block, const Shape &shape) {
  Order order;
  for (unsigned d = 0; d < kMaxRank; ++d)
    order[d] = d;
  auto distance = [&](unsigned d) {
    const auto step = static_cast<uint64_t>(block.step[d]);
    return shape.extent[d] == 1 ? UINT64_MAX : block.step[d] < 0 ? 0 - step : step;
  };
  std::sort(order.begin(), order.begin() + shape.rank,
            [&](unsigned a, unsigned b) { return distance(a) != distance(b) ? distance(a) > distance(b) : a < b; });
  return order;
}

/// The rectangle of memory that an Affine pointer under a Box mask addresses; nothing for other forms.
std::optional<MemoryBlock> blockOf(const Value &pointer, const Value *mask, const Shape &shape) {
  if (pointer.form != Value::Form::Affine)
    return std::nullopt;
  MemoryBlock block;
  block.base = pointer.scalar;
  block.step = pointer.step;
  block.high = shape.extent;
  if (!mask)
    return block;
  if (mask->form != Value::Form::Box)
    return std::nullopt;
  block.empty = !mask->scalar;
  if (mask->shape.rank == shape.rank)
    for (unsigned d = 0; d < shape.rank; ++d) {
      block.low[d] = mask->step[d];
      block.high[d] = mask->high[d];
    }
  return block;
}

bool covers(const MemoryBlock &block, const Shape &shape) {
  if (block.empty)
    return false;
  for (unsigned d = 0; d < shape.rank; ++d)
    if (block.low[d] > 0 || block.high[d] < shape.extent[d])
      return false;
  return true;
}

/// The block's extents in memory order.
Shape blockShape(const MemoryBlock &block, unsigned rank, const Order &order) {
  Shape shape;
  shape.rank = rank;
  for (unsigned i = 0; i < rank; ++i)
    shape.extent[i] = block.high[order[i]] - block.low[order[i]];
  return shape;
}

std::byte *blockStart(const MemoryBlock &block, unsigned rank) {
  auto address = static_cast<uint64_t>(block.base);
  for (unsigned d = 0; d < rank; ++d)
    address += static_cast<uint64_t>(block.low[d]) * static_cast<uint64_t>(block.step[d]);
  return reinterpret_cast<std::byte *>(address);
}

Extents permuted(const Extents &steps, const Order &order, unsigned rank) {
  Extents result{};
  for (unsigned i = 0; i < rank; ++i)
    result[i] = steps[order[i]];
  return result;
}

void fillTile(Value &tile, const Value *other) {
  const unsigned size = byteSize(tile.element);
  Extents to{}, from{};
  Value source;
  if (other)
    source = toStrided(*other);
  else
    source = Value::uniformBits(tile.element, tile.shape, 0);
  for (unsigned d = 0; d < tile.shape.rank; ++d) {
    to[d] = tile.step[d] * static_cast<int64_t>(size);
    from[d] = source.step[d] * static_cast<int64_t>(size);
  }
  copyStrided(tile.mutableElements(), to, source.elements(), from, tile.shape, size);
}

/// Converts bytes that were read from memory as i1 to 0 or 1: any byte other than zero is true.
void normaliseBits(Value &tile) {
  auto *bytes = tile.as<uint8_t>();
  for (int64_t i = 0, n = tile.shape.count(); i < n; ++i)
    bytes[i] = bytes[i] != 0;
}

template <class T>
void gatherRow(T *out, const uint64_t *pointers, const uint8_t *mask, const T *other, bool otherUniform, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (!mask || mask[i])
      std::memcpy(&out[i], reinterpret_cast<const void *>(pointers[i]), sizeof(T));
    else
      out[i] = other ? other[otherUniform ? 0 : i] : T(0);
  }
}

template <class T>
void scatterRow(const T *values, bool uniform, const uint64_t *pointers, const uint8_t *mask, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    if (!mask || mask[i])
      std::memcpy(reinterpret_cast<void *>(pointers[i]), &values[uniform ? 0 : i], sizeof(T));
}

} // namespace

Value Machine::addPointer(const Context &c) {
  const Operand pointer = c.operand(0);
  const Value &offset = *c.operand(1);
  const Shape shape = commonShape(c.operands);
  const auto size = static_cast<int64_t>(byteSize(c.resultType().pointee));
  if (pointer->form == Value::Form::Affine && offset.form == Value::Form::Affine) {
    Value r = *pointer;
    r.shape = shape;
    r.scalar = static_cast<int64_t>(static_cast<uint64_t>(r.scalar) +
                                    static_cast<uint64_t>(offset.scalar) * static_cast<uint64_t>(size));
    for (unsigned d = 0; d < shape.rank; ++d)
      r.step[d] = static_cast<int64_t>(static_cast<uint64_t>(r.step[d]) +
                                       static_cast<uint64_t>(offset.step[d]) * static_cast<uint64_t>(size));
    if (!checked())
      return r;
    // Checked mode: the sum stays Affine only if every element keeps the pointer's origin (Buffers.h). Offsets of 2^45
    // elements and more are assumed to leave the origin's 2^48 bytes.
    const std::optional<Range> reach = affineRange(r), offsets = affineRange(offset);
    const bool small = offsets && std::max(std::abs(offsets->low >> 1), std::abs(offsets->high >> 1)) < int64_t{1}
                                                                                                            << 44;
    const uint64_t origin = originOf(static_cast<uint64_t>(pointer->scalar));
    if (small && reach && originOf(static_cast<uint64_t>(reach->low)) == origin &&
        originOf(static_cast<uint64_t>(reach->high)) == origin && origin != kLostOrigin)
      return r;
  }
  Value wide = offset;
  if (bitWidth(offset.element) < 64)
    wide = resizeInteger({&wide, true}, ElementKind::I64, true);
  if (checked()) {
    auto splat = [&](Value v) {
      if (v.shape.rank < shape.rank)
        v.splatTo(shape);
      return toRowMajor(v);
    };
    const Value from = splat(*pointer), by = splat(wide);
    Value r = Value::dense(ElementKind::Pointer, shape);
    for (int64_t i = 0, n = shape.count(); i < n; ++i)
      r.as<uint64_t>()[i] = addToPointer(from.as<uint64_t>()[i], static_cast<__int128>(by.as<int64_t>()[i]) * size);
    return r;
  }
  RowOperation multiply, add;
  multiply.kernel = kernels_.elementwise[static_cast<size_t>(Opcode::Mul)][3];
  add.kernel = kernels_.elementwise[static_cast<size_t>(Opcode::Add)][3];
  for (unsigned k = 0; k < 2; ++k)
    multiply.inputBytes[k] = add.inputBytes[k] = 8;
  multiply.outputBytes = add.outputBytes = 8;
  if (size != 1) {
    Value factor = Value::affine(ElementKind::I64, wide.shape, size);
    Operand operands[2] = {{&wide, true}, {&factor, true}};
    wide = elementwise(multiply, ElementKind::I64, operands);
  }
  Operand operands[2] = {pointer, {&wide, true}};
  return uniformToAffine(elementwise(add, ElementKind::Pointer, operands));
}

Value Machine::loadBlock(const MemoryBlock &block, ElementKind element, const Shape &shape, const Value *other) {
  const unsigned size = byteSize(element);
  const bool whole = covers(block, shape);
  // Along an axis of step 0 all elements have one address, so only one of them is loaded, unless the mask excludes
  // some.
  Shape distinct = shape;
  MemoryBlock from = block;
  if (whole)
    for (unsigned d = 0; d < shape.rank; ++d)
      if (block.step[d] == 0)
        distinct.extent[d] = from.high[d] = 1;
  const Order order = memoryOrder(from, distinct);
  Value result = Value::denseInOrder(element, distinct, std::span(order.data(), shape.rank));
  if (!whole)
    fillTile(result, other);
  if (!block.empty) {
    Extents to{};
    std::byte *start = result.mutableElements();
    for (unsigned d = 0; d < shape.rank; ++d) {
      to[d] = result.step[d] * static_cast<int64_t>(size);
      start += from.low[d] * to[d];
    }
    copyStrided(start, permuted(to, order, shape.rank), blockStart(from, shape.rank),
                permuted(from.step, order, shape.rank), blockShape(from, shape.rank, order), size);
  }
  if (element == ElementKind::I1)
    normaliseBits(result);
  result.shape = shape;
  return result;
}

/// True if a row of a store bypasses the caches: the row has at least 2 KiB, and all programs of the launch together
/// write more than 32 MiB by this store.
bool Machine::streams(int64_t rowBytes, int64_t tileBytes) const {
  constexpr int64_t kLongRow = 2048;
  constexpr uint64_t kBeyondCaches = uint64_t{32} << 20;
  return rowBytes >= kLongRow && launch_.programs() >= kBeyondCaches / static_cast<uint64_t>(tileBytes);
}

void Machine::storeBlock(const MemoryBlock &block, const Value &value) {
  if (block.empty)
    return;
  const Value source = toStrided(value);
  const unsigned size = byteSize(source.element);
  const unsigned rank = value.shape.rank;
  const Order order = memoryOrder(block, value.shape);
  Extents from{};
  const std::byte *start = source.elements();
  for (unsigned d = 0; d < rank; ++d) {
    from[d] = source.step[d] * static_cast<int64_t>(size);
    start += block.low[d] * from[d];
  }
  const Shape part = blockShape(block, rank, order);
  const Extents toStep = permuted(block.step, order, rank), fromStep = permuted(from, order, rank);
  std::byte *target = blockStart(block, rank);
  const unsigned last = rank ? rank - 1 : 0;
  const int64_t rowBytes = rank ? part.extent[last] * static_cast<int64_t>(size) : 0;
  if (rank && toStep[last] == static_cast<int64_t>(size) && fromStep[last] == static_cast<int64_t>(size) &&
      streams(rowBytes, value.shape.count() * static_cast<int64_t>(size)))
    forEachRow(part, [&](const Extents &index) {
      int64_t to = 0, at = 0;
      for (unsigned d = 0; d < last; ++d) {
        to += index[d] * toStep[d];
        at += index[d] * fromStep[d];
      }
      kernels_.stream(target + to, start + at, static_cast<size_t>(rowBytes));
    });
  else
    copyStrided(target, toStep, start, fromStep, part, size);
}

Value Machine::loadElements(const Value &pointerTile, const Value *maskTile, const Value *otherTile,
                            ElementKind element, const Shape &shape) {
  Value pointers = toRowMajor(pointerTile);
  Value mask, other;
  if (maskTile)
    mask = toRowMajor(*maskTile);
  if (otherTile)
    other = otherTile->isUniform() ? toStrided(*otherTile) : toRowMajor(*otherTile);
  const uint8_t *maskBytes = maskTile ? std::as_const(mask).as<uint8_t>() : nullptr;
  const int64_t n = shape.count();
  const uint64_t *addresses = std::as_const(pointers).as<uint64_t>();
  Value real;
  if (checked()) {
    real = Value::dense(ElementKind::Pointer, shape);
    for (int64_t i = 0; i < n; ++i)
      if (!maskBytes || maskBytes[i])
        real.as<uint64_t>()[i] =
            reinterpret_cast<uint64_t>(resolve(addresses[i], byteSize(element), Access::Load, shape, i));
    addresses = std::as_const(real).as<uint64_t>();
  }
  Value result = Value::dense(element, shape);
  const bool uniform = otherTile && other.isUniform();
  auto rows = [&]<class T>(T) {
    gatherRow<T>(result.as<T>(), addresses, maskBytes, otherTile ? std::as_const(other).as<T>() : nullptr, uniform, n);
  };
  switch (byteSize(element)) {
  case 1: rows(uint8_t{}); break;
  case 2: rows(uint16_t{}); break;
  case 4: rows(uint32_t{}); break;
  default: rows(uint64_t{});
  }
  if (element == ElementKind::I1)
    normaliseBits(result);
  return result;
}

void Machine::storeElements(const Value &pointerTile, const Value *maskTile, const Value &valueTile) {
  const Shape &shape = pointerTile.shape;
  const Value pointers = toRowMajor(pointerTile);
  const Value value = valueTile.isUniform() ? toStrided(valueTile) : toRowMajor(valueTile);
  Value mask;
  if (maskTile)
    mask = toRowMajor(*maskTile);
  const uint8_t *maskBytes = maskTile ? std::as_const(mask).as<uint8_t>() : nullptr;
  const int64_t n = shape.count();
  const uint64_t *addresses = pointers.as<uint64_t>();
  Value real;
  if (checked()) {
    real = Value::dense(ElementKind::Pointer, shape);
    for (int64_t i = 0; i < n; ++i)
      if (!maskBytes || maskBytes[i])
        real.as<uint64_t>()[i] =
            reinterpret_cast<uint64_t>(resolve(addresses[i], byteSize(value.element), Access::Store, shape, i));
    addresses = std::as_const(real).as<uint64_t>();
  }
  const bool uniform = value.isUniform();
  switch (byteSize(value.element)) {
  case 1: return scatterRow(value.as<uint8_t>(), uniform, addresses, maskBytes, n);
  case 2: return scatterRow(value.as<uint16_t>(), uniform, addresses, maskBytes, n);
  case 4: return scatterRow(value.as<uint32_t>(), uniform, addresses, maskBytes, n);
  default: return scatterRow(value.as<uint64_t>(), uniform, addresses, maskBytes, n);
  }
}

Value Machine::load(const Context &c) {
  const Value &pointer = *c.operand(0);
  const Value *mask = c.instruction.operandCount > 1 ? c.operand(1).value : nullptr;
  const Value *other = c.instruction.operandCount > 2 ? c.operand(2).value : nullptr;
  const ElementKind element = c.resultType().element;
  const Shape &shape = pointer.shape;
  std::optional<MemoryBlock> block = blockOf(pointer, mask, shape);
  Value result = block && checkBlock(*block, shape, byteSize(element), Access::Load)
                     ? loadBlock(*block, element, shape, other)
                     : loadElements(pointer, mask, other, element, shape);
  result.pointee = c.resultType().pointee;
  if (element == ElementKind::Pointer && checked()) { // converts tagged pointers of registers to addresses in memory
    result.element = ElementKind::I64;
    result = toPointer({&result, true});
    result.pointee = c.resultType().pointee;
  }
  return isAffineKind(element) ? uniformToAffine(std::move(result)) : result;
}

void Machine::store(const Context &c) {
  const Value &pointer = *c.operand(0);
  Value value = *c.operand(1);
  const Value *mask = c.instruction.operandCount > 2 ? c.operand(2).value : nullptr;
  if (value.element == ElementKind::Pointer)
    value = fromPointer({&value, true}, ElementKind::I64);
  std::optional<MemoryBlock> block = blockOf(pointer, mask, pointer.shape);
  if (block && checkBlock(*block, pointer.shape, byteSize(value.element), Access::Store))
    storeBlock(*block, value);
  else
    storeElements(pointer, mask, value);
}

} // namespace tegula::cpu
