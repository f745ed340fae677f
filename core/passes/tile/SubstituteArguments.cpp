// tile-substitute-arguments (TilePasses.td): replaces arguments whose value is declared by constants.
#include "core/passes/Passes.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SUBSTITUTEARGUMENTS
#include "core/passes/Passes.h.inc"

namespace {

struct SubstituteArgumentsPass : impl::SubstituteArgumentsBase<SubstituteArgumentsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto known = function.getArgAttrOfType<IntegerAttr>(number, kEqualsAttr);
      if (!known)
        continue;
      if (argument.use_empty()) {
        function.removeArgAttr(number, kEqualsAttr);
        continue;
      }
      auto value = builder.getIntegerAttr(argument.getType(), known.getInt());
      argument.replaceAllUsesWith(arith::ConstantOp::create(builder, argument.getLoc(), value));
    }
  }
};

} // namespace
} // namespace tegula::tile
