#include "tests/emulator/tests/Assembler.h"

#include "tests/emulator/Program.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <stdexcept>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace tegula::emulator::test {
namespace {

constexpr const char *kTriple = "amdgcn-amd-amdhsa";

/// Keeps each instruction's bytes under the number of its line.
class Collector final : public llvm::MCStreamer {
public:
  Collector(llvm::MCContext &context, const llvm::MCCodeEmitter &emitter, const llvm::SourceMgr &sources,
            std::vector<std::vector<uint8_t>> &codes)
      : MCStreamer(context), emitter_(emitter), sources_(sources), codes_(codes) {}

  void emitInstruction(const llvm::MCInst &instruction, const llvm::MCSubtargetInfo &subtarget) override {
    llvm::SmallString<16> code;
    llvm::SmallVector<llvm::MCFixup, 1> fixups;
    emitter_.encodeInstruction(instruction, code, fixups, subtarget);
    codes_.at(sources_.getLineAndColumn(instruction.getLoc()).first - 1).assign(code.begin(), code.end());
  }
  bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection *, llvm::MCSymbol *, uint64_t, llvm::Align, llvm::SMLoc) override {}

private:
  const llvm::MCCodeEmitter &emitter_;
  const llvm::SourceMgr &sources_;
  std::vector<std::vector<uint8_t>> &codes_;
};

/// What an architecture needs, whatever the text.
struct Architecture {
  explicit Architecture(const std::string &name) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    std::string problem;
    target = llvm::TargetRegistry::lookupTarget(kTriple, problem);
    if (!target)
      throw std::runtime_error("this LLVM has no AMDGPU target: " + problem);
    registers.reset(target->createMCRegInfo(kTriple));
    assembly.reset(target->createMCAsmInfo(*registers, kTriple, llvm::MCTargetOptions()));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(kTriple, name, disassemblyFeatures(name)));
  }
  const llvm::Target *target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
};

} // namespace

std::vector<std::vector<uint8_t>> assemble(std::span<const std::string> texts, const std::string &target) {
  static std::map<std::string, Architecture> architectures;
  Architecture &of = architectures.try_emplace(target, target).first->second;
  std::string whole;
  for (const std::string &text : texts)
    whole += text + "\n";
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(whole), llvm::SMLoc());
  sources.setDiagHandler([](const llvm::SMDiagnostic &, void *) {}); // forms that do not exist are no errors here
  llvm::MCContext context(llvm::Triple(kTriple), of.assembly.get(), of.registers.get(), of.subtarget.get(), &sources);
  std::unique_ptr<llvm::MCObjectFileInfo> objects(of.target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(objects.get());
  std::unique_ptr<llvm::MCCodeEmitter> emitter(of.target->createMCCodeEmitter(*of.instructions, context));
  std::vector<std::vector<uint8_t>> codes(texts.size());
  Collector collector(context, *emitter, sources, codes);
  of.target->createNullTargetStreamer(collector);
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, collector, *of.assembly));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      of.target->createMCAsmParser(*of.subtarget, *parser, *of.instructions, llvm::MCTargetOptions()));
  parser->setTargetParser(*targetParser);
  parser->Run(false);
  return codes;
}

} // namespace tegula::emulator::test
