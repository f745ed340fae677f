#include "core/passes/layouts/OperandBuffer.h"

#include "core/layout/SharedLayout.h"

using namespace mlir;

namespace tegula::tile {

layout_ir::SharedAttr operandBuffer(MLIRContext *context, ArrayRef<int64_t> shape, unsigned fast,
                                    int64_t elementBytes) {
  constexpr int64_t kBankBytes = 128;
  unsigned rank = shape.size();
  std::vector<uint32_t> matrix = {uint32_t(shape[rank - 2]), uint32_t(shape[rank - 1])};
  int64_t lineBytes = shape[fast] * elementBytes, pieces = std::max<int64_t>(lineBytes / kPieceBytes, 1);
  layout::SwizzleSpec spec{.shape = matrix, .order = {1, 0}};
  if (fast == rank - 2)
    spec.order = {0, 1};
  spec.vec = uint32_t(std::min(kPieceBytes / elementBytes, shape[fast]));
  spec.perPhase = uint32_t(std::max<int64_t>(kBankBytes / lineBytes, 1));
  spec.maxPhase = uint32_t(std::min<int64_t>(pieces, kBankBytes / kPieceBytes));
  layout::LinearLayout linear = layout::swizzled(spec);
  SmallVector<int64_t> bases;
  for (unsigned bit = 0; bit < linear.inputBits(layout::kOffset); ++bit) {
    layout::Coordinates basis = linear.basis(layout::kOffset, bit);
    if (rank == 3)
      bases.push_back(0);
    bases.append(basis.begin(), basis.end());
  }
  for (int64_t step = 1; rank == 3 && step < shape[0]; step *= 2)
    bases.append({step, 0, 0});
  return layout_ir::SharedAttr::get(context, rank, bases, {});
}

} // namespace tegula::tile
