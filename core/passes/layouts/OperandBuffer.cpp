#include "core/passes/layouts/OperandBuffer.h"

#include "core/layout/SharedLayout.h"

#include <algorithm>

using namespace mlir;

namespace tegula::tile {

layout_ir::SharedAttr operandBuffer(MLIRContext *context, ArrayRef<int64_t> shape, unsigned fast, int64_t elementBytes,
                                    int64_t mostLine) {
  constexpr int64_t kLeastSpan = 32, kMostSpan = 128;
  unsigned rank = shape.size();
  std::vector<uint32_t> matrix = {uint32_t(shape[rank - 2]), uint32_t(shape[rank - 1])};
  std::vector<unsigned> order = {1, 0};
  if (fast == rank - 2)
    order = {0, 1};
  int64_t span = std::min(std::min(shape[fast], mostLine) * elementBytes, kMostSpan);
  layout::LinearLayout linear = shape[fast] * elementBytes < kLeastSpan
                                    ? layout::arrayLayout(matrix, order)
                                    : layout::spanSwizzled({matrix, uint32_t(span), uint32_t(elementBytes), order});
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
