// Prefix operations along one axis. A single known operation runs by rows; any other region without branches runs in
// logarithmically many steps on whole slices (W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986); a
// region with branches runs element by element. A reverse scan is a forward scan of the tile read from its end.
#include "backends/cpu/executor/Machine.h"
#include "backends/cpu/executor/Slices.h"
#include "backends/cpu/executor/Symbolic.h"

namespace tegula::cpu {

namespace {

Value reversed(const Value &tile, unsigned axis) {
  const int64_t n = tile.shape.extent[axis];
  return slice(tile, axis, n - 1, n, -1);
}

/// Copies a tile into a part of another tile; the part has the tile's shape and type.
void copyInto(const Value &part, const Value &from) {
  const Value source = toStrided(from);
  const auto size = static_cast<int64_t>(byteSize(part.element));
  Extents to{}, steps{};
  for (unsigned d = 0; d < part.shape.rank; ++d) {
    to[d] = part.step[d] * size;
    steps[d] = source.step[d] * size;
  }
  copyStrided(part.data, to, source.elements(), steps, part.shape, static_cast<unsigned>(size));
}

} // namespace

Value Machine::scanSimple(Opcode opcode, const Value &input, unsigned axis) {
  const ElementKind kind = input.element;
  if (isSmallFloat(kind)) {
    Value wide = input;
    wide = convertFloat({&wide, true}, ElementKind::F32, RoundingMode::NearestEven);
    wide = scanSimple(opcode, wide, axis);
    return convertFloat({&wide, true}, kind, RoundingMode::NearestEven);
  }
  const unsigned type = isFloat(kind) ? (kind == ElementKind::F64) : widthIndex(kind);
  const auto op = static_cast<size_t>(opcode);
  const auto size = static_cast<int64_t>(byteSize(kind));
  const unsigned last = input.shape.rank - 1;
  const int64_t n = input.shape.extent[axis];
  if (axis == last) {
    Value result = toRowMajor(input);
    if (!result.block.unique())
      result = axisOutermost(result, 0); // makes a copy that may be written
    const int64_t rows = result.shape.count() / n;
    for (int64_t r = 0; r < rows; ++r) {
      std::byte *row = result.mutableElements() + r * n * size;
      kernels_.scan[op][type](row, row, static_cast<size_t>(n));
    }
    return result;
  }
  // For an axis that is not the last one: each slice across the axis is combined with the result of the slice before
  // it, in one call of the elementwise kernel.
  Value result = axisOutermost(toStrided(input), axis);
  const size_t width = static_cast<size_t>(result.shape.count() / n);
  const int64_t distance = static_cast<int64_t>(width) * size;
  for (int64_t i = 1; i < n; ++i) {
    std::byte *row = result.mutableElements() + i * distance;
    const void *in[2] = {row - distance, row};
    kernels_.elementwise[op][type](row, in, width, 0);
  }
  return result;
}

std::vector<Value> Machine::scanBySteps(uint32_t region, std::vector<Value> tiles, unsigned axis) {
  const int64_t n = tiles[0].shape.extent[axis];
  for (Value &tile : tiles)
    tile = axisOutermost(toStrided(tile), axis);
  for (int64_t distance = 1; distance < n; distance *= 2) {
    std::vector<Value> arguments;
    for (const Value &tile : tiles)
      arguments.push_back(slice(tile, axis, 0, n - distance, 1));
    for (const Value &tile : tiles)
      arguments.push_back(slice(tile, axis, distance, n - distance, 1));
    std::vector<Value> combined = call(region, std::move(arguments));
    for (size_t k = 0; k < tiles.size(); ++k) {
      // The results are written to a copy of the tile: if the region returns one of its arguments, `combined[k]` is a
      // view of the tile's storage.
      Value next = axisOutermost(tiles[k], axis);
      copyInto(slice(next, axis, distance, n - distance, 1), combined[k]);
      tiles[k] = std::move(next);
    }
  }
  return tiles;
}

std::vector<Value> Machine::scanByElements(uint32_t region, std::span<const Value> tiles, unsigned axis) {
  const Shape shape = tiles[0].shape;
  std::vector<Value> sources, results;
  for (const Value &tile : tiles) {
    sources.push_back(toStrided(tile));
    results.push_back(Value::dense(tile.element, shape));
  }
  forEachElement(withoutAxis(shape, axis), [&](const Extents &outer) {
    Extents index{};
    for (unsigned d = 0, from = 0; d < shape.rank; ++d)
      index[d] = d == axis ? 0 : outer[from++];
    std::vector<Value> accumulated;
    for (; index[axis] < shape.extent[axis]; ++index[axis]) {
      for (const Value &source : sources)
        accumulated.push_back(elementAt(source, index));
      if (index[axis] > 0)
        accumulated = call(region, std::move(accumulated));
      for (size_t k = 0; k < results.size(); ++k)
        setElement(results[k], index, accumulated[k]);
    }
  });
  return results;
}

std::vector<Value> Machine::scan(const Context &c) {
  const auto axis = static_cast<unsigned>(c.attribute(0));
  const auto region = static_cast<uint32_t>(c.attribute(1));
  const bool reverse = c.attribute(2) != 0;
  const PreparedFunction &function = launch_.functions[region];
  std::vector<Value> tiles;
  tiles.reserve(c.operands.size());
  for (const Operand &x : c.operands) {
    Value tile = toStrided(*x);
    tiles.push_back(reverse ? reversed(tile, axis) : std::move(tile));
  }
  const bool simple =
      function.simpleCombine && tiles[0].element != ElementKind::I1 && tiles[0].element != ElementKind::Pointer;
  std::vector<Value> results;
  if (simple)
    results.push_back(scanSimple(*function.simpleCombine, tiles[0], axis));
  else if (function.straightLine)
    results = scanBySteps(region, std::move(tiles), axis);
  else
    results = scanByElements(region, tiles, axis);
  if (reverse)
    for (Value &r : results)
      r = reversed(r, axis);
  return results;
}

} // namespace tegula::cpu
