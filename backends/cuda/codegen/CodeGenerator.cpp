// The compiler's half of the CUDA backend. Input: simt IR. Output: a cubin, or PTX text (which the driver assembles) if
// no assembler is installed. The other half is the driver.
#include "core/lowering/ThreadCodeGenerator.h"

#include "backends/cuda/CubinText.h"
#include "backends/cuda/Ptxas.h"
#include "backends/cuda/Versions.h"
#include "backends/cuda/codegen/Negations.h"
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/cuda/codegen/PtxLines.h"
#include "backends/cuda/codegen/Tiles.h"
#include "backends/cuda/instructions/MatrixInstructions.h"
#include "backends/cuda/passes/Passes.h"
#include "backends/llvm/Optimize.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>
#include <bit>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tegula {
namespace cuda {
namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

/// sm_NN: machine code for one device. compute_NN: the same code as PTX text, which the driver assembles for that
/// device or a later one. The names are those of NVIDIA's compilers.
constexpr std::string_view kVirtual = "compute_";

std::optional<SmVersion> parseTarget(std::string_view target) {
  for (const CompiledVersion &each : compiledVersions())
    if (target == SmVersion{each.number, false}.name() ||
        (target.starts_with(kVirtual) && target.substr(kVirtual.size()) == std::to_string(each.number)))
      return SmVersion{each.number, false};
  if (target == "sm_90a")
    return SmVersion{90, true};
  return std::nullopt;
}

int64_t sharedBytesOf(unsigned version) {
  return std::ranges::find(compiledVersions(), version, &CompiledVersion::number)->sharedBytes;
}

/// The PTX version to write. LLVM 22 writes up to 9.0; drivers accept 8.4 from 2024 on. Targets before sm_89 need only
/// instructions of 7.8, which older drivers accept.
std::string ptxFeature(const SmVersion &version) { return version.number >= 89 ? "+ptx84" : "+ptx78"; }

/// True if the value may differ between programs. Results of loops and branches, and block arguments of loops, are
/// assumed to differ. `seen`: the ops that were visited already.
bool dependsOnProgram(mlir::Value value, llvm::SmallPtrSetImpl<mlir::Operation *> &seen) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return !mlir::isa<mlir::func::FuncOp>(value.getParentBlock()->getParentOp());
  return mlir::isa<tile::ProgramIdOp>(op) || op->getNumRegions() != 0 ||
         (seen.insert(op).second &&
          llvm::any_of(op->getOperands(), [&](mlir::Value operand) { return dependsOnProgram(operand, seen); }));
}

/// Returns the bytes that one thread loads from global memory to registers in the region. A load whose address is equal
/// in all programs, such as one of weights, is not counted, because a cache holds its data. Of a branch, the arm that
/// loads more is counted; of a loop, one iteration.
uint64_t loadedBytesOf(mlir::Region &region) {
  uint64_t bytes = 0;
  for (mlir::Operation &op : region.getOps()) {
    auto load = mlir::dyn_cast<simt::LoadOp>(op);
    llvm::SmallPtrSet<mlir::Operation *, 32> seen;
    if (load && (dependsOnProgram(load.getBase(), seen) || dependsOnProgram(load.getOffset(), seen)))
      bytes += uint64_t(simt::elementsOf(load.getType())) *
               uint64_t(simt::elementBytes(mlir::getElementTypeOrSelf(load.getType())));
    uint64_t most = 0;
    for (mlir::Region &inner : op.getRegions())
      most = std::max(most, loadedBytesOf(inner));
    bytes += most;
  }
  return bytes;
}

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Makes shared-memory pointers 32 bits wide. LLVM offers this choice only as the command-line option
    // nvptx-short-ptr.
    llvm::DenseMap<llvm::StringRef, llvm::cl::Option *> &options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("nvptx-short-ptr"); found != options.end())
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
  });
}

/// The matrix instructions that the passes may choose. Instructions with f16 sums are left out, because they round in
/// each step. Of the instructions of four warps, only those with a power-of-two number of columns are offered, because
/// extents of tiles are powers of two.
std::vector<MatrixInstruction> offeredInstructions(const SmVersion &version) {
  std::vector<MatrixInstruction> offered;
  for (const MatrixInstruction &row : matrixInstructions())
    if (row.c.type != ScalarType::F16 && leastVersion(row) <= version.number && (row.warps == 1 || version.specific) &&
        std::has_single_bit(row.n))
      offered.push_back(row);
  return offered;
}

mlir::func::FuncOp findKernel(mlir::ModuleOp module, const std::string &entry) {
  auto kernel = module.lookupSymbol<mlir::func::FuncOp>(entry);
  if (!kernel)
    throw InternalError("the module has no function '" + entry + "'");
  return kernel;
}

class CudaCodeGenerator final : public ThreadCodeGenerator {
public:
  std::string_view backend() const override { return "cuda"; }
  std::vector<std::string> targets() const override {
    std::vector<std::string> names;
    for (const CompiledVersion &each : compiledVersions())
      names.push_back(SmVersion{each.number, false}.name());
    names.push_back("sm_90a");
    for (const CompiledVersion &each : compiledVersions())
      names.push_back(std::string(kVirtual) + std::to_string(each.number));
    return names;
  }
  bool accepts(std::string_view target) const override { return parseTarget(target).has_value(); }
  TargetDescription describe(std::string_view target) const override {
    TargetDescription made;
    SmVersion version = *parseTarget(target);
    made.features.sharedBytes = sharedBytesOf(version.number);
    made.features.loadsMatrices = true; // ldmatrix, since sm_75
    made.instructions = offeredInstructions(version);
    made.features.copiesAsync = version.number >= 80; // cp.async
    made.features.copiesTiles = version.number >= 90;
    made.features.vectorAtomics = vectorAtomics(version.number);
    made.features.movesRegisters = version.specific;  // setmaxnreg
    made.features.multicastsTiles = version.specific; // PTX ISA: slow in sm_90 code, fast in sm_90a code
    made.policies.aheadBytes = 192;     // of a thread's at most 1,020 bytes of registers, accumulators included
    made.policies.earlyBytes = 192;     // such as attention's V tile, loaded while Q * K is computed
    made.policies.delayedBytes = 768;   // of 1020
    made.policies.spareBytes = 4 << 10; // 4 KiB more of shared memory lower occupancy on no device
    made.policies.shufflesConversions = true;
    made.policies.swappedLaneBits = 2; // the 4 lanes that share a row of a product's result
    made.policies.narrowsEdges = true;
    made.policies.relaxesQuotients = true;
    made.policies.conditional = true;
    // The functions that are printed as approximate PTX instructions. ex2.approx and rsqrt.approx, and what exp and
    // tanh make of them, are accurate enough for f32, by measurement (docs/math.md); lg2.approx is accurate enough only
    // for floats of fewer than 32 bits ("narrow").
    made.features.nativeMath = {"fma.narrow", "fma.f32",    "fma.f64",    "exp2.f32",    "exp2.narrow",
                                "exp.f32",    "exp.narrow", "log.narrow", "log2.narrow", "rsqrt.narrow",
                                "rsqrt.f32",  "tanh.f32",   "tanh.narrow"};
    for (const char *function : {"exp", "exp2", "log", "log2", "rsqrt", "tanh", "sin", "cos"})
      made.features.nativeMath.push_back(function + std::string(".fast"));
    return made;
  }
  void addPasses(mlir::OpPassManager &pipeline, std::string_view) const override {
    pipeline.addPass(simt::createSimplifyMasks());
  }
  void registerPasses() const override {
    tile::registerTegulaCudaPasses();
    simt::registerTegulaCudaSimtPasses();
  }
  std::vector<std::string> emits() const override { return {"llvm", "ptx", "cubin"}; }
  std::vector<Finding> tools() const override { return {examinePtxas()}; }

  bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &onLevel) const override {
    initialize();
    SmVersion version = *parseTarget(artifact.target);
    mlir::func::FuncOp kernel = findKernel(module, artifact.entry);
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> code = NvptxPrinter(context, kernel, version).print(artifact);
    addDescriptorRecipes(kernel, artifact);
    std::unique_ptr<llvm::TargetMachine> machine =
        llvmir::makeTargetMachine({kTriple, version.name(), ptxFeature(version), artifact.target});
    llvmir::optimize(*code, *machine);
    keepNegations(*code);
    if (!onLevel("llvm", [&] { return llvmir::textOf(*code); }))
      return false;
    PtxLines lines(*code);
    std::string ptx = lines.write(llvmir::emitAssembly(*code, *machine, artifact.entry, llvmir::SinkCode::Yes));
    if (!onLevel("ptx", [&] { return ptx; }))
      return false;
    uint64_t loadedBytes = loadedBytesOf(kernel.getBody()) * artifact.threads;
    setCode(artifact, ptx, artifact.target.starts_with(kVirtual) ? std::nullopt : findPtxas(), loadedBytes);
    onLevel("cubin", [&] { return print(artifact, "cubin"); });
    return true;
  }

  void trim(Artifact &artifact) const override { removePtx(artifact.binary); }

  std::string print(const Artifact &artifact, std::string_view level) const override {
    constexpr std::string_view kElf = "\x7f"
                                      "ELF";
    std::string code(artifact.binary.begin(), artifact.binary.end());
    bool assembled = code.starts_with(kElf);
    if (level == (assembled ? "cubin" : "ptx"))
      return code;
    if (level == "cubin")
      throw Error("kernel '" + artifact.entry + "' has no cubin: " +
                  (artifact.target.starts_with(kVirtual) ? "target " + artifact.target + " is ptx"
                                                         : std::string("no ptxas was found")) +
                  ", which the driver assembles");
    throw Error("a compiled kernel holds its " + std::string(assembled ? "cubin" : "ptx") +
                " only; compile it again for '" + std::string(level) + "'");
  }

private:
  void extend(tile::ExtensionPoint point, std::string_view, const TargetDescription &target,
              mlir::OpPassManager &pipeline) const override {
    switch (point) {
    case tile::ExtensionPoint::Tiles:
      pipeline.addPass(tile::createRelaxNarrowed()); // before ops are cloned for their uses
      pipeline.addPass(tile::createWholeMasks());    // before layouts: it reads the masks' limits from tensors
      break;
    case tile::ExtensionPoint::Selection:
      if (!target.features.copiesTiles || !target.policies.conditional)
        break;
      pipeline.addPass(tile::createDescribeLoads());
      // after DescribeLoads: stores go through descriptors only in kernels whose loads have become loads through
      // descriptors
      pipeline.addPass(tile::createDescribeStores());
      break;
    case tile::ExtensionPoint::Schedule:
      pipeline.addPass(tile::createRotateRanges()); // before layouts, which depend on the width of accesses
      break;
    case tile::ExtensionPoint::Layouts:
      pipeline.addPass(tile::createDeferSums()); // after layouts: partial totals are sums of one thread's elements
      break;
    case tile::ExtensionPoint::Programs:
      pipeline.addPass(tile::createLongestFirst()); // programs start in the order of their numbers
      break;
    case tile::ExtensionPoint::Threads:
      pipeline.addPass(simt::createSkipDivisions()); // two divisions cost 2%: docs/lab/2026-11-28-pointer-products.md
      break;
    case tile::ExtensionPoint::Operands: break;
    }
  }
};

} // namespace
} // namespace cuda

const CodeGenerator *cudaCodeGenerator() {
  static const cuda::CudaCodeGenerator generator;
  return &generator;
}

} // namespace tegula
