#include "core/ir/simt/SharedParts.h"

#include "llvm/ADT/STLExtras.h"

namespace tegula::simt {
namespace {

/// A basis of a layout that leads outside of a part: the position in the grid of parts that it adds, and its offset
/// bits.
struct PartBasis {
  llvm::SmallVector<int64_t> position;
  int64_t offset = 0;
  void exclusiveOr(const PartBasis &other) {
    for (auto [mine, theirs] : llvm::zip(position, other.position))
      mine ^= theirs;
    offset ^= other.offset;
  }
};

/// The offset of the part at position `1 << bit` along `dim`, by Gaussian elimination; nothing if there is no such
/// part.
std::optional<int64_t> solvePosition(llvm::SmallVector<PartBasis> bases, unsigned dim, unsigned bit, unsigned rank) {
  PartBasis left{llvm::SmallVector<int64_t>(rank, 0), 0};
  left.position[dim] = int64_t(1) << bit;
  for (unsigned column = 0; column < rank; ++column)
    for (int64_t power = int64_t(1) << 32; power > 0; power >>= 1) {
      auto has = [&](const PartBasis &basis) { return (basis.position[column] & power) != 0; };
      auto *pivot = llvm::find_if(bases, has);
      if (pivot == bases.end())
        continue;
      PartBasis chosen = *pivot;
      bases.erase(pivot);
      for (PartBasis &basis : bases)
        if (has(basis))
          basis.exclusiveOr(chosen);
      if (has(left))
        left.exclusiveOr(chosen);
    }
  if (llvm::any_of(left.position, [](int64_t rest) { return rest != 0; }))
    return std::nullopt;
  return left.offset;
}

} // namespace

std::optional<PartOffsets> partOffsets(SharedType whole, llvm::ArrayRef<int64_t> extents) {
  layout_ir::SharedAttr layout = whole.getTileLayout();
  unsigned rank = layout.getRank();
  llvm::SmallVector<PartBasis> bases;
  for (unsigned bit = 0; bit < layout.getBits(); ++bit) {
    PartBasis basis{{}, int64_t(1) << bit};
    for (unsigned dim = 0; dim < rank; ++dim)
      basis.position.push_back(layout.getBasis(bit)[dim] / extents[dim]);
    if (llvm::any_of(basis.position, [](int64_t step) { return step != 0; }))
      bases.push_back(std::move(basis));
  }
  PartOffsets parts;
  parts.bits.resize(rank);
  int64_t seen = 0;
  for (unsigned dim = 0; dim < rank; ++dim)
    for (unsigned bit = 0; int64_t(1) << bit < whole.getShape()[dim] / extents[dim]; ++bit) {
      std::optional<int64_t> offset = solvePosition(bases, dim, bit, rank);
      if (!offset)
        return std::nullopt;
      parts.overlap |= (seen & *offset) != 0;
      seen |= *offset;
      parts.bits[dim].push_back(*offset);
    }
  return parts;
}

} // namespace tegula::simt
