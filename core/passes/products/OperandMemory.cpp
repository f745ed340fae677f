#include "core/passes/products/OperandMemory.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tegula::tile {

using layout_ir::DistributedAttr;
using layout_ir::SharedAttr;

std::optional<layout::SharedLayout> memoryOf(DistributedAttr from, DistributedAttr to, ArrayRef<int64_t> shape,
                                             int64_t elementBytes, bool exchangesPairs, bool pads) {
  layout::ConversionOptions options;
  options.elementBytes = uint32_t(elementBytes);
  if (exchangesPairs)
    options.prices.pair = 1; // other shuffles are not offered: loads of operands may be wider than the plan's accesses
  options.keepsRegisters = true;
  options.sharedBytes = uint64_t(ShapedType::getNumElements(shape) * elementBytes);
  layout::LinearLayout source = from.getLayout(shape), destination = to.getLayout(shape);
  layout::ConversionPlan plan = layout::planConversion(source, destination, options);
  const layout::SharedStep *step = plan.shared();
  if (!step)
    return std::nullopt;
  std::optional<layout::SharedLayout> padded =
      pads ? layout::paddedInstead(source, destination, *step, options) : std::nullopt;
  return padded ? padded : step->memory;
}

SharedAttr attributeOf(MLIRContext *context, const layout::SharedLayout &memory) {
  const layout::LinearLayout &linear = memory.linear();
  SmallVector<int64_t> bases, padding;
  for (unsigned bit = 0; bit < linear.inputBits(layout::kOffset); ++bit)
    llvm::append_range(bases, linear.basis(layout::kOffset, bit));
  for (const layout::Padding &each : memory.paddings())
    padding.append({each.interval, each.padding});
  return SharedAttr::get(context, unsigned(linear.outputs().size()), bases, padding);
}

std::optional<DistributedAttr> layoutOfPart(DistributedAttr layout, unsigned axis, int64_t extent) {
  unsigned rank = layout.getRank();
  SmallVector<int64_t> registers;
  for (size_t at = 0; at < layout.getRegisters().size(); at += rank) {
    ArrayRef<int64_t> basis = layout.getRegisters().slice(at, rank);
    if (basis[axis] < extent)
      llvm::append_range(registers, basis);
    else if (basis[axis] % extent != 0 || llvm::count(basis, 0) + 1 != int64_t(rank))
      return std::nullopt;
  }
  for (ArrayRef<int64_t> bases : {layout.getLanes(), layout.getWarps()})
    for (size_t at = axis; at < bases.size(); at += rank)
      if (bases[at] >= extent)
        return std::nullopt;
  return DistributedAttr::get(layout.getContext(), rank, registers, layout.getLanes(), layout.getWarps(),
                              layout.getBlocks());
}

} // namespace tegula::tile
