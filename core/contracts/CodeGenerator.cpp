#include "core/contracts/CodeGenerator.h"

#include "core/support/Diagnostic.h"

namespace tegula {

void CodeGenerator::addLowering(Lowering, std::string_view, const TargetDescription &, mlir::OpPassManager &) const {
  throw InternalError("the code generator of '" + std::string(backend()) +
                      "' consumes simt, and has no lowering to it; derive it from ThreadCodeGenerator");
}

bool CodeGenerator::giveLevels(const Artifact &artifact, const PrintLevel &onLevel) const {
  for (const std::string &level : emits())
    onLevel(level, [&] { return print(artifact, level); });
  return true;
}

} // namespace tegula
