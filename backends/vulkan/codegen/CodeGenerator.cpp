// The compiler's half of the Vulkan backend: simt IR in, a SPIR-V module out. The other half is the driver.
#include "core/lowering/ThreadCodeGenerator.h"

#include "backends/vulkan/codegen/CheckRounds.h"
#include "backends/vulkan/codegen/Disassembly.h"
#include "backends/vulkan/codegen/Printer.h"
#include "backends/vulkan/passes/Passes.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tegula {
namespace vulkan {
namespace {

class VulkanCodeGenerator final : public ThreadCodeGenerator {
public:
  std::string_view backend() const override { return "vulkan"; }
  std::vector<std::string> targets() const override {
    std::vector<std::string> names;
    for (const Profile &profile : profiles())
      names.push_back(targetName(profile));
    return names;
  }
  bool accepts(std::string_view target) const override { return findProfile(target) != nullptr; }
  std::vector<std::string> bundledWith(std::string_view target) const override {
    // A bundle with code for `generic` also gets code for `generic-bounded`, for devices that end loops after a number
    // of rounds (CheckRounds.h).
    const Profile *profile = findProfile(target);
    return profile && profile->name == "generic" ? std::vector<std::string>{"spirv:generic-bounded"}
                                                 : std::vector<std::string>();
  }
  TargetDescription describe(std::string_view target) const override {
    const Profile &profile = *findProfile(target);
    TargetDescription made;
    TargetFeatures &features = made.features;
    features.warpSize = std::max<int64_t>(profile.subgroupSize, 1);
    features.sharedBytes = profile.sharedBytes;
    features.sharesWidths = profile.features.has(Feature::SharedExplicitLayout);
    features.sharedElementBytes = SharedPlan::narrowestOf(profile);
    // Scalars computes these three accurately enough on every device; narrow floats are computed in f32. GLSL's
    // functions are too inaccurate, except for ops that allow approximations (`.fast` below).
    features.nativeMath = {"remf.narrow", "remf.f32", "fma.narrow"};
    if (profile.features.has(Feature::FusedMultiplyAdd32))
      features.nativeMath.push_back("fma.f32");
    if (profile.features.has(Feature::Exp2))
      features.nativeMath.push_back("exp2.f32");
    for (const char *function : {"exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tanh", "erf", "rsqrt"})
      features.nativeMath.push_back(function + std::string(".fast"));
    made.instructions = profile.matrices;
    TargetPolicies &policies = made.policies;
    policies.aheadBytes = 192; // of a thread's about 1,000 bytes of registers, accumulators included
    policies.conditional = true;
    policies.spareBytes = 4 << 10; // 4 KiB more of shared memory lower occupancy on no device
    policies.rowsInFragments = profile.features.has(Feature::MatrixReductions) &&
                               profile.features.has(Feature::MatrixConversions) &&
                               profile.features.has(Feature::MatrixPerElement);
    // Loads at the top of their iteration (earlyBytes) are fast only if row-wise ops stay in fragments: then products
    // do not wait for shared memory, so these loads do not delay the products. Otherwise such loads gained nothing or
    // lost 10% (docs/lab/2026-11-22-vulkan-products.md).
    policies.earlyBytes = policies.rowsInFragments ? policies.aheadBytes : 0;
    return made;
  }
  void addPasses(mlir::OpPassManager &pipeline, std::string_view target) const override {
    const Profile &profile = *findProfile(target);
    if (!profile.features.has(Feature::UnboundedLoops))
      pipeline.addPass(createCheckRounds(profile));
  }
  void registerPasses() const override { tile::registerTegulaVulkanPasses(); }
  std::vector<std::string> emits() const override { return {"spirv"}; }

  bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &onLevel) const override {
    auto kernel = module.lookupSymbol<mlir::func::FuncOp>(artifact.entry);
    if (!kernel)
      throw InternalError("the module has no function '" + artifact.entry + "'");
    Printer(kernel, *findProfile(artifact.target)).print(artifact);
    return giveLevels(artifact, onLevel);
  }

  std::string print(const Artifact &artifact, std::string_view) const override {
    return disassemble(decodeBinary(artifact.binary).words);
  }

private:
  void extend(tile::ExtensionPoint point, std::string_view name, const TargetDescription &,
              mlir::OpPassManager &pipeline) const override {
    if (point != tile::ExtensionPoint::Operands || !findProfile(name)->features.has(Feature::FragmentsFromMemory))
      return;
    pipeline.addPass(tile::createLoadFragments());     // before schedules, which must not move these operands' loads
    pipeline.addPass(mlir::createCanonicalizerPass()); // removes scalars made for operands that were not rewritten
    pipeline.addPass(mlir::createCSEPass());           // merges the bounds checks that two operands share
  }
};

} // namespace
} // namespace vulkan

const CodeGenerator *vulkanCodeGenerator() {
  static const vulkan::VulkanCodeGenerator generator;
  return &generator;
}

} // namespace tegula
