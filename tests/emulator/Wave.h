// The state of a wave and of its workgroup, and how instructions read and write it.
#pragma once

#include "tests/emulator/Instruction.h"
#include "tests/emulator/Watch.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace tegula::emulator {

class Memory;
class Program;

/// What a kernel did wrong: an access outside of the allocations, an unknown instruction.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Instructions issued and what they cost, summed over waves; `tegula run --stats` prints them.
struct Counters {
  uint64_t instructions = 0;
  std::array<uint64_t, kClasses> issued = {}; // by class
  uint64_t bankConflicts = 0;                 // additional cycles of LDS accesses
  uint64_t lines = 0;                         // of 64 bytes of global memory, summed over instructions
  void add(const Counters &other);
};

/// A workgroup: its LDS, its place in the grid.
struct Workgroup {
  std::vector<uint8_t> lds;
  LdsWatch watch;
  std::array<uint32_t, 3> id = {};
  Memory *memory = nullptr;
};

inline float halfToFloat(uint16_t bits) { return float(std::bit_cast<_Float16>(bits)); }
/// Rounded to nearest even.
inline uint16_t floatToHalf(float value) { return std::bit_cast<uint16_t>(_Float16(value)); }

/// The register MODE: rounding to nearest (bits 0 to 3), denormal numbers kept (4 to 7), NaN clamps to 0, IEEE rules.
inline constexpr uint32_t kDefaultMode = 0x3f0, kFloatModes = 0xff, kFloatDefaults = 0xf0;

/// The upper words of flat addresses in LDS and in a lane's private memory; no address of the host has them.
inline constexpr uint32_t kSharedAperture = 0x10000, kPrivateAperture = 0x20000;

/// Where a kernel's code begins, for instructions that read or write the program counter. Longer code crosses a border
/// of 2^32 bytes, so that sums of addresses need their carry.
inline constexpr uint64_t kCodeAddress = 0x6fffffff00;

/// All zero, but for the registers that hold where the apertures begin and end.
inline std::array<uint32_t, kScalars> initialScalars() {
  std::array<uint32_t, kScalars> scalars = {};
  for (auto [index, upper] : {std::pair{kShared, kSharedAperture}, std::pair{kPrivate, kPrivateAperture}}) {
    scalars[index + 1] = scalars[index + 3] = upper;
    scalars[index + 2] = 0xffffffff;
  }
  return scalars;
}

struct Wave {
  Family family = Family::Gfx11;
  unsigned lanes = 32;
  std::array<uint32_t, kScalars> scalars = initialScalars();
  uint32_t mode = kDefaultMode; // the register MODE
  bool scc = false;
  std::vector<uint32_t> vectors;      // register r of lane l: r * lanes + l
  std::vector<uint32_t> accumulators; // the same, gfx90a and gfx942
  std::vector<uint8_t> scratch;       // private memory: byte b of lane l is at l * scratchBytes + b
  uint32_t scratchBytes = 0;          // of one lane
  const std::vector<Instruction> *code = nullptr;
  size_t next = 0;                     // index of the next instruction in `code`
  bool ended = false, waiting = false; // at a barrier
  Workgroup *group = nullptr;
  const Program *program = nullptr;
  unsigned index = 0; // in its workgroup
  WaveWatch watch;
  Counters counters;
  std::vector<uint64_t> lines; // of global memory that the instruction being executed accesses
  std::vector<uint32_t> moved; // DPP: the first source, word w of lane l at w * lanes + l, for Operand index kMoved
  std::pair<uint64_t, size_t> arguments; // address and bytes of the argument segment

  bool isArgument(uint64_t address, size_t bytes) const {
    return address >= arguments.first && address - arguments.first + bytes <= arguments.second;
  }

  /// Counts an instruction that begins; a pair (VOPD) is one.
  void count(const Instruction &i);
  /// What was counted, the last instruction's lines included.
  const Counters &counted();
  /// Checks an access of global memory and remembers its lines.
  void access(uint64_t address, size_t bytes, const Instruction &i);

  uint64_t exec() const { return lanes == 64 ? pair(kExec) : scalars[kExec]; }
  void setExec(uint64_t mask) { lanes == 64 ? setPair(kExec, mask) : void(scalars[kExec] = uint32_t(mask)); }
  uint64_t vcc() const { return lanes == 64 ? pair(kVcc) : scalars[kVcc]; }
  uint64_t pair(unsigned index) const { return scalars[index] | uint64_t(scalars[index + 1]) << 32; }
  void setPair(unsigned index, uint64_t value) {
    scalars[index] = uint32_t(value);
    scalars[index + 1] = uint32_t(value >> 32);
  }
  bool isActive(unsigned lane) const { return exec() >> lane & 1; }

  /// A mask of lanes in scalar registers: 32 or 64 bits.
  uint64_t mask(const Operand &o) const { return lanes == 64 ? scalar64(o) : scalar32(o); }
  void setMask(const Operand &o, uint64_t value) {
    if (lanes == 64)
      setScalar64(o, value);
    else
      setScalar32(o, uint32_t(value));
  }

  // --- scalar operands; floats in constants have 32 or 64 bits as the read has ---
  uint32_t scalar32(const Operand &o) const;
  uint64_t scalar64(const Operand &o) const;
  void setScalar32(const Operand &o, uint32_t value) { setScalarWord(o, 0, value); }
  void setScalar64(const Operand &o, uint64_t value) {
    setScalarWord(o, 0, uint32_t(value));
    setScalarWord(o, 1, uint32_t(value >> 32));
  }
  uint32_t scalarWord(const Operand &o, unsigned word) const { return scalars[o.index + word]; }
  /// Writes to the null register are dropped.
  void setScalarWord(const Operand &o, unsigned word, uint32_t value) {
    if (o.index != kNull)
      scalars[o.index + word] = value;
  }

  // --- an operand as a lane sees it: vector register, scalar register or constant ---
  uint32_t word(const Operand &o, unsigned lane, unsigned word = 0) const;
  void setWord(const Operand &o, unsigned lane, uint32_t value, unsigned word = 0);
  /// Integers: no modifiers. b32 applies the SDWA part, b16 takes the half that op_sel or SDWA chooses.
  uint32_t b32(const Operand &o, unsigned lane) const;
  uint64_t b64(const Operand &o, unsigned lane) const;
  uint16_t b16(const Operand &o, unsigned lane) const;
  /// Floats, with the operand's modifiers.
  float f32(const Operand &o, unsigned lane) const;
  double f64(const Operand &o, unsigned lane) const;
  float f16(const Operand &o, unsigned lane) const;
  /// Results. Those of 16 bits leave the upper half of the register (gfx10 and later) or clear it (gfx9). Floats obey
  /// the instruction's clamp and output modifiers.
  void setB32(const Instruction &i, unsigned lane, uint32_t value, unsigned operand = 0);
  void setB64(const Instruction &i, unsigned lane, uint64_t value, unsigned operand = 0);
  void setB16(const Instruction &i, unsigned lane, uint16_t value);
  void setF32(const Instruction &i, unsigned lane, float value);
  void setF64(const Instruction &i, unsigned lane, double value);
  void setF16(const Instruction &i, unsigned lane, float value); // rounded to nearest even
};

/// Calls body(lane) for each active lane.
template <class Body> void forLanes(const Wave &w, Body &&body) {
  uint64_t active = w.exec();
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    if (active >> lane & 1)
      body(lane);
}

/// Memory that a kernel may access: the allocations of the emulated device. Thread-safe.
class Memory {
public:
  virtual ~Memory() = default;
  /// Throws Fault where `bytes` at `address` are not within one allocation. The address is one of the host.
  virtual void check(uint64_t address, size_t bytes, const char *what) const = 0;
};

/// Handlers by name, of all families; each file of semantics contributes its own.
using HandlerTable = std::vector<std::pair<std::string, Handler>>;
void addScalar(HandlerTable &table);      // s_*: moves, arithmetic, comparisons, branches
void addInteger(HandlerTable &table);     // v_*: integers, bits, moves, selects
void addFloat(HandlerTable &table);       // v_*: floats of all widths, conversions
void addComparisons(HandlerTable &table); // v_cmp_*, v_cmpx_*
void addPacked(HandlerTable &table);      // v_pk_*, v_dot*, v_fma_mix*
void addMemory(HandlerTable &table);      // global_*, flat_*, scratch_*, s_load_*
void addBuffers(HandlerTable &table);     // buffer_*, s_buffer_load_*
void addModes(HandlerTable &table);       // s_getreg, s_setreg and the like
void addShared(HandlerTable &table);      // ds_*
void addLanes(HandlerTable &table);       // v_readlane, v_permlane*, ds_bpermute, ds_swizzle ...
void addMatrix(HandlerTable &table);      // v_wmma_*, v_mfma_*
/// All of them.
HandlerTable allHandlers();

} // namespace tegula::emulator
