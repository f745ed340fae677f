// The register MODE, and the other hardware registers that kernels for HIP read or write.
#include "tests/emulator/Wave.h"

namespace tegula::emulator {
namespace {

uint32_t fieldMask(const Instruction &i) { return i.fieldBits >= 32 ? ~0u : (1u << i.fieldBits) - 1; }

void setMode(Wave &w, const Instruction &i, uint32_t mode) {
  if ((mode & kFloatModes) != kFloatDefaults)
    throw Fault("'" + i.text + "': the emulator rounds to nearest and keeps denormal numbers, in no other mode");
  w.mode = mode;
}

void readRegister(Wave &w, const Instruction &i) {
  uint32_t value;
  if (i.hardwareRegister == "HW_REG_MODE")
    value = w.mode;
  else if (i.hardwareRegister == "HW_REG_SHADER_CYCLES") // a count that grows
    value = uint32_t(w.counters.instructions) & 0xfffff;
  else
    throw Fault("the emulator has no hardware register for '" + i.text + "'");
  w.setScalar32(i.operands[0], value >> i.fieldOffset & fieldMask(i));
}

void writeRegister(Wave &w, const Instruction &i) {
  if (i.hardwareRegister == "HW_REG_FLAT_SCR_LO" || i.hardwareRegister == "HW_REG_FLAT_SCR_HI")
    return; // private memory is found without
  if (i.hardwareRegister != "HW_REG_MODE")
    throw Fault("the emulator has no hardware register for '" + i.text + "'");
  uint32_t mask = fieldMask(i) << i.fieldOffset, value = w.scalar32(i.operands[0]) << i.fieldOffset;
  setMode(w, i, (w.mode & ~mask) | (value & mask));
}

} // namespace

void addModes(HandlerTable &t) {
  t.emplace_back("s_getreg_b32", readRegister);
  t.emplace_back("s_setreg_b32", writeRegister);
  t.emplace_back("s_setreg_imm32_b32", writeRegister);
  t.emplace_back("s_round_mode", [](Wave &w, const Instruction &i) {
    setMode(w, i, (w.mode & ~0xfu) | (uint32_t(i.operands[0].bits) & 0xf));
  });
  t.emplace_back("s_denorm_mode", [](Wave &w, const Instruction &i) {
    setMode(w, i, (w.mode & ~0xf0u) | (uint32_t(i.operands[0].bits) & 0xf) << 4);
  });
}

} // namespace tegula::emulator
