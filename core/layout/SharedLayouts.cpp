// Constructors of layouts of shared memory.
#include "core/layout/SharedLayout.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tegula::layout {
namespace {

void checkMatrix(const std::vector<uint32_t> &shape, const std::vector<unsigned> &order, const char *what) {
  if (shape.size() != 2 || !std::has_single_bit(shape[0]) || !std::has_single_bit(shape[1]))
    throw Error("layout: " + std::string(what) + " needs two dimensions, powers of two");
  if (order != std::vector<unsigned>{1, 0} && order != std::vector<unsigned>{0, 1})
    throw Error("layout: the order of " + std::string(what) + " must be [1,0] or [0,1]");
}

/// The coordinates (dim0, dim1) of element `position` of line `line`.
Coordinates at(const std::vector<unsigned> &order, uint32_t position, uint32_t line) {
  Coordinates result(2);
  result[order[0]] = position;
  result[order[1]] = line;
  return result;
}

} // namespace

LinearLayout arrayLayout(const std::vector<uint32_t> &shape, const std::vector<unsigned> &order) {
  LinearLayout layout;
  std::vector<Dim> dims;
  for (unsigned i : order) {
    if (i >= shape.size())
      throw Error("layout: the order names dimension " + std::to_string(i) + " of " + std::to_string(shape.size()));
    layout = layout * LinearLayout::identity(shape[i], kOffset, tensorDim(i));
  }
  for (unsigned i = 0; i < shape.size(); ++i)
    dims.push_back(tensorDim(i));
  return layout.transposeOutputs(dims);
}

LinearLayout rowMajor(const std::vector<uint32_t> &shape) {
  std::vector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  return arrayLayout(shape, order);
}

LinearLayout columnMajor(const std::vector<uint32_t> &shape) {
  std::vector<unsigned> order(shape.size());
  std::iota(order.begin(), order.end(), 0u);
  return arrayLayout(shape, order);
}

LinearLayout swizzled(const SwizzleSpec &spec) {
  checkMatrix(spec.shape, spec.order, "a swizzled layout");
  for (uint32_t value : {spec.vec, spec.perPhase, spec.maxPhase})
    if (!std::has_single_bit(value))
      throw Error("layout: vec, perPhase and maxPhase of a swizzle are " + std::to_string(spec.vec) + ", " +
                  std::to_string(spec.perPhase) + " and " + std::to_string(spec.maxPhase) +
                  "; they must be powers of two");
  uint32_t length = spec.shape[spec.order[0]], lines = spec.shape[spec.order[1]];
  if (uint64_t(spec.vec) * spec.maxPhase > length)
    throw Error("layout: vec * maxPhase of a swizzle is " + std::to_string(uint64_t(spec.vec) * spec.maxPhase) +
                "; it must be at most the length of a line, " + std::to_string(length));
  InputBases offset{kOffset, {}};
  for (uint32_t position = 1; position < length; position *= 2)
    offset.bases.push_back(at(spec.order, position, 0));
  for (uint32_t line = 1; line < lines; line *= 2)
    offset.bases.push_back(at(spec.order, spec.vec * (line / spec.perPhase % spec.maxPhase), line));
  return LinearLayout({offset}, tensorExtents(spec.shape));
}

LinearLayout spanSwizzled(const SpanSwizzleSpec &spec) {
  checkMatrix(spec.shape, spec.order, "a span swizzle");
  if (spec.spanBytes != 32 && spec.spanBytes != 64 && spec.spanBytes != 128)
    throw Error("layout: the span of a swizzle is " + std::to_string(spec.spanBytes) +
                " bytes; expected 32, 64 or 128");
  if (!std::has_single_bit(spec.elementBytes) || spec.elementBytes > 16)
    throw Error("layout: the elements of a swizzle have " + std::to_string(spec.elementBytes) +
                " bytes; expected 1, 2, 4, 8 or 16");
  uint32_t length = spec.shape[spec.order[0]], lines = spec.shape[spec.order[1]];
  uint32_t box = std::min(length, spec.spanBytes / spec.elementBytes);
  // The unswizzled order: positions within a line of the box, then lines, then boxes. Offset bit i is logical bit i.
  std::vector<Coordinates> logical;
  for (uint32_t position = 1; position < box; position *= 2)
    logical.push_back(at(spec.order, position, 0));
  for (uint32_t line = 1; line < lines; line *= 2)
    logical.push_back(at(spec.order, 0, line));
  for (uint32_t position = box; position < length; position *= 2)
    logical.push_back(at(spec.order, position, 0));
  // The swizzle is its own inverse: a set address bit 7 + i also flips chunk bit 4 + i.
  unsigned chunkBits = static_cast<unsigned>(std::countr_zero(spec.spanBytes)) - 4;
  unsigned elementBits = static_cast<unsigned>(std::countr_zero(spec.elementBytes));
  InputBases offset{kOffset, logical};
  for (unsigned i = 0; i < chunkBits; ++i)
    if (7 + i - elementBits < logical.size())
      for (size_t d = 0; d < 2; ++d)
        offset.bases[7 + i - elementBits][d] ^= logical[4 + i - elementBits][d];
  return LinearLayout({offset}, tensorExtents(spec.shape));
}

} // namespace tegula::layout
