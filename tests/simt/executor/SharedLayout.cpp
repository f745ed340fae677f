#include "SharedLayout.h"

#include "core/support/Diagnostic.h"

#include <bit>

namespace tegula::simt_test {
namespace {

/// A row of the linear system: the packed coordinates of an offset.
struct Row {
  uint64_t coordinates;
  int64_t offset;
};

/// The reduced rows: each has a leading coordinate bit that no other row contains.
std::vector<Row> eliminated(std::vector<Row> rows) {
  std::vector<Row> done;
  for (Row row : rows) {
    for (const Row &pivot : done)
      if (row.coordinates & std::bit_floor(pivot.coordinates))
        row = {row.coordinates ^ pivot.coordinates, row.offset ^ pivot.offset};
    if (row.coordinates == 0)
      continue; // a hole, or a second offset of elements that have one
    for (Row &pivot : done)
      if (pivot.coordinates & std::bit_floor(row.coordinates))
        pivot = {pivot.coordinates ^ row.coordinates, pivot.offset ^ row.offset};
    done.push_back(row);
  }
  return done;
}

} // namespace

SharedLayout::SharedLayout(simt::SharedType type)
    : shape_(type.getTileShape().begin(), type.getTileShape().end()),
      elementBytes_(simt::elementBytes(type.getElementType())), storageElements_(type.getStageElements()),
      stages_(type.getStages()) {
  layout_ir::SharedAttr layout = type.getTileLayout();
  for (size_t i = 0; i < layout.getPadding().size(); i += 2)
    padding_.emplace_back(layout.getPadding()[i], layout.getPadding()[i + 1]);
  constexpr unsigned kBitsPerDimension = 12;
  if (shape_.size() > 5)
    throw Error("expected a shared tile of at most 5 dimensions, found " + std::to_string(shape_.size()));
  std::vector<Row> rows;
  bool packable = true;
  for (unsigned bit = 0; bit < layout.getBits(); ++bit) {
    uint64_t packed = 0;
    for (size_t dim = 0; dim < shape_.size(); ++dim) {
      packable &= shape_.size() == 1 || layout.getBasis(bit)[dim] < (1 << kBitsPerDimension);
      packed |= static_cast<uint64_t>(layout.getBasis(bit)[dim]) << (dim * kBitsPerDimension);
    }
    rows.push_back({packed, int64_t(1) << bit});
  }
  if (!packable)
    throw Error("expected extents below 4096 in a shared tile of several dimensions");
  rows = eliminated(std::move(rows));
  for (size_t dim = 0; dim < shape_.size(); ++dim) {
    inverse_.emplace_back();
    for (unsigned bit = 0; (int64_t(1) << bit) < shape_[dim]; ++bit) {
      uint64_t wanted = uint64_t(1) << (dim * kBitsPerDimension + bit);
      int64_t offset = 0;
      for (const Row &row : rows)
        if (std::bit_floor(row.coordinates) & wanted) {
          offset ^= row.offset;
          wanted ^= row.coordinates;
        }
      if (wanted != 0)
        throw Error("expected a layout with a place for each element, found none for coordinate " +
                    std::to_string(int64_t(1) << bit) + " of dimension " + std::to_string(dim));
      inverse_.back().push_back(offset);
    }
  }
}

int64_t SharedLayout::place(std::span<const int64_t> coordinates) const {
  int64_t offset = 0;
  for (size_t dim = 0; dim < coordinates.size(); ++dim)
    for (uint64_t left = static_cast<uint64_t>(coordinates[dim]); left != 0; left &= left - 1)
      offset ^= inverse_[dim][static_cast<size_t>(std::countr_zero(left))];
  int64_t padded = offset;
  for (auto [interval, amount] : padding_)
    padded += offset / interval * amount;
  return padded;
}

} // namespace tegula::simt_test
