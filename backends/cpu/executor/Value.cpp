#include "backends/cpu/executor/Value.h"

#include "core/support/Diagnostic.h"

#include <algorithm>
#include <cstring>

namespace tegula::cpu {

Extents rowMajorSteps(const Shape &shape) {
  Extents steps{};
  int64_t step = 1;
  for (unsigned d = shape.rank; d-- > 0;) {
    steps[d] = shape.extent[d] == 1 ? 0 : step;
    step *= shape.extent[d];
  }
  return steps;
}

unsigned widthIndex(ElementKind kind) {
  switch (byteSize(kind)) {
  case 1: return 0;
  case 2: return 1;
  case 4: return 2;
  default: return 3;
  }
}

unsigned bitWidth(ElementKind kind) { return kind == ElementKind::I1 ? 1 : byteSize(kind) * 8; }

int64_t wrapToWidth(int64_t value, unsigned bits) {
  if (bits >= 64)
    return value;
  const unsigned unused = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

Value Value::uniformBits(ElementKind element, const Shape &shape, uint64_t bits) {
  Value v;
  v.element = element;
  v.shape = shape;
  v.form = Form::Strided;
  v.scalar = static_cast<int64_t>(bits);
  return v;
}

Value Value::affine(ElementKind element, const Shape &shape, int64_t base) {
  Value v;
  v.element = element;
  v.shape = shape;
  v.form = Form::Affine;
  v.scalar = base;
  return v;
}

Value Value::boolean(const Shape &shape, bool value) {
  Value v;
  v.element = ElementKind::I1;
  v.shape = shape;
  v.form = Form::Box;
  v.scalar = value;
  v.high = shape.extent;
  return v;
}

Value Value::dense(ElementKind element, const Shape &shape) {
  Value v;
  v.element = element;
  v.shape = shape;
  v.form = Form::Strided;
  v.block = BlockRef(allocateBlock(static_cast<size_t>(shape.count()) * byteSize(element)));
  v.data = v.block.bytes();
  v.step = rowMajorSteps(shape);
  return v;
}

Value Value::denseInOrder(ElementKind element, const Shape &shape, std::span<const unsigned> order) {
  Value v = dense(element, shape);
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    v.step[order[i]] = shape.extent[order[i]] == 1 ? 0 : step;
    step *= shape.extent[order[i]];
  }
  return v;
}

bool Value::isUniform() const {
  switch (form) {
  case Form::Strided:
    if (!block)
      return true;
    [[fallthrough]];
  case Form::Affine:
    for (unsigned d = 0; d < shape.rank; ++d)
      if (step[d] != 0 && shape.extent[d] > 1)
        return false;
    return true;
  case Form::Box:
    if (!scalar)
      return true;
    for (unsigned d = 0; d < shape.rank; ++d)
      if (step[d] > 0 || high[d] < shape.extent[d])
        return false;
    return true;
  default: return false;
  }
}

bool Value::isRowMajor() const {
  if (form != Form::Strided || !block)
    return false;
  int64_t expected = 1;
  for (unsigned d = shape.rank; d-- > 0;) {
    if (shape.extent[d] != 1 && step[d] != expected)
      return false;
    expected *= shape.extent[d];
  }
  return true;
}

uint64_t Value::uniformElement() const {
  if (form != Form::Strided)
    return static_cast<uint64_t>(scalar);
  uint64_t bits = 0;
  std::memcpy(&bits, elements(), byteSize(element));
  return bits;
}

int64_t Value::integer() const {
  const auto bits = static_cast<int64_t>(uniformElement());
  return element == ElementKind::I1 ? (bits & 1) : wrapToWidth(bits, bitWidth(element));
}

void Value::splatTo(const Shape &target) {
  shape = target;
  if (form == Form::Box)
    high = target.extent;
}

std::optional<Range> affineRange(const Value &value) {
  int64_t low = value.scalar, high = value.scalar;
  for (unsigned d = 0; d < value.shape.rank; ++d) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(value.step[d], value.shape.extent[d] - 1, &reach))
      return std::nullopt;
    int64_t &end = reach < 0 ? low : high;
    if (__builtin_add_overflow(end, reach, &end))
      return std::nullopt;
  }
  return Range{low, high};
}

bool fitsSigned(const Range &range, unsigned bits) {
  if (bits >= 64)
    return true;
  const int64_t limit = int64_t{1} << (bits - 1);
  return range.low >= -limit && range.high < limit;
}

namespace {

/// The shape with extent 1 along each axis for which `varies` is false.
template <class Varies> Shape varyingShape(const Shape &shape, Varies varies) {
  Shape cut = shape;
  for (unsigned d = 0; d < shape.rank; ++d)
    if (!varies(d))
      cut.extent[d] = 1;
  return cut;
}

template <class T> void writeAffineRow(std::byte *row, int64_t base, int64_t step, int64_t count) {
  auto *out = reinterpret_cast<T *>(row);
  auto value = static_cast<T>(base);
  const auto increment = static_cast<T>(step);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(value + increment * static_cast<T>(i));
}

void writeAffineRow(std::byte *row, ElementKind kind, int64_t base, int64_t step, int64_t count) {
  switch (byteSize(kind)) {
  case 1: return writeAffineRow<uint8_t>(row, base, step, count);
  case 2: // in 32 bits: a product of 16-bit values, promoted to int, could overflow
    for (int64_t i = 0; i < count; ++i)
      reinterpret_cast<uint16_t *>(row)[i] =
          static_cast<uint16_t>(static_cast<uint32_t>(base) + static_cast<uint32_t>(step) * static_cast<uint32_t>(i));
    return;
  case 4: return writeAffineRow<uint32_t>(row, base, step, count);
  default: return writeAffineRow<uint64_t>(row, base, step, count);
  }
}

Value materialiseAffine(const Value &v) {
  Shape cut = varyingShape(v.shape, [&](unsigned d) { return v.step[d] != 0; });
  Value result = Value::dense(v.element, cut);
  result.pointee = v.pointee;
  std::byte *out = result.mutableElements();
  const unsigned rank = cut.rank;
  const int64_t width = rank ? cut.extent[rank - 1] : 1;
  const int64_t inner = rank ? v.step[rank - 1] : 0;
  forEachRow(cut, [&](const Extents &index) {
    auto base = static_cast<uint64_t>(v.scalar);
    for (unsigned d = 0; d + 1 < rank; ++d)
      base += static_cast<uint64_t>(index[d]) * static_cast<uint64_t>(v.step[d]);
    writeAffineRow(out, v.element, static_cast<int64_t>(base), inner, width);
    out += width * byteSize(v.element);
  });
  result.shape = v.shape;
  return result;
}

Value materialiseBox(const Value &v) {
  Shape cut =
      varyingShape(v.shape, [&](unsigned d) { return v.scalar && (v.step[d] > 0 || v.high[d] < v.shape.extent[d]); });
  Value result = Value::dense(ElementKind::I1, cut);
  std::byte *out = result.mutableElements();
  const unsigned rank = cut.rank;
  const int64_t width = rank ? cut.extent[rank - 1] : 1;
  forEachRow(cut, [&](const Extents &index) {
    bool inside = v.scalar;
    for (unsigned d = 0; d + 1 < rank; ++d)
      if (cut.extent[d] > 1)
        inside = inside && index[d] >= v.step[d] && index[d] < v.high[d];
    std::memset(out, 0, static_cast<size_t>(width));
    if (inside && rank && width > 1)
      std::memset(out + v.step[rank - 1], 1, static_cast<size_t>(v.high[rank - 1] - v.step[rank - 1]));
    else if (inside)
      std::memset(out, 1, static_cast<size_t>(width));
    out += width;
  });
  result.shape = v.shape;
  return result;
}

} // namespace

Value toStrided(const Value &value) {
  switch (value.form) {
  case Value::Form::Strided: return value;
  case Value::Form::Affine:
  case Value::Form::Box:
    if (value.isUniform()) {
      Value result = Value::uniformBits(value.element, value.shape, static_cast<uint64_t>(value.scalar));
      result.pointee = value.pointee;
      return result;
    }
    return value.form == Value::Form::Affine ? materialiseAffine(value) : materialiseBox(value);
  default: throw InternalError("a register without elements was read as a tile");
  }
}

Value copyInOrder(const Value &value, std::span<const unsigned> order) {
  const Value source = toStrided(value);
  Value result = Value::denseInOrder(source.element, source.shape, order);
  result.pointee = source.pointee;
  const auto size = static_cast<int64_t>(byteSize(source.element));
  Extents to{}, from{};
  Shape ordered;
  ordered.rank = source.shape.rank;
  for (unsigned i = 0; i < ordered.rank; ++i) {
    ordered.extent[i] = source.shape.extent[order[i]];
    to[i] = result.step[order[i]] * size;
    from[i] = source.step[order[i]] * size;
  }
  copyStrided(result.mutableElements(), to, source.elements(), from, ordered, static_cast<unsigned>(size));
  return result;
}

Value toRowMajor(const Value &value) {
  if (value.isRowMajor())
    return value;
  if (value.form != Value::Form::Strided) {
    Value strided = toStrided(value);
    if (strided.isRowMajor())
      return strided;
    return toRowMajor(strided);
  }
  std::array<unsigned, kMaxRank> order;
  for (unsigned d = 0; d < kMaxRank; ++d)
    order[d] = d;
  return copyInOrder(value, std::span(order.data(), value.shape.rank));
}

} // namespace tegula::cpu
