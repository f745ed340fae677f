// The base of code generators that consume the simt level: the shared lowering to the code of one thread, with named
// points at which a backend runs passes of its own.
#pragma once

#include "core/contracts/CodeGenerator.h"
#include "core/passes/Passes.h"

namespace tegula {

class ThreadCodeGenerator : public CodeGenerator {
public:
  Level consumes() const final { return Level::Simt; }
  void addLowering(Lowering lowering, std::string_view name, const TargetDescription &target,
                   mlir::OpPassManager &pipeline) const final;
  ProductCount countProducts(mlir::Operation *module) const final;

protected:
  /// Adds the backend's passes of one point, for the target of this name. `target` is its description as this
  /// compilation uses it: `policies.conditional` may be false where `describe` says true.
  virtual void extend(tile::ExtensionPoint, std::string_view, const TargetDescription &, mlir::OpPassManager &) const {}
};

} // namespace tegula
