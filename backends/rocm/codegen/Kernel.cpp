// Declares the kernel: calling convention, numbers of threads, and the inputs that the hardware need not prepare.
#include "backends/rocm/codegen/AmdgcnPrinter.h"
#include "backends/rocm/codegen/LargeKernels.h"

using namespace mlir;

namespace tegula::rocm {

AmdgcnPrinter::AmdgcnPrinter(llvm::LLVMContext &context, func::FuncOp kernel, const Architecture &architecture)
    : Printer(context, kernel, std::string(architecture.name)), architecture_(architecture), isLarge_(isLarge(kernel)) {
}

void AmdgcnPrinter::declareKernel() {
  if (warpSize() != architecture_.warpSize)
    fail(kernel(), "expected warps of " + llvm::Twine(architecture_.warpSize) + " threads, found 'simt.warp_size' " +
                       llvm::Twine(warpSize()));
  needThreads(1024);
  int64_t threads = kernelThreads();
  llvm::Function *made = function();
  made->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  made->addFnAttr("amdgpu-flat-work-group-size", std::to_string(threads) + "," + std::to_string(threads));
  made->addFnAttr("uniform-work-group-size", "true");
  // In the hardware's other mode (IEEE), LLVM makes signalling NaNs quiet before maxima and minima, by one instruction
  // each.
  made->addFnAttr("amdgpu-ieee", "false");
  llvm::Metadata *sizes[] = {llvm::ConstantAsMetadata::get(i32(threads)), llvm::ConstantAsMetadata::get(i32(1)),
                             llvm::ConstantAsMetadata::get(i32(1))};
  made->setMetadata("reqd_work_group_size", llvm::MDNode::get(b.getContext(), sizes));
  // Each attribute promises that the kernel does not read one register or hidden argument, so that the launch need not
  // prepare that register or argument. Tegula's kernels read none of these.
  for (const char *unused :
       {"amdgpu-no-dispatch-ptr", "amdgpu-no-dispatch-id", "amdgpu-no-queue-ptr", "amdgpu-no-hostcall-ptr",
        "amdgpu-no-heap-ptr", "amdgpu-no-multigrid-sync-arg", "amdgpu-no-completion-action", "amdgpu-no-default-queue",
        "amdgpu-no-lds-kernel-id", "amdgpu-no-workitem-id-y", "amdgpu-no-workitem-id-z", "amdgpu-no-implicitarg-ptr"})
    made->addFnAttr(unused);
  module().addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
}

void AmdgcnPrinter::passByValue(llvm::Argument *argument, llvm::Type *held) {
  argument->addAttr(llvm::Attribute::getWithByRefType(b.getContext(), held));
}

llvm::Type *AmdgcnPrinter::descriptorParameter(Operation *op) { failMissing(op); }

bool AmdgcnPrinter::printTargetOp(Operation *op) {
  auto product = dyn_cast<simt::MmaOp>(op);
  if (product)
    printMma(product);
  return bool(product);
}

} // namespace tegula::rocm
