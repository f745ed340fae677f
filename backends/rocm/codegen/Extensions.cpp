// Stubs of LLVM functions that lld refers to although linking does not need them, if LLVM is linked statically. lld's
// link-time optimizer, which code objects do not use, initialises all targets and registers the passes of LLVM's static
// extensions. Here the other targets, and Polly, the extension of Debian's LLVM, do nothing, so that their archives, 43
// MB of the library, are not linked.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder &) {}};
}

#define TEGULA_NOTHING(FUNCTION)                                                                                       \
  extern "C" void FUNCTION();                                                                                          \
  void FUNCTION() {}
#define TEGULA_OTHER_TARGET(NAME)                                                                                      \
  TEGULA_NOTHING(LLVMInitialize##NAME##TargetInfo)                                                                     \
  TEGULA_NOTHING(LLVMInitialize##NAME##Target)                                                                         \
  TEGULA_NOTHING(LLVMInitialize##NAME##TargetMC)                                                                       \
  TEGULA_NOTHING(LLVMInitialize##NAME##AsmPrinter)                                                                     \
  TEGULA_NOTHING(LLVMInitialize##NAME##AsmParser)                                                                      \
  TEGULA_NOTHING(LLVMInitialize##NAME##Disassembler)

TEGULA_OTHER_TARGET(AArch64)
TEGULA_OTHER_TARGET(ARM)
TEGULA_OTHER_TARGET(AVR)
TEGULA_OTHER_TARGET(BPF)
TEGULA_OTHER_TARGET(Hexagon)
TEGULA_OTHER_TARGET(Lanai)
TEGULA_OTHER_TARGET(LoongArch)
TEGULA_OTHER_TARGET(M68k)
TEGULA_OTHER_TARGET(MSP430)
TEGULA_OTHER_TARGET(Mips)
TEGULA_OTHER_TARGET(PowerPC)
TEGULA_OTHER_TARGET(RISCV)
TEGULA_OTHER_TARGET(SPIRV)
TEGULA_OTHER_TARGET(Sparc)
TEGULA_OTHER_TARGET(SystemZ)
TEGULA_OTHER_TARGET(VE)
TEGULA_OTHER_TARGET(WebAssembly)
TEGULA_OTHER_TARGET(X86)
TEGULA_OTHER_TARGET(XCore)
TEGULA_OTHER_TARGET(Xtensa)
