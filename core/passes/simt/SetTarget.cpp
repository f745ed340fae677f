// simt-set-target (SimtPasses.td): sets the target that later passes compile for (for tests of passes).
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SETTARGET
#include "core/passes/SimtPasses.h.inc"

namespace {

struct SetTargetPass : impl::SetTargetBase<SetTargetPass> {
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The parser of options removes the braces of `fields={warp_size=8}`, but not of `fields={}`.
    std::string text = StringRef(fields).starts_with("{") ? fields : "{" + fields + "}";
    Attribute attribute = parseAttribute(text, &getContext());
    if (!attribute || failed(verifyTarget(module, attribute)))
      return signalPassFailure();
    module->setAttr(kTargetAttr, attribute);
  }
};

} // namespace
} // namespace tegula::simt
