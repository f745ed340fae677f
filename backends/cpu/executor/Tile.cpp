// Gather, histogram, sort, and regions applied to each element.
#include "backends/cpu/executor/Machine.h"
#include "backends/cpu/executor/Slices.h"
#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

namespace tegula::cpu {

namespace {

int64_t readInteger(const Value &rowMajor, int64_t i) {
  int64_t bits = 0;
  const unsigned size = byteSize(rowMajor.element);
  std::memcpy(&bits, rowMajor.elements() + i * static_cast<int64_t>(size), size);
  return wrapToWidth(bits, size * 8);
}

} // namespace

Value Machine::gather(const Context &c) {
  const auto axis = static_cast<unsigned>(c.attribute(0));
  const Value x = toStrided(*c.operand(0));
  const Value indices = toRowMajor(*c.operand(1));
  const Shape &shape = indices.shape;
  const auto size = static_cast<int64_t>(byteSize(x.element));
  Value result = Value::dense(x.element, shape);
  result.pointee = x.pointee;
  std::byte *out = result.mutableElements();
  int64_t i = 0;
  forEachElement(shape, [&](const Extents &index) {
    int64_t at = readInteger(indices, i);
    const bool isOutside = at < 0 || at >= x.shape.extent[axis];
    if (isOutside && checked())
      fault("gather of element " + indexText(shape, i) + " reads index " + std::to_string(at) + " along axis " +
            std::to_string(axis) + ", which has " + std::to_string(x.shape.extent[axis]) + " elements");
    at = static_cast<int64_t>(static_cast<uint64_t>(at) % static_cast<uint64_t>(x.shape.extent[axis]));
    int64_t offset = at * x.step[axis];
    for (unsigned d = 0; d < shape.rank; ++d)
      if (d != axis)
        offset += index[d] * x.step[d];
    std::memcpy(out + i * size, x.elements() + offset * size, static_cast<size_t>(size));
    ++i;
  });
  return result;
}

Value Machine::histogram(const Context &c) {
  const Value x = toRowMajor(*c.operand(0));
  Value mask;
  if (c.instruction.operandCount > 1)
    mask = toRowMajor(*c.operand(1));
  Value result = Value::dense(ElementKind::I32, c.resultShape());
  const int64_t bins = result.shape.extent[0];
  std::memset(result.mutableElements(), 0, static_cast<size_t>(bins) * 4);
  for (int64_t i = 0, n = x.shape.count(); i < n; ++i) {
    if (mask.form != Value::Form::Empty && !std::as_const(mask).as<uint8_t>()[i])
      continue;
    const int64_t bin = readInteger(x, i);
    if (bin >= 0 && bin < bins)
      ++result.as<uint32_t>()[bin];
    else if (checked())
      fault("histogram value " + std::to_string(bin) + " of element " + indexText(x.shape, i) + " is in none of the " +
            std::to_string(bins) + " bins");
  }
  return result;
}

namespace {

/// Sorts each row (along the last axis) of the tile in place by key(element).
template <class T, class Key = std::identity> void sortRows(Value &tile, bool descending, Key key = {}) {
  const int64_t width = tile.shape.extent[tile.shape.rank - 1];
  const int64_t rows = tile.shape.count() / width;
  // NaN counts as greater than all other values; a == a is false only if a is NaN.
  auto below = [&](T x, T y) {
    const auto a = key(x), b = key(y);
    return a == a && (b != b || a < b);
  };
  for (int64_t r = 0; r < rows; ++r) {
    T *row = tile.as<T>() + r * width;
    if (descending)
      std::sort(row, row + width, [&](T a, T b) { return below(b, a); });
    else
      std::sort(row, row + width, below);
  }
}

/// Sorts the rows of a tile of 8-bit floats as bytes, whose keys are their values as f32. The elements are not
/// converted to f32 and back, because the conversion back would replace infinity by the largest number.
void sortCodes(Value &tile, bool descending, const KernelTable &table) {
  std::array<uint8_t, 256> codes;
  std::iota(codes.begin(), codes.end(), uint8_t{0});
  std::array<float, 256> values;
  const void *in[1] = {codes.data()};
  table.toF32[static_cast<size_t>(tile.element)](values.data(), in, values.size(), 0);
  sortRows<uint8_t>(tile, descending, [&](uint8_t code) { return values[code]; });
}

void sortIntegers(Value &tile, bool descending, bool isSigned) {
  switch (byteSize(tile.element)) {
  case 1: return isSigned ? sortRows<int8_t>(tile, descending) : sortRows<uint8_t>(tile, descending);
  case 2: return isSigned ? sortRows<int16_t>(tile, descending) : sortRows<uint16_t>(tile, descending);
  case 4: return isSigned ? sortRows<int32_t>(tile, descending) : sortRows<uint32_t>(tile, descending);
  default: return isSigned ? sortRows<int64_t>(tile, descending) : sortRows<uint64_t>(tile, descending);
  }
}

} // namespace

Value Machine::sort(const Context &c) {
  const bool descending = c.attribute(0) != 0, isSigned = c.attribute(1) != 0;
  const ElementKind kind = c.resultType().element;
  Value tile = *c.operand(0);
  const bool isWidened = isSmallFloat(kind) && byteSize(kind) == 2;
  if (isWidened)
    tile = convertFloat({&tile, true}, ElementKind::F32, RoundingMode::NearestEven);
  tile = axisOutermost(toStrided(tile), 0); // makes a row-major copy
  if (isSmallFloat(kind) && !isWidened)
    sortCodes(tile, descending, kernels_);
  else if (tile.element == ElementKind::F32)
    sortRows<float>(tile, descending);
  else if (tile.element == ElementKind::F64)
    sortRows<double>(tile, descending);
  else // signed true is -1, so the order is reversed
    sortIntegers(tile, descending != (kind == ElementKind::I1 && isSigned), isSigned);
  return isWidened ? convertFloat({&tile, true}, kind, RoundingMode::NearestEven) : tile;
}

std::vector<Value> Machine::mapElements(Frame &frame, const Context &c) {
  const auto region = static_cast<uint32_t>(c.attribute(0));
  std::vector<Value> sources, results;
  std::vector<Undefined> undefined;
  for (const Operand &x : c.operands)
    sources.push_back(toStrided(*x));
  const Shape shape = sources[0].shape;
  for (unsigned k = 0; k < c.instruction.resultCount; ++k)
    results.push_back(Value::dense(c.resultType(k).element, shape));
  forEachElement(shape, [&](const Extents &index) {
    std::vector<Value> arguments;
    for (const Value &source : sources)
      arguments.push_back(elementAt(source, index));
    std::vector<Undefined> marks;
    const std::vector<Value> mapped = call(region, std::move(arguments), checked() ? &marks : nullptr);
    for (size_t k = 0; k < results.size(); ++k)
      setElement(results[k], index, mapped[k]);
    for (size_t k = 0; k < marks.size(); ++k) {
      if (marks[k].where.form == Value::Form::Empty)
        continue;
      undefined.resize(results.size());
      if (undefined[k].where.form == Value::Form::Empty)
        undefined[k] = {toRowMajor(Value::boolean(shape, false)), marks[k].location, marks[k].cause};
      setElement(undefined[k].where, index, marks[k].where);
    }
  });
  addUndefined(frame, c, std::move(undefined));
  return results;
}

} // namespace tegula::cpu
