// What an instruction has to do with others of its wave: registers, and the counters of memory accesses under way.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class MCInst;
class MCInstrInfo;
class MCRegisterInfo;
} // namespace llvm

namespace tegula::emulator {

enum class Family : uint8_t;

/// Numbers of registers, each of one word: vector registers, accumulation registers, scalar registers with VCC. Others,
/// such as EXEC, are not followed.
inline constexpr unsigned kFirstAccumulator = 256, kFirstScalar = 512, kRegisters = 640;

struct RegisterRange {
  uint16_t first = 0, count = 0;
  bool isOld = false; // a read of what the instruction leaves of its destination
  uint8_t halves = 3; // of a pair: by which of the two it is read or written, a bit for each
  /// Of a source of a packed instruction with words (v_pk_add_f32): the word that each word of the result reads, and
  /// that it reads no other one.
  bool isPacked = false;
  std::array<uint8_t, 2> words = {};
};

/// Accesses that a wait covers: loads of vector registers, stores (those that are counted apart from loads), LDS, loads
/// of scalar registers (counted with LDS before gfx12, with no order between the two).
enum class Counter : uint8_t { Loads, Stores, Lds, Scalars };
inline constexpr size_t kCounters = 4;

struct Dependencies {
  std::vector<RegisterRange> reads, writes;
  std::array<bool, kCounters> counts = {};             // the counters that it is counted in until it ends
  std::array<int, kCounters> waits = {-1, -1, -1, -1}; // it waits until so many are left; -1: it does not
  bool isLds = false, isScalarLoad = false, isBarrier = false;
  /// What it reads decides on more than what it writes, or it writes memory: addresses, data, comparisons, products of
  /// matrices. Others may compute with registers that nothing wrote, such as the upper half of a sum whose lower half
  /// is used; compilers do that.
  bool needsValues = false;
};

/// `name` and `text`: as the disassembler prints them.
Dependencies dependenciesOf(const llvm::MCInst &instruction, const llvm::MCInstrInfo &instructions,
                            const llvm::MCRegisterInfo &registers, const std::string &name, const std::string &text,
                            Family family);

} // namespace tegula::emulator
