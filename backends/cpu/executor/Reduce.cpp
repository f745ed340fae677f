// Reductions along one axis. If the region is a single known operation, row kernels are used. Any other region without
// branches combines whole slices and halves the axis in each step. A region with branches runs element by element.
#include "backends/cpu/executor/Machine.h"
#include "backends/cpu/executor/Slices.h"
#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>
#include <cstring>

namespace tegula::cpu {

Shape withoutAxis(const Shape &shape, unsigned axis) {
  Shape result;
  for (unsigned d = 0; d < shape.rank; ++d)
    if (d != axis)
      result.extent[result.rank++] = shape.extent[d];
  return result;
}

Value slice(const Value &tile, unsigned axis, int64_t start, int64_t count, int64_t step) {
  Value r = tile;
  if (tile.form == Value::Form::Affine)
    r.scalar = static_cast<int64_t>(static_cast<uint64_t>(tile.scalar) +
                                    static_cast<uint64_t>(start) * static_cast<uint64_t>(tile.step[axis]));
  else if (tile.block)
    r.data = tile.data + start * tile.step[axis] * static_cast<int64_t>(byteSize(tile.element));
  r.step[axis] = static_cast<int64_t>(static_cast<uint64_t>(tile.step[axis]) * static_cast<uint64_t>(step));
  r.shape.extent[axis] = count;
  return r;
}

Value dropAxis(const Value &tile, unsigned axis) {
  Value r = tile;
  r.shape = withoutAxis(tile.shape, axis);
  for (unsigned d = axis; d + 1 < kMaxRank; ++d)
    r.step[d] = tile.step[d + 1];
  return r;
}

Value axisOutermost(const Value &tile, unsigned axis) {
  if (tile.form == Value::Form::Affine)
    return tile;
  std::array<unsigned, kMaxRank> order;
  order[0] = axis;
  unsigned at = 1;
  for (unsigned d = 0; d < tile.shape.rank; ++d)
    if (d != axis)
      order[at++] = d;
  return copyInOrder(tile, std::span(order.data(), tile.shape.rank));
}

Value Machine::combinePairwise(const RowOperation &combine, Value rest, unsigned axis) {
  const int64_t size = combine.outputBytes;
  int64_t left = rest.shape.extent[axis];
  while (left > 1) {
    const int64_t half = left / 2;
    Value low = slice(rest, axis, 0, half, 1), high = slice(rest, axis, left - half, half, 1);
    Operand operands[2] = {{&low, true}, {&high, true}};
    Value combined = elementwise(combine, rest.element, operands);
    if (left % 2) { // the middle one of an odd number of slices is combined with the first pair
      Value first = slice(combined, axis, 0, 1, 1), middle = slice(rest, axis, half, 1, 1);
      Operand pair[2] = {{&first, true}, {&middle, true}};
      const Value joined = elementwise(combine, rest.element, pair);
      combined = axisOutermost(combined, axis);
      const Value place = slice(combined, axis, 0, 1, 1);
      Extents to{}, from{};
      const Value source = toStrided(joined);
      for (unsigned d = 0; d < place.shape.rank; ++d) {
        to[d] = place.step[d] * size;
        from[d] = source.step[d] * size;
      }
      copyStrided(place.data, to, source.elements(), from, place.shape, static_cast<unsigned>(size));
    }
    rest = std::move(combined);
    left = half;
  }
  return rest;
}

Value Machine::reduceSimple(Opcode opcode, const Value &input, unsigned axis) {
  const ElementKind kind = input.element;
  if (isSmallFloat(kind)) { // sums in f32 and rounds once
    Value wide = input;
    wide = convertFloat({&wide, true}, ElementKind::F32, RoundingMode::NearestEven);
    wide = reduceSimple(opcode, wide, axis);
    return convertFloat({&wide, true}, kind, RoundingMode::NearestEven);
  }
  const unsigned type = isFloat(kind) ? (kind == ElementKind::F64) : widthIndex(kind);
  const auto op = static_cast<size_t>(opcode);
  const Value x = toStrided(input);
  const int64_t n = x.shape.extent[axis];
  const Shape shape = withoutAxis(x.shape, axis);
  const auto size = static_cast<int64_t>(byteSize(kind));
  if (x.block && (x.step[axis] == 1 || n == 1)) {
    Value result = Value::dense(kind, shape);
    std::byte *out = result.mutableElements();
    const Value rows = dropAxis(x, axis);
    const int64_t width = shape.rank ? shape.extent[shape.rank - 1] : 1;
    const int64_t inner = shape.rank ? rows.step[shape.rank - 1] * size : 0;
    forEachRow(shape, [&](const Extents &index) {
      const std::byte *from = rows.elements();
      for (unsigned d = 0; d + 1 < shape.rank; ++d)
        from += index[d] * rows.step[d] * size;
      for (int64_t i = 0; i < width; ++i, out += size)
        kernels_.reduce[op][type](out, from + i * inner, static_cast<size_t>(n));
    });
    return result;
  }
  RowOperation combine;
  combine.kernel = kernels_.elementwise[op][type];
  combine.inputBytes[0] = combine.inputBytes[1] = combine.outputBytes = static_cast<unsigned>(size);
  return dropAxis(combinePairwise(combine, x, axis), axis);
}

namespace {

/// Gives the results of a region a form that can be sliced: Boxes become bytes, constants become repeated elements.
void settle(std::vector<Value> &tiles, const Shape &shape) {
  for (Value &tile : tiles) {
    if (tile.form == Value::Form::Box)
      tile = toStrided(tile);
    if (tile.shape.rank < shape.rank)
      tile.splatTo(shape);
  }
}

} // namespace

std::vector<Value> Machine::reduceByHalving(uint32_t region, std::vector<Value> tiles, unsigned axis) {
  // Combines slice 2i with slice 2i + 1, in this order, until one slice is left: the region is associative, but need
  // not be commutative.
  int64_t left = tiles[0].shape.extent[axis];
  for (Value &tile : tiles)
    tile = axisOutermost(tile, axis);
  std::vector<std::vector<Value>> tails; // the last slices of odd numbers of slices, rightmost first
  while (left > 1) {
    if (left % 2) {
      std::vector<Value> tail;
      for (const Value &tile : tiles)
        tail.push_back(slice(tile, axis, left - 1, 1, 1));
      tails.push_back(std::move(tail));
    }
    const int64_t half = left / 2;
    std::vector<Value> arguments;
    for (const Value &tile : tiles)
      arguments.push_back(slice(tile, axis, 0, half, 2));
    for (const Value &tile : tiles)
      arguments.push_back(slice(tile, axis, 1, half, 2));
    const Shape shape = arguments[0].shape;
    tiles = call(region, std::move(arguments));
    settle(tiles, shape);
    left = half;
  }
  for (; !tails.empty(); tails.pop_back()) {
    std::vector<Value> arguments = std::move(tiles);
    for (Value &tail : tails.back())
      arguments.push_back(std::move(tail));
    const Shape shape = arguments[0].shape;
    tiles = call(region, std::move(arguments));
    settle(tiles, shape);
  }
  for (Value &tile : tiles)
    tile = dropAxis(tile, axis);
  return tiles;
}

Value elementAt(const Value &tile, const Extents &index) {
  int64_t offset = 0;
  for (unsigned d = 0; d < tile.shape.rank; ++d)
    offset += index[d] * tile.step[d];
  if (tile.form == Value::Form::Affine) {
    Value r = Value::affine(tile.element, Shape(), tile.scalar + offset);
    r.pointee = tile.pointee;
    return r;
  }
  uint64_t bits = 0;
  const unsigned size = byteSize(tile.element);
  std::memcpy(&bits, tile.elements() + offset * static_cast<int64_t>(size), size);
  Value r = Value::uniformBits(tile.element, Shape(), bits);
  r.pointee = tile.pointee;
  return tile.element == ElementKind::I1 ? uniformToBox(std::move(r))
         : isAffineKind(tile.element)    ? uniformToAffine(std::move(r))
                                         : r;
}

void setElement(Value &tile, const Extents &index, const Value &element) {
  int64_t offset = 0;
  for (unsigned d = 0; d < tile.shape.rank; ++d)
    offset += index[d] * tile.step[d];
  const unsigned size = byteSize(tile.element);
  const uint64_t bits = element.uniformElement();
  std::memcpy(tile.data + offset * static_cast<int64_t>(size), &bits, size);
}

std::vector<Value> Machine::reduceByElements(uint32_t region, std::span<const Value> tiles, unsigned axis) {
  const Shape shape = tiles[0].shape;
  const Shape reduced = withoutAxis(shape, axis);
  std::vector<Value> sources, results;
  for (const Value &tile : tiles) {
    sources.push_back(toStrided(tile));
    results.push_back(Value::dense(tile.element, reduced));
  }
  forEachElement(reduced, [&](const Extents &outer) {
    Extents index{};
    for (unsigned d = 0, from = 0; d < shape.rank; ++d)
      index[d] = d == axis ? 0 : outer[from++];
    std::vector<Value> accumulated;
    for (const Value &source : sources)
      accumulated.push_back(elementAt(source, index));
    for (index[axis] = 1; index[axis] < shape.extent[axis]; ++index[axis]) {
      for (const Value &source : sources)
        accumulated.push_back(elementAt(source, index));
      accumulated = call(region, std::move(accumulated));
    }
    for (size_t k = 0; k < results.size(); ++k)
      setElement(results[k], outer, accumulated[k]);
  });
  return results;
}

std::vector<Value> Machine::reduce(const Context &c) {
  const auto axis = static_cast<unsigned>(c.attribute(0));
  const auto region = static_cast<uint32_t>(c.attribute(1));
  const PreparedFunction &function = launch_.functions[region];
  std::vector<Value> tiles;
  tiles.reserve(c.operands.size());
  for (const Operand &x : c.operands)
    tiles.push_back(x->form == Value::Form::Box ? toStrided(*x) : x.take());
  const bool simple =
      function.simpleCombine && tiles[0].element != ElementKind::I1 && tiles[0].element != ElementKind::Pointer;
  std::vector<Value> results;
  if (simple)
    results.push_back(reduceSimple(*function.simpleCombine, tiles[0], axis));
  else if (function.straightLine)
    results = reduceByHalving(region, std::move(tiles), axis);
  else
    results = reduceByElements(region, tiles, axis);
  for (Value &r : results)
    r = r.element == ElementKind::I1 ? uniformToBox(std::move(r))
        : isAffineKind(r.element)    ? uniformToAffine(std::move(r))
                                     : r;
  return results;
}

} // namespace tegula::cpu
