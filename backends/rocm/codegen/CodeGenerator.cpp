// The compiler's half of the ROCm backend: simt IR in, a code object (HSACO) out. It needs no software of AMD.
#include "core/lowering/ThreadCodeGenerator.h"

#include "backends/llvm/Optimize.h"
#include "backends/rocm/codegen/AmdgcnPrinter.h"
#include "backends/rocm/codegen/Extrema.h"
#include "backends/rocm/codegen/LargeKernels.h"
#include "backends/rocm/codegen/Link.h"
#include "backends/rocm/codegen/LoadOffsets.h"
#include "backends/rocm/codegen/PinToBranches.h"
#include "backends/rocm/codegen/Rematerialize.h"
#include "backends/rocm/codegen/ShortLives.h"
#include "backends/rocm/codegen/UniformTests.h"
#include "backends/rocm/instructions/MatrixInstructions.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

namespace tegula {
namespace rocm {
namespace {

constexpr const char *kTriple = "amdgcn-amd-amdhsa";

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // for inline assembly
  });
}

/// The matrix instructions that the passes may choose: those that are issued with exchanged operands, whose advantage
/// is described at `transposed` in instructions/MatrixInstructions.cpp.
std::vector<MatrixInstruction> offeredInstructions(const Architecture &architecture) {
  std::vector<MatrixInstruction> offered;
  if (architecture.matrixPrefix.empty())
    return offered;
  for (const MatrixInstruction &row : matrixInstructions()) {
    std::string_view name = row.name;
    if (!name.ends_with(kTransposed))
      continue;
    name.remove_suffix(kTransposed.size());
    if (name.starts_with(architecture.matrixPrefix) &&
        (name.ends_with(architecture.matrixSuffix) || name.find(".gfx") == std::string_view::npos))
      offered.push_back(row);
  }
  return offered;
}

/// Replaces the constant +0 in a subtraction +0 - x by a value that LLVM cannot see through. LLVM 22 folds such a
/// subtraction, as if it were -x, into an instruction that can negate its operand. That is wrong for x = +0: the result
/// must be +0, but -x is -0:
///
///     %negated = fsub float 0.0, %x
///     %product = fmul float %negated, %y   ; becomes v_mul_f32 with the operand -x
///
/// The printer emits no vector subtractions, so only scalar constants occur.
void hideZeros(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *zero = instruction.getOpcode() == llvm::Instruction::FSub
                       ? llvm::dyn_cast<llvm::ConstantFP>(instruction.getOperand(0))
                       : nullptr;
      if (!zero || !zero->isZero() || zero->isNegative())
        continue;
      llvm::IRBuilder<> b(&instruction);
      instruction.setOperand(0, opaqueValue(b, zero));
    }
}

/// True if the code spills registers to private memory: the metadata of its only kernel contains a spill count other
/// than zero. (In MessagePack the value follows its key, and zero is one byte.)
bool spillsRegisters(const std::string &object) {
  constexpr std::string_view kKey = ".vgpr_spill_count";
  size_t at = object.find(kKey);
  return at == std::string::npos || object.at(at + kKey.size()) != 0;
}

/// LLVM's features for an architecture, beside those of its name. From gfx11 on, LLVM can allocate halves of registers
/// to 16-bit values. Kernels hold two of these in a register already, and the emulator that tests them knows whole
/// registers only, so halves are not used.
std::string featuresOf(const Architecture &architecture) { return architecture.generation >= 11 ? "-real-true16" : ""; }

/// Generates the kernel's object. The module is not changed, except for attributes of the kernel.
///
/// On CDNA a thread has 256 vector registers and 256 accumulation registers; matrix instructions can use both. By
/// default, LLVM uses accumulation registers for sums, and if it does not see that a loop can keep them there, it
/// moves all sums in every iteration. Therefore a kernel that fits into the vector registers uses only these. Then two
/// warps can also share a SIMD.
///
/// On RDNA, LLVM issues the loads of a product's operands as early as all 256 registers allow; it underestimates the
/// registers needed, and spills others. If that happens, it is told to leave registers for six warps on a SIMD, which
/// makes it issue loads later.
std::string emitKernel(llvm::Module &module, llvm::TargetMachine &machine, const Architecture &architecture,
                       const std::string &name) {
  constexpr const char *kWarps = "amdgpu-waves-per-eu", *kAccumulators = "amdgpu-agpr-alloc";
  auto emit = [&] { return llvmir::emitObject(*llvm::CloneModule(module), machine, name, llvmir::SinkCode::No); };
  llvm::Function *kernel = module.getFunction(name);
  auto has = [&](llvm::StringRef prefix) {
    return llvm::any_of(module, [&](const llvm::Function &each) { return each.getName().starts_with(prefix); });
  };
  if (architecture.generation == 9 && has("llvm.amdgcn.mfma")) {
    kernel->addFnAttr(kWarps, "2");
    kernel->addFnAttr(kAccumulators, "0");
    std::string object = emit();
    if (!spillsRegisters(object))
      return object;
    kernel->removeFnAttr(kWarps);
    kernel->removeFnAttr(kAccumulators);
    return emit();
  }
  std::string object = emit();
  if (!spillsRegisters(object) || !has("llvm.amdgcn.wmma"))
    return object;
  kernel->addFnAttr(kWarps, "6");
  std::string withFewer = emit();
  if (!spillsRegisters(withFewer))
    return withFewer;
  kernel->removeFnAttr(kWarps);
  return object;
}

/// Generates the object of a large kernel by the code generator without optimisation. It gives each value its own slot
/// of private memory. If these slots exceed a thread's private memory, the optimising code generator is used instead,
/// in which several values share a slot. Leaves `machine` at the optimisation level that was used.
std::string emitLargeKernel(llvm::Module &module, llvm::TargetMachine &machine, const Architecture &architecture,
                            const std::string &name) {
  llvm::CodeGenOptLevel level = machine.getOptLevel();
  machine.setOptLevel(llvm::CodeGenOptLevel::None);
  try {
    return llvmir::emitObject(*llvm::CloneModule(module), machine, name, llvmir::SinkCode::No);
  } catch (const Error &) { // "stack frame size exceeds limit"
    machine.setOptLevel(level);
    return emitKernel(module, machine, architecture, name);
  }
}

class RocmCodeGenerator final : public ThreadCodeGenerator {
public:
  std::string_view backend() const override { return "rocm"; }
  std::vector<std::string> targets() const override {
    std::vector<std::string> names;
    for (const Architecture &known : kArchitectures)
      names.emplace_back(known.name);
    return names;
  }
  bool accepts(std::string_view target) const override { return findArchitecture(target) != nullptr; }
  TargetDescription describe(std::string_view target) const override {
    const Architecture &architecture = *findArchitecture(target);
    TargetDescription made;
    made.features.warpSize = made.features.threadsPerWarp = architecture.warpSize;
    made.features.sharedBytes = kSharedBytes;
    made.features.registerBytes = architecture.registerBytes;
    made.features.threadRegisterBytes = architecture.threadRegisterBytes;
    made.features.nativeMath = {"fma.f32", "fma.f64", "exp2.f32"};
    made.features.vectorAtomics = {"fadd.f16x2", "fadd.bf16x2"};
    made.instructions = offeredInstructions(architecture);
    made.policies.aheadBytes = architecture.threadRegisterBytes / 16; // with 1/8, attention on RDNA 3 spills more
    made.policies.storesCarriedFirst = true;
    made.policies.relaxesQuotients = true;
    made.policies.exchangesPairs = true;
    made.policies.conditional = true;
    return made;
  }
  void addPasses(mlir::OpPassManager &pipeline, std::string_view) const override {
    pipeline.addPass(createUniformTests());
    pipeline.addPass(createShortLives());
  }
  std::vector<std::string> emits() const override { return {"llvm", "asm", "hsaco"}; }

  bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &onLevel) const override {
    initialize();
    const Architecture &architecture = *findArchitecture(artifact.target);
    auto kernel = module.lookupSymbol<mlir::func::FuncOp>(artifact.entry);
    if (!kernel)
      throw InternalError("the module has no function '" + artifact.entry + "'");
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> code = AmdgcnPrinter(context, kernel, architecture).print(artifact);
    std::unique_ptr<llvm::TargetMachine> machine =
        llvmir::makeTargetMachine({kTriple, artifact.target, featuresOf(architecture), artifact.target});
    llvmir::optimize(*code, *machine);
    combineExtrema(*code);
    shareLoadOffsets(*code, *machine);
    rematerialize(*code, *machine);
    hideZeros(*code);
    bool large = isLarge(kernel);
    if (large)
      shortenBlocks(*code);
    pinToBranches(*code, *machine); // last: others may let paths end with such instructions
    if (!onLevel("llvm", [&] { return llvmir::textOf(*code); }))
      return false;
    std::string object = large ? emitLargeKernel(*code, *machine, architecture, artifact.entry)
                               : emitKernel(*code, *machine, architecture, artifact.entry);
    if (!onLevel("asm", [&] {
          return llvmir::emitAssembly(*llvm::CloneModule(*code), *machine, artifact.entry, llvmir::SinkCode::No);
        }))
      return false;
    artifact.binary = linkCodeObject(object, artifact.entry);
    onLevel("hsaco", [&] { return print(artifact, "hsaco"); });
    return true;
  }

  std::string print(const Artifact &artifact, std::string_view level) const override {
    if (level != "hsaco")
      throw Error("a compiled kernel holds its hsaco only; compile it again for '" + std::string(level) + "'");
    return {artifact.binary.begin(), artifact.binary.end()};
  }
};

} // namespace
} // namespace rocm

const CodeGenerator *rocmCodeGenerator() {
  static const rocm::RocmCodeGenerator generator;
  return &generator;
}

} // namespace tegula
