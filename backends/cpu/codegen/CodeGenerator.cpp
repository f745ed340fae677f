// The compiler's half of the CPU backend: tile IR in, bytecode out. The other half is the executor's driver.
#include "core/contracts/CodeGenerator.h"

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/codegen/Flatten.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tegula {
namespace {

class CpuCodeGenerator final : public CodeGenerator {
public:
  std::string_view backend() const override { return "cpu"; }
  std::vector<std::string> targets() const override { return {"cpu"}; }
  bool accepts(std::string_view target) const override { return target == "cpu"; }
  Level consumes() const override { return Level::Tile; }
  void addPasses(mlir::OpPassManager &, std::string_view) const override {} // the tile level is the input

  std::vector<std::string> emits() const override { return {"bytecode"}; }

  bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &onLevel) const override {
    cpu::Module bytecode = cpu::flatten(module, artifact.entry);
    artifact.binary = cpu::serialize(bytecode);
    artifact.threads = 1;
    return giveLevels(artifact, onLevel);
  }

  std::string print(const Artifact &artifact, std::string_view level) const override {
    if (level != "bytecode")
      throw Error("the cpu backend has no level '" + std::string(level) + "'; it has bytecode");
    return cpu::print(cpu::deserialize(artifact.binary));
  }
};

} // namespace

const CodeGenerator *cpuCodeGenerator() {
  static const CpuCodeGenerator generator;
  return &generator;
}

} // namespace tegula
