// tile-select-products; see Passes.td. ProductChoice.h chooses the instruction; this file changes the IR.
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/ProductChoice.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SELECTPRODUCTS
#include "core/passes/Passes.h.inc"

namespace {

/// A dot with a wider accumulator, whose result is rounded once at the end; the given dot if its type is wide enough.
DotOp withAccumulator(DotOp dot, Type element) {
  auto narrow = cast<RankedTensorType>(dot.getType());
  if (narrow.getElementType() == element)
    return dot;
  OpBuilder builder(dot);
  Value wide = builder.create<FpCastOp>(dot.getLoc(), narrow.clone(element), dot.getC(), RoundingMode::NearestEven);
  auto made = builder.create<DotOp>(dot.getLoc(), dot.getA(), dot.getB(), wide, dot.getInputPrecision(),
                                    dot.getMaxNumImpreciseAcc());
  dot.getResult().replaceAllUsesWith(
      builder.create<FpCastOp>(dot.getLoc(), narrow, made.getResult(), RoundingMode::NearestEven));
  dot.erase();
  return made;
}

class SelectProductsPass : public impl::SelectProductsBase<SelectProductsPass> {
public:
  using SelectProductsBase::SelectProductsBase;

  void runOnOperation() override {
    SmallVector<FragmentProduct> offered;
    for (const std::string &text : products) {
      std::optional<FragmentProduct> product = parseFragmentProduct(text);
      if (!product) {
        getOperation()->emitError() << "expected products as MxNxK.operand.accumulator, found '" << text << "'";
        return signalPassFailure();
      }
      offered.push_back(*product);
    }
    SmallVector<DotOp> dots;
    getOperation()->walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots) {
      ProductChoice choice = chooseProduct(dot, offered, sharedBytes);
      explain(dot.getLoc(), "dot") << describeChoice(dot, choice);
      if (!choice.product)
        continue;
      Builder builder(&getContext());
      bool isInteger = choice.product->accumulator == ScalarType::I32;
      DotOp made = withAccumulator(dot, isInteger ? Type(builder.getI32Type()) : Type(builder.getF32Type()));
      made->setAttr(simt::kInstructionAttr, builder.getStringAttr(name(*choice.product)));
    }
  }
};

} // namespace
} // namespace tegula::tile
