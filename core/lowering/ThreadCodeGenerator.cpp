#include "core/lowering/ThreadCodeGenerator.h"

#include "core/ir/simt/Target.h"
#include "core/passes/products/ProductChoice.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tegula {

void ThreadCodeGenerator::addLowering(Lowering lowering, std::string_view name, const TargetDescription &target,
                                      OpPassManager &pipeline) const {
  auto addExtensions = [&](tile::ExtensionPoint point) { extend(point, name, target, pipeline); };
  switch (lowering) {
  case Lowering::Plan: return tile::buildPlannedPipeline(pipeline, target, addExtensions);
  case Lowering::Expand: return tile::buildExpandedPipeline(pipeline);
  case Lowering::Threads: return tile::buildThreadPipeline(pipeline, addExtensions);
  case Lowering::Effects: return pipeline.addPass(simt::createExpandEffects());
  }
}

ProductCount ThreadCodeGenerator::countProducts(Operation *module) const {
  ProductCount products;
  SmallVector<simt::InstructionAttr> instructions = simt::targetOf(module).instructions;
  module->walk([&](tile::DotOp dot) {
    products.eligible += tile::isEligible(dot, instructions);
    products.served += bool(simt::instructionOf(dot));
  });
  module->walk([&](simt::ProductOp) {
    ++products.eligible;
    ++products.served;
  });
  return products;
}

} // namespace tegula
