#include "backends/null/CodeGenerator.h"
#include "backends/null/Driver.h"

#include "mlir/IR/BuiltinOps.h"

namespace tegula {
namespace null {
namespace {

class NullCodeGenerator final : public CodeGenerator {
public:
  std::string_view backend() const override { return "null"; }
  std::vector<std::string> targets() const override { return {"null"}; }
  bool accepts(std::string_view target) const override { return target == "null"; }

  // The earliest level: the code generator gets the module as the frontend has made it. The code generator of a GPU
  // derives from ThreadCodeGenerator (core/lowering), whose level is Simt.
  Level consumes() const override { return Level::Tile; }
  void addPasses(mlir::OpPassManager &, std::string_view) const override {}

  std::vector<std::string> emits() const override { return {"name"}; }

  bool generate(mlir::ModuleOp, Artifact &artifact, const PrintLevel &onLevel) const override {
    std::string text = std::string(kMagic) + artifact.entry;
    artifact.binary.assign(text.begin(), text.end());
    artifact.threads = 1;
    return giveLevels(artifact, onLevel);
  }

  std::string print(const Artifact &artifact, std::string_view) const override {
    return std::string(artifact.binary.begin(), artifact.binary.end()) + "\n";
  }
};

} // namespace
} // namespace null

const CodeGenerator *nullCodeGenerator() {
  static const null::NullCodeGenerator generator;
  return &generator;
}

} // namespace tegula
