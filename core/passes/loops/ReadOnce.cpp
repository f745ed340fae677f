// Which tensors of a product's loop no two programs read the same block of, so that its lines need not stay in caches.
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/loops/CopyPipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// A comparison of the product with a constant, of i64 scalars.
Value isAtMost(OpBuilder &builder, func::FuncOp kernel, const ArgumentProduct &product, int64_t most) {
  Location location = kernel.getLoc();
  auto constant = [&](int64_t value) {
    return builder.create<arith::ConstantOp>(location, builder.getI64IntegerAttr(value));
  };
  Value value = constant(product.factor);
  for (uint32_t param : product.params) {
    Value factor = kernel.getArgument(param);
    if (!factor.getType().isInteger(64))
      factor = builder.create<arith::ExtSIOp>(location, builder.getI64Type(), factor);
    value = builder.create<arith::MulIOp>(location, value, factor);
  }
  return builder.create<arith::CmpIOp>(location, arith::CmpIPredicate::sle, value, constant(most));
}

} // namespace

Value CopyPipeline::isReadOnce(const Candidate &candidate) {
  auto kernel = loop_->getParentOfType<func::FuncOp>();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value always = builder.create<arith::ConstantOp>(kernel.getLoc(), builder.getBoolAttr(true));
  if (candidate.load->hasAttr(kEvictFirstAttr))
    return always;
  OperandRange own = candidate.descLoad().getOffsets();
  Value is;
  for (const Candidate &other : candidates_) {
    if (&other == &candidate)
      continue;
    auto descriptor = other.descLoad() ? dyn_cast<BlockArgument>(other.descLoad().getDesc()) : BlockArgument();
    std::optional<DerivedTensor> tensor =
        descriptor ? derivedTensor(kernel.getArgAttr(descriptor.getArgNumber(), kTensorAttr)) : std::nullopt;
    if (!tensor)
      return {};
    ArrayRef<int64_t> block = other.descLoad().getDesc().getType().getShape();
    for (auto [axis, position, extent] : llvm::zip_equal(tensor->axes, other.descLoad().getOffsets(), block)) {
      if (!loop_.isDefinedOutsideOfLoop(position) || llvm::is_contained(own, position))
        continue;
      if (axis.isOpen || (axis.extent.params.empty() && axis.extent.factor > extent))
        return {};
      if (axis.extent.params.empty())
        continue;
      Value fits = isAtMost(builder, kernel, axis.extent, extent);
      is = is ? builder.create<arith::AndIOp>(kernel.getLoc(), is, fits) : fits;
    }
  }
  return is || candidates_.size() == 1 ? is : always;
}

} // namespace tegula::tile
