// Declares the kernel in PTX: annotations, parameters, register budgets.
#include "backends/cuda/codegen/NvptxPrinter.h"

using namespace mlir;

namespace tegula::cuda {

NvptxPrinter::NvptxPrinter(llvm::LLVMContext &context, func::FuncOp kernel, SmVersion version)
    : Printer(context, kernel, version.name()), version_(version) {}

void NvptxPrinter::need(Operation *op, unsigned version, const char *what) {
  if (version_.number < version)
    fail(op, llvm::Twine("expected a target from sm_") + llvm::Twine(version) + " on for " + what + ", found " +
                 version_.name());
}

void NvptxPrinter::declareKernel() {
  if (warpSize() != 32)
    fail(kernel(), "expected warps of 32 threads, found 'simt.warp_size' " + llvm::Twine(warpSize()));
  needThreads(1024);
  function()->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function()->addFnAttr("nvvm.reqntid", llvm::utostr(kernelThreads()) + ",1,1");
  function()->addFnAttr("nvvm.minctasm", "1");
  if (auto most = kernel()->getAttrOfType<IntegerAttr>(simt::kMaxRegistersAttr))
    function()->addFnAttr("nvvm.maxnreg", llvm::utostr(most.getInt()));
  // The attribute `nvvm.grid_constant` keeps encoded descriptors in the parameters' constant memory, where tensor
  // copies address them; without it, LLVM could copy a parameter to local memory. Thread 0 prefetches the descriptors,
  // so that the first tensor copies need not wait for them.
  for (BlockArgument argument : kernel().getArguments()) {
    if (!isa<tile::DescType>(argument.getType()) || passedInParts(argument))
      continue;
    function()->addParamAttr(argument.getArgNumber(), llvm::Attribute::get(b.getContext(), "nvvm.grid_constant"));
    InlinePtx ptx(b);
    std::string thread = ptx.input(kernelThreadId()),
                descriptor = ptx.input(function()->getArg(argument.getArgNumber()));
    ptx.emit("{ .reg .pred first; setp.eq.u32 first, " + thread + ", 0; @first prefetch.tensormap [" + descriptor +
                 "]; }",
             InlinePtx::Effect);
  }
}

void NvptxPrinter::passByValue(llvm::Argument *argument, llvm::Type *held) {
  argument->addAttr(llvm::Attribute::getWithByValType(b.getContext(), held));
}

llvm::Type *NvptxPrinter::descriptorParameter(Operation *op) {
  need(op, 90, "tensor descriptors");
  return llvm::ArrayType::get(b.getInt8Ty(), 128);
}

void NvptxPrinter::setRegisters(int64_t registers) {
  if (!version_.specific)
    return; // only sm_90a moves registers between warp groups; other targets ignore the budget
  // The number of registers that each thread has when the kernel starts: the kernel's register cap if it has one;
  // otherwise the multiprocessor's 65,536 registers divided by the threads, at most 255, rounded down to a multiple of
  // 8.
  auto most = kernel()->getAttrOfType<IntegerAttr>(simt::kMaxRegistersAttr);
  int64_t atEntry = most ? most.getInt() : std::min<int64_t>(65536 / kernelThreads(), 255) / 8 * 8;
  if (registers < 24 || registers > 256)
    fail(kernel(), "expected groups to have 24 to 256 registers a thread, found " + llvm::Twine(registers));
  if (registers == atEntry)
    return;
  bool grows = registers > atEntry;
  InlinePtx ptx(b);
  ptx.emit(std::string("setmaxnreg.") + (grows ? "inc" : "dec") + ".sync.aligned.u32 " + std::to_string(registers) +
               ";",
           InlinePtx::Collective);
}

bool NvptxPrinter::printTargetOp(Operation *op) {
  return printCopies(op) || printBarrierObjects(op) || printClusters(op) || printMatrix(op) || printAsyncMatmul(op);
}

} // namespace tegula::cuda
