// What the emulator checks beside results: that code waits for what it loads, that registers and LDS are written before
// they are read, and that waves do not race in LDS.
#pragma once

#include "tests/emulator/Instruction.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace tegula::emulator {

/// The registers of a wave and its memory accesses under way.
///
/// A load writes its registers when it is executed here, but on hardware some time later: until an s_waitcnt covers it,
/// code must neither read nor write them. Hardware counts accesses under way in counters of the family, and a wait
/// names how many may be left. Loads and LDS accesses end in their order, scalar loads in any. Source: LLVM's AMDGPU
/// usage page, memory model, and the counters that its pass SIInsertWaitcnts keeps.
class WaveWatch {
public:
  /// Throws Fault where the instruction must not be executed now; then counts what it begins, ends and writes.
  void before(const Instruction &i);
  /// Before the first instruction: the register holds a value.
  void define(uint16_t reg) { defined_[reg] = true; }

private:
  static constexpr unsigned kMostWords = 32; // of a result

  void check(const Instruction &i) const;
  void wait(Counter counter, size_t left);
  /// Whether word `word` of what the instruction writes comes of registers that hold values.
  bool hasValues(const Instruction &i, const RegisterRange &written, unsigned word) const;
  const Instruction *loadOf(uint16_t reg) const;

  std::array<std::deque<const Instruction *>, kCounters> underWay_;
  std::array<uint8_t, kRegisters> pending_ = {}; // of each register: loads under way that write it
  std::array<bool, kRegisters> defined_ = {};
};

/// LDS of a workgroup, byte by byte: which waves wrote it last and which read it, since which barrier. Two waves race
/// where they access a byte between the same two barriers, one of them to write; not where both accesses are atomic,
/// nor where both write the same value, as waves that hold copies of a tile do.
class LdsWatch {
public:
  enum class Access { Read, Write, Atomic };

  /// A new workgroup, whose LDS holds nothing.
  void begin(size_t bytes);
  /// Throws Fault for a race and for a read of bytes that nothing wrote. `old`: the bytes there; `fresh`: those of a
  /// write.
  void access(unsigned wave, size_t at, size_t bytes, Access access, const uint8_t *old, const void *fresh,
              const Instruction &i);
  /// An access by a flat address, which is not followed: the bytes count as written.
  void define(size_t at, size_t bytes);
  /// All waves met at a barrier.
  void barrier() { ++epoch_; }

private:
  struct Cell {
    uint32_t writers = 0, readers = 0; // a bit for each wave
    uint32_t writeEpoch = 0, readEpoch = 0;
    bool atomic = false;
  };
  std::vector<Cell> cells_;
  uint32_t epoch_ = 0, first_ = 0; // counted over workgroups; `first_` is that in which this one began
};

} // namespace tegula::emulator
