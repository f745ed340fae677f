#include "tests/emulator/Decoder.h"
#include "tests/emulator/Program.h"
#include "tests/emulator/Text.h"
#include "tests/emulator/Wave.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>
#include <unordered_map>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace tegula::emulator {
namespace {

constexpr const char *kTriple = "amdgcn-amd-amdhsa";

const std::unordered_map<std::string, Handler> &handlers() {
  static const std::unordered_map<std::string, Handler> all = [] {
    HandlerTable table = allHandlers();
    return std::unordered_map<std::string, Handler>(table.begin(), table.end());
  }();
  return all;
}

void unknown(Wave &, const Instruction &i) {
  throw Fault("the emulator does not know the instruction '" + i.text + "'");
}

/// LLVM's disassembler for one architecture.
class Disassembler {
public:
  explicit Disassembler(const std::string &target) : family_(familyOf(target)) {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUDisassembler();
    });
    std::string problem;
    const llvm::Target *found = llvm::TargetRegistry::lookupTarget(kTriple, problem);
    if (!found)
      throw Fault("this LLVM has no AMDGPU target: " + problem);
    registers_.reset(found->createMCRegInfo(kTriple));
    assembly_.reset(found->createMCAsmInfo(*registers_, kTriple, llvm::MCTargetOptions()));
    instructions_.reset(found->createMCInstrInfo());
    subtarget_.reset(found->createMCSubtargetInfo(kTriple, target, disassemblyFeatures(target)));
    context_ =
        std::make_unique<llvm::MCContext>(llvm::Triple(kTriple), assembly_.get(), registers_.get(), subtarget_.get());
    disassembler_.reset(found->createMCDisassembler(*subtarget_, *context_));
    printer_.reset(found->createMCInstPrinter(llvm::Triple(kTriple), 0, *assembly_, *instructions_, *registers_));
  }

  /// The text of the instruction at the beginning of `code`; `size`: its bytes. Empty where there is none.
  std::string text(std::span<const uint8_t> code, uint64_t &size, llvm::MCInst &instruction) {
    if (disassembler_->getInstruction(instruction, size, {code.data(), code.size()}, 0, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return {};
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer_->printInst(&instruction, 0, "", *subtarget_, stream);
    return text;
  }

  Dependencies dependencies(const llvm::MCInst &instruction, const Instruction &made) const {
    return dependenciesOf(instruction, *instructions_, *registers_, made.name, made.text, family_);
  }

private:
  Family family_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

bool isBranch(const std::string &name) { return name == "s_branch" || name.starts_with("s_cbranch_"); }

Class classOf(const std::string &name) {
  auto starts = [&](std::initializer_list<const char *> prefixes) {
    return std::ranges::any_of(prefixes, [&](const char *prefix) { return name.starts_with(prefix); });
  };
  if (starts({"s_wait", "s_delay_alu", "s_nop", "s_clause", "s_setprio", "s_sendmsg", "s_code_end"}))
    return Class::Hint;
  if (isBranch(name))
    return Class::Branch;
  if (starts({"v_mfma", "v_wmma"}))
    return Class::Matrix;
  if (starts({"global_", "flat_", "buffer_", "scratch_"}))
    return Class::Global;
  return starts({"ds_"}) ? Class::Lds : starts({"v_"}) ? Class::Vector : Class::Scalar;
}

/// Notes in the dependencies of a pair, all of which are the first instruction's, which of the two reads and writes
/// each register. Registers that are not among the printed operands belong to both.
void divideDependencies(Instruction &first, const Instruction &second) {
  auto numberOf = [](const Operand &operand) {
    return operand.kind == Operand::Kind::Scalar ? kFirstScalar + operand.index : unsigned(operand.index);
  };
  auto halvesOf = [&](const RegisterRange &range, bool isWrite) {
    uint8_t halves = 0;
    for (auto [bit, half] : {std::pair(1, static_cast<const Instruction *>(&first)), std::pair(2, &second)})
      for (size_t n = 0; n < half->operands.size(); ++n) {
        const Operand &operand = half->operands[n];
        bool isSum =
            n == 0 && (half->name.find("fmac") != std::string::npos || half->name.find("acc") != std::string::npos);
        if (operand.isRegister() && (isSum || (n == 0) == isWrite) && numberOf(operand) == range.first)
          halves |= uint8_t(bit);
      }
    return halves ? halves : uint8_t(3);
  };
  for (RegisterRange &read : first.depends.reads)
    read.halves = halvesOf(read, false);
  for (RegisterRange &written : first.depends.writes)
    written.halves = halvesOf(written, true);
}

/// Notes in the dependencies of a packed instruction with 32-bit words which words of its sources each word of the
/// result reads: those that op_sel and op_sel_hi choose.
void choosePackedWords(Instruction &made) {
  if (!made.name.starts_with("v_pk_") || !made.name.ends_with("_f32"))
    return;
  size_t source = 0;
  for (RegisterRange &read : made.depends.reads) {
    while (source + 1 < made.operands.size() && !made.operands[source + 1].isRegister())
      ++source;
    if (source + 1 >= made.operands.size())
      return; // registers that are not printed: EXEC, MODE
    if (read.count == 2) {
      uint8_t bit = uint8_t(1 << source);
      read.isPacked = true;
      read.words = {uint8_t(made.opSel & bit ? 1 : 0), uint8_t(made.opSelHi & bit ? 1 : 0)};
    }
    ++source;
  }
}

void add(std::vector<Instruction> &code, std::string_view text, uint64_t offset, uint32_t size,
         std::span<const uint8_t> bytes) {
  Instruction made = readText(text);
  made.offset = offset;
  made.size = size;
  for (const Operand &operand : made.operands)
    made.readsScc |= operand.kind == Operand::Kind::Scalar && operand.index == kScc;
  if (isBranch(made.name)) // words to skip behind the instruction, 16 bits with a sign
    made.immediate = int64_t(offset) + 4 + 4 * int64_t(int16_t(made.operands.at(0).bits));
  if (made.name == "ds_swizzle_b32") // printed as a pattern; the offset is in the low half of the first word
    made.immediate = bytes[0] | bytes[1] << 8;
  made.counted = classOf(made.name);
  auto found = handlers().find(made.name);
  made.handler = found == handlers().end() ? unknown : found->second;
  code.push_back(std::move(made));
}

} // namespace

HandlerTable allHandlers() {
  HandlerTable table;
  for (auto add : {addScalar, addModes, addInteger, addFloat, addComparisons, addPacked, addMemory, addBuffers,
                   addShared, addLanes, addMatrix})
    add(table);
  return table;
}

std::vector<Instruction> decode(std::span<const uint8_t> code, const std::string &target) {
  thread_local std::map<std::string, Disassembler> disassemblers;
  Disassembler &disassembler = disassemblers.try_emplace(target, target).first->second;
  std::vector<Instruction> made;
  for (uint64_t at = 0; at < code.size();) {
    uint64_t size = 0;
    llvm::MCInst decoded;
    std::string text = disassembler.text(code.subspan(at), size, decoded);
    if (text.empty() || size == 0)
      throw Fault("the code has no instruction of " + target + " at offset " + std::to_string(at));
    std::string_view first = text, second;
    if (size_t pair = text.find(" :: "); pair != std::string::npos) {
      first = std::string_view(text).substr(0, pair);
      second = std::string_view(text).substr(pair + 4);
    }
    add(made, first, at, uint32_t(size), code.subspan(at));
    made.back().depends = disassembler.dependencies(decoded, made.back());
    choosePackedWords(made.back());
    if (!second.empty()) {
      made.back().pairs = true;
      add(made, second, at, uint32_t(size), code.subspan(at));
      divideDependencies(made[made.size() - 2], made.back());
    }
    at += size;
  }
  std::unordered_map<uint64_t, size_t> indices;
  for (size_t i = made.size(); i-- > 0;)
    indices[made[i].offset] = i; // of a pair, the first
  for (Instruction &instruction : made)
    if (isBranch(instruction.name)) {
      auto found = indices.find(uint64_t(instruction.immediate));
      if (found == indices.end())
        throw Fault("a branch leads out of the kernel: '" + instruction.text + "'");
      instruction.immediate = int64_t(found->second);
    }
  return made;
}

} // namespace tegula::emulator
