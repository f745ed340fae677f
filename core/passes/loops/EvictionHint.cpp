// Eviction hints: finds the tensors of a product's loop of which no two programs read the same block. Their lines need
// not stay in caches (`evict_first`).
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/loops/CopyPipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Emits the comparison `product <= most` in i64, where `product` is a product of the kernel's arguments.
Value isAtMost(OpBuilder &builder, func::FuncOp kernel, const ArgumentProduct &product, int64_t most) {
  Location location = kernel.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  };
  Value value = constant(product.factor);
  for (uint32_t param : product.params) {
    Value factor = kernel.getArgument(param);
    if (!factor.getType().isInteger(64))
      factor = arith::ExtSIOp::create(builder, location, builder.getI64Type(), factor);
    value = arith::MulIOp::create(builder, location, value, factor);
  }
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, value, constant(most));
}

} // namespace

/// Whether each product that reads the candidate multiplies it with another candidate. Programs that run the loop then
/// differ in the positions of the candidates' blocks only. Counterexample: an attention multiplies the keys, which are
/// a candidate, with queries that are loaded before the loop; programs with different queries read the same keys.
bool CopyPipeline::isReadBesideCandidates(const Candidate &candidate) {
  auto ringOf = [&](simt::SharedAllocOp buffer) {
    auto found = llvm::find_if(candidates_, [&](Candidate &each) { return buffer && each.buffer() == buffer; });
    return found == candidates_.end() ? nullptr : &*found;
  };
  bool isRead = false, areBeside = true;
  loop_.walk([&](simt::ProductOp product) {
    const Candidate *a = ringOf(bufferReadBy(product.getA())), *b = ringOf(bufferReadBy(product.getB()));
    if (a != &candidate && b != &candidate)
      return;
    isRead = true;
    areBeside &= a && b && a != b;
  });
  return isRead && areBeside;
}

Value CopyPipeline::evictionHint(const Candidate &candidate) {
  auto kernel = loop_->getParentOfType<func::FuncOp>();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto always = [&] { return arith::ConstantOp::create(builder, kernel.getLoc(), builder.getBoolAttr(true)); };
  if (candidate.load->hasAttr(kEvictFirstAttr))
    return always();
  if (!isReadBesideCandidates(candidate))
    return {};
  OperandRange own = candidate.descLoad().getOffsets();
  Value fits;
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
      if (llvm::is_contained(own, position) || matchPattern(position, m_Constant()))
        continue;
      if (!loop_.isDefinedOutsideOfLoop(position)) // the position may also depend on the program
        return {};
      if (axis.isOpen || (axis.extent.params.empty() && axis.extent.factor > extent))
        return {};
      if (axis.extent.params.empty())
        continue;
      Value fitsHere = isAtMost(builder, kernel, axis.extent, extent);
      fits = fits ? arith::AndIOp::create(builder, kernel.getLoc(), fits, fitsHere) : fitsHere;
    }
  }
  return fits ? fits : Value(always());
}

} // namespace tegula::tile
