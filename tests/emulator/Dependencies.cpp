#include "tests/emulator/Dependencies.h"
#include "tests/emulator/Instruction.h"

#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"

#include <algorithm>
#include <charconv>

namespace tegula::emulator {
namespace {

/// The number of a register of one word, by its name in LLVM's tables; -1: it is not followed.
int numberOf(llvm::StringRef name) {
  unsigned index = 0;
  if (name == "VCC_LO" || name == "VCC_HI")
    return int(kFirstScalar + kVcc) + (name == "VCC_HI");
  if (name.consume_front("VGPR") && !name.getAsInteger(10, index))
    return int(index);
  if (name.consume_front("AGPR") && !name.getAsInteger(10, index))
    return int(kFirstAccumulator + index);
  if (name.consume_front("SGPR") && !name.getAsInteger(10, index))
    return int(kFirstScalar + index);
  return -1;
}

/// The words of each register of LLVM's tables, in order.
const std::vector<RegisterRange> &rangesOf(const llvm::MCRegisterInfo &registers) {
  static const std::vector<RegisterRange> all = [&] {
    std::vector<RegisterRange> ranges(registers.getNumRegs());
    for (unsigned reg = 1; reg < registers.getNumRegs(); ++reg) {
      int least = -1;
      for (llvm::MCPhysReg part : registers.subregs_inclusive(reg)) {
        int number = numberOf(registers.getName(part));
        if (number < 0)
          continue;
        least = least < 0 ? number : std::min(least, number);
        ++ranges[reg].count;
      }
      ranges[reg].first = uint16_t(std::max(least, 0));
    }
    return ranges;
  }();
  return all;
}

/// Its destination is a sum that it reads: tied to a source, which must hold a value.
bool isAccumulating(const std::string &name) {
  for (const char *part : {"v_fmac", "v_mac", "v_pk_fmac", "v_dot", "v_dual_fmac", "v_dual_dot"})
    if (name.starts_with(part))
      return true;
  return false;
}

bool needsValues(const std::string &name) {
  if (name.starts_with("scratch_store") || name.starts_with("buffer_store"))
    return false; // LLVM's spills, some of them of registers without a value
  for (const char *part : {"global_", "flat_", "scratch_", "buffer_", "ds_", "s_load_", "s_buffer_", "v_cmp", "s_cmp",
                           "v_mfma", "v_wmma", "v_readfirstlane"})
    if (name.starts_with(part))
      return true;
  return false;
}

/// Whether the instruction keeps bits of its first source that stand for inactive lanes, as in `s_and_not1_b32 s2, s7,
/// exec_lo`. LLVM merges a lane mask of a loop's iterations so; in the first iteration these bits are undefined, and no
/// lane reads them.
bool keepsInactiveLanes(const std::string &name, const std::string &text) {
  return (name.starts_with("s_and_not1_b") || name.starts_with("s_andn2_b")) &&
         (text.ends_with(", exec_lo") || text.ends_with(", exec"));
}

/// The number behind `key(` in the text of an s_waitcnt; -1: there is none.
int countIn(const std::string &text, const std::string &key) {
  size_t at = text.find(key + "(");
  int value = -1;
  if (at != std::string::npos)
    std::from_chars(text.data() + at + key.size() + 1, text.data() + text.size(), value);
  return value;
}

void readWaits(const llvm::MCInst &instruction, const std::string &name, const std::string &text, Dependencies &made) {
  auto wait = [&](Counter counter, int left) { made.waits[size_t(counter)] = left; };
  auto number = [&] { return int(instruction.getOperand(instruction.getNumOperands() - 1).getImm()); };
  // Of a wait for two counters: that of LDS in the lower byte.
  auto upper = [&] { return number() >> 8 & 0x3f; };
  auto lower = [&] { return number() & 0x3f; };
  if (name == "s_waitcnt") {
    wait(Counter::Loads, countIn(text, "vmcnt"));
    wait(Counter::Lds, countIn(text, "lgkmcnt"));
  } else if (name == "s_waitcnt_vscnt" || name == "s_wait_storecnt") {
    wait(Counter::Stores, number());
  } else if (name == "s_wait_loadcnt") {
    wait(Counter::Loads, number());
  } else if (name == "s_wait_dscnt") {
    wait(Counter::Lds, number());
  } else if (name == "s_wait_kmcnt") {
    wait(Counter::Scalars, number());
  } else if (name == "s_wait_loadcnt_dscnt" || name == "s_wait_storecnt_dscnt") {
    wait(name == "s_wait_loadcnt_dscnt" ? Counter::Loads : Counter::Stores, upper());
    wait(Counter::Lds, lower());
  }
}

void readCounts(const std::string &name, const std::string &text, Family family, Dependencies &made) {
  auto starts = [&](const char *prefix) { return name.starts_with(prefix); };
  auto has = [&](const char *part) { return name.find(part) != std::string::npos; };
  if (starts("ds_")) {
    made.isLds = !starts("ds_bpermute") && !starts("ds_permute") && !starts("ds_swizzle");
    made.counts[size_t(Counter::Lds)] = true;
  } else if (starts("s_load_") || starts("s_buffer_load_")) {
    made.isScalarLoad = true;
    made.counts[size_t(family == Family::Gfx12 ? Counter::Scalars : Counter::Lds)] = true;
  } else if (starts("global_") || starts("flat_") || starts("scratch_") || starts("buffer_")) {
    if (family == Family::Gfx12 && (starts("global_inv") || starts("global_wb"))) { // of caches
      made.counts[size_t(starts("global_inv") ? Counter::Loads : Counter::Stores)] = true;
      return;
    }
    if (!has("_load") && !has("_store") && !has("_atomic"))
      return; // of caches, before gfx12: not counted
    bool loads = has("_load") || (has("_atomic") && !made.writes.empty());
    made.counts[size_t(loads || family == Family::Gfx9 ? Counter::Loads : Counter::Stores)] = true;
    if (starts("flat_")) // it may be one of LDS
      made.counts[size_t(Counter::Lds)] = true;
  }
  made.isBarrier = name == "s_barrier" || name == "s_barrier_signal";
}

} // namespace

Dependencies dependenciesOf(const llvm::MCInst &instruction, const llvm::MCInstrInfo &instructions,
                            const llvm::MCRegisterInfo &registers, const std::string &name, const std::string &text,
                            Family family) {
  const llvm::MCInstrDesc &description = instructions.get(instruction.getOpcode());
  const std::vector<RegisterRange> &ranges = rangesOf(registers);
  Dependencies made;
  auto add = [&](std::vector<RegisterRange> &to, unsigned reg, bool isOld, bool isImplicit) {
    RegisterRange range = reg < ranges.size() ? ranges[reg] : RegisterRange();
    range.isOld = isOld;
    // The tables name the whole of VCC, of which 32 lanes use the lower half.
    if (isImplicit && range.first == kFirstScalar + kVcc && family != Family::Gfx9)
      range.count = 1;
    if (range.count > 0)
      to.push_back(range);
  };
  // Whose first source may be undefined: LLVM's spills of scalar registers write lanes of such a register.
  bool keepsOthers = name.starts_with("v_writelane") || keepsInactiveLanes(name, text);
  for (unsigned n = 0; n < instruction.getNumOperands(); ++n) {
    const llvm::MCOperand &operand = instruction.getOperand(n);
    if (!operand.isReg())
      continue;
    int tied = n < description.getNumOperands() ? description.getOperandConstraint(n, llvm::MCOI::TIED_TO) : -1;
    if (n < description.getNumDefs())
      add(made.writes, operand.getReg(), false, false);
    else if (tied < 0)
      add(made.reads, operand.getReg(), keepsOthers, false);
    else // LLVM (seen in 19) decodes the tied sum of the second half of a pair (VOPD) without the last bit of its
         // number
      add(made.reads, instruction.getOperand(unsigned(tied)).getReg(), !isAccumulating(name), false);
  }
  for (llvm::MCPhysReg reg : description.implicit_uses())
    add(made.reads, reg, false, true);
  for (llvm::MCPhysReg reg : description.implicit_defs())
    add(made.writes, reg, false, true);
  made.needsValues = needsValues(name);
  readWaits(instruction, name, text, made);
  readCounts(name, text, family, made);
  return made;
}

} // namespace tegula::emulator
