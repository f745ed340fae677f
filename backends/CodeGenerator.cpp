#include "backends/CodeGenerator.h"

#include "mlir/IR/BuiltinOps.h"

namespace tegula {

bool CodeGenerator::generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &print) const {
  generate(module, artifact);
  for (const std::string &level : emits())
    print(level, [&] { return this->print(artifact, level); });
  return true;
}

} // namespace tegula
