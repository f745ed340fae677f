// Tensor descriptors: a base with extents and strides. A block at an offset becomes an Affine pointer tile with a Box
// mask that clips it to the tensor, so that the loads and stores of pointer tiles can be used.
#include "backends/cpu/executor/Descriptor.h"

#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>
#include <new>

namespace tegula::cpu {

Value descriptorValue(const TileType &type, const DescriptorData &data) {
  Value v;
  v.form = Value::Form::Descriptor;
  v.element = ElementKind::Descriptor;
  v.pointee = type.pointee;
  v.block = BlockRef(allocateBlock(sizeof(DescriptorData)));
  new (v.block.bytes()) DescriptorData(data);
  return v;
}

const DescriptorData &descriptorData(const Value &v) {
  return *std::launder(reinterpret_cast<const DescriptorData *>(v.block.bytes()));
}

namespace {

/// The padding element: zero or a quiet NaN of a float type; always zero for integers.
uint64_t paddingBits(ElementKind kind, bool nan) {
  if (!nan)
    return 0;
  switch (kind) {
  case ElementKind::F16: return 0x7e00;
  case ElementKind::BF16: return 0x7fc0;
  case ElementKind::F32: return 0x7fc00000;
  case ElementKind::F64: return 0x7ff8000000000000;
  case ElementKind::F8E4M3: return 0x7f;
  case ElementKind::F8E5M2: return 0x7e;
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ: return 0x80;
  default: return 0;
  }
}

/// Checked mode: true if any address of the block, masked-off ones included, lies outside of the origin's 2^48 bytes.
/// Pointer arithmetic would then carry into the origin bits and name another buffer.
bool leavesOrigin(const DescriptorData &d, const Shape &extents, const Extents &offset, unsigned size) {
  constexpr __int128 kEnd = __int128{1} << 48;
  __int128 low = static_cast<uint64_t>(d.base) & static_cast<uint64_t>(kEnd - 1), high = low;
  for (unsigned i = 0; i < extents.rank; ++i) {
    const __int128 stride = static_cast<__int128>(d.stride[i]) * size;
    const __int128 first = offset[i] * stride,
                   last = (static_cast<__int128>(offset[i]) + extents.extent[i] - 1) * stride;
    low += std::min(first, last);
    high += std::max(first, last);
  }
  return low < 0 || high >= kEnd;
}

/// Pointers and mask of the block of `extents` at `offset`.
struct Window {
  Value pointer, mask;
};
Window windowOf(const DescriptorData &d, ElementKind pointee, const Shape &extents, const Extents &offset,
                bool checked) {
  const auto size = static_cast<uint64_t>(byteSize(pointee));
  Window w{Value::affine(ElementKind::Pointer, extents, 0), Value::boolean(extents, true)};
  auto base = static_cast<uint64_t>(d.base);
  for (unsigned i = 0; i < extents.rank; ++i) {
    const auto stride = static_cast<uint64_t>(d.stride[i]) * size;
    base += static_cast<uint64_t>(offset[i]) * stride;
    w.pointer.step[i] = static_cast<int64_t>(stride);
    // `-offset` and `extent - offset` do not overflow: offsets have 32 bits, and extents are non-negative 64-bit
    // integers.
    w.mask.step[i] = std::clamp<int64_t>(-offset[i], 0, extents.extent[i]);
    w.mask.high[i] = std::clamp<int64_t>(d.extent[i] - offset[i], 0, extents.extent[i]);
    if (w.mask.step[i] >= w.mask.high[i])
      w.mask = Value::boolean(extents, false);
    if (!w.mask.scalar)
      break;
  }
  w.pointer.scalar = static_cast<int64_t>(base);
  if (checked && leavesOrigin(d, extents, offset, byteSize(pointee))) {
    w.pointer.scalar = static_cast<int64_t>(kLostPointer);
    w.pointer.step = {};
  }
  w.pointer.pointee = pointee;
  return w;
}

Extents offsetsOf(std::span<Operand> operands) {
  Extents offsets{};
  for (size_t i = 0; i < operands.size(); ++i)
    offsets[i] = operands[i]->integer();
  return offsets;
}

Value blockOfShape(Value v, const Shape &shape) {
  if (v.shape == shape)
    return v;
  if (v.isUniform()) {
    v.splatTo(shape);
    v.step = {};
    return v;
  }
  v = toRowMajor(v);
  v.shape = shape;
  v.step = rowMajorSteps(shape);
  return v;
}

} // namespace

Value Machine::makeDescriptor(const Context &c) {
  const TileType &type = c.resultType();
  const auto rank = static_cast<unsigned>(type.shape.size());
  DescriptorData d;
  d.base = c.operand(0)->integer();
  d.rank = rank;
  d.paddingNaN = c.attribute(0) != 0;
  for (unsigned i = 0; i < rank; ++i) {
    d.extent[i] = c.operand(1 + i)->integer();
    d.stride[i] = c.operand(1 + rank + i)->integer();
    if (d.extent[i] < 0)
      fault("tensor descriptor with extent " + std::to_string(d.extent[i]) + " along axis " + std::to_string(i) +
            ", expected at least 0");
  }
  return descriptorValue(type, d);
}

Value Machine::descriptorPart(const Context &c) {
  const DescriptorData &d = descriptorData(*c.operand(0));
  const auto axis = static_cast<size_t>(c.attribute(1));
  if (c.attribute(0) == 3)
    return Value::boolean(c.resultShape(), d.paddingNaN);
  const int64_t parts[] = {d.base, d.extent[axis], d.stride[axis]};
  Value v = Value::affine(c.resultType().element, c.resultShape(), parts[c.attribute(0)]);
  v.pointee = c.resultType().pointee;
  return v;
}

/// Loads, stores, or atomically changes a block; `result` is null for stores and atomics.
void Machine::descriptorAccess(const Context &c, Value *result) {
  const DescriptorData &d = descriptorData(*c.operand(0));
  const TileType &type = c.function.type(c.function.registersUsed[c.instruction.operands] & ~kLastUse);
  const Shape extents(type.shape);
  const unsigned firstOffset = result ? 1 : 2;
  const Extents offset = offsetsOf(c.operands.subspan(firstOffset));
  const Window w = windowOf(d, type.pointee, extents, offset, checked());
  const Opcode opcode = c.instruction.opcode;
  if (opcode == Opcode::DescAtomic) {
    const Value value = blockOfShape(toStrided(*c.operand(1)), extents);
    atomicElements(w.pointer, &w.mask, value, static_cast<AtomicKind>(c.attribute(0)));
    return;
  }
  MemoryBlock block;
  block.base = w.pointer.scalar;
  block.step = w.pointer.step;
  block.low = w.mask.step;
  block.high = w.mask.high;
  block.empty = !w.mask.scalar;
  const unsigned size = byteSize(type.pointee);
  if (result) {
    const Value padding = Value::uniformBits(type.pointee, extents, paddingBits(type.pointee, d.paddingNaN));
    Value loaded = checkBlock(block, extents, size, Access::Load)
                       ? loadBlock(block, type.pointee, extents, &padding)
                       : loadElements(w.pointer, &w.mask, &padding, type.pointee, extents);
    *result = blockOfShape(std::move(loaded), c.resultShape());
    return;
  }
  const Value value = blockOfShape(toStrided(*c.operand(1)), extents);
  if (checkBlock(block, extents, size, Access::Store))
    storeBlock(block, value);
  else
    storeElements(w.pointer, &w.mask, value);
}

namespace {

/// The pointers and the mask of the rows of a gather or scatter.
Window rowsWindow(const DescriptorData &d, ElementKind pointee, const Shape &shape, const Value &rows, int64_t column,
                  bool checked) {
  Window w{Value::dense(ElementKind::Pointer, shape), Value::dense(ElementKind::I1, shape)};
  const Value indices = toRowMajor(rows);
  const int64_t width = shape.extent[1];
  const auto size = static_cast<int64_t>(byteSize(pointee));
  for (int64_t r = 0; r < shape.extent[0]; ++r) {
    const int64_t row = indices.as<int32_t>()[r];
    for (int64_t i = 0; i < width; ++i) {
      const bool inside = row >= 0 && row < d.extent[0] && column + i >= 0 && column + i < d.extent[1];
      const auto offset =
          inside ? (static_cast<__int128>(row) * d.stride[0] + static_cast<__int128>(column + i) * d.stride[1]) * size
                 : 0;
      w.mask.as<uint8_t>()[r * width + i] = inside;
      const auto base = static_cast<uint64_t>(d.base);
      w.pointer.as<uint64_t>()[r * width + i] =
          checked ? addToPointer(base, offset) : base + static_cast<uint64_t>(offset);
    }
  }
  w.pointer.pointee = pointee;
  return w;
}

} // namespace

Value Machine::descriptorGather(const Context &c) {
  const DescriptorData &d = descriptorData(*c.operand(0));
  const ElementKind element = c.resultType().element;
  const Shape shape = c.resultShape();
  const Window w = rowsWindow(d, element, shape, *c.operand(1), c.operand(2)->integer(), checked());
  const Value padding = Value::uniformBits(element, shape, paddingBits(element, d.paddingNaN));
  return loadElements(w.pointer, &w.mask, &padding, element, shape);
}

void Machine::descriptorScatter(const Context &c) {
  const DescriptorData &d = descriptorData(*c.operand(0));
  const Value &value = *c.operand(1);
  const Window w = rowsWindow(d, value.element, value.shape, *c.operand(2), c.operand(3)->integer(), checked());
  storeElements(w.pointer, &w.mask, value);
}

} // namespace tegula::cpu
