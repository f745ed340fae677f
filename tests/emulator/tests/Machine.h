// A wave on its own, with known contents, and what tests say about it.
#pragma once

#include "tests/emulator/Instruction.h"
#include "tests/emulator/Wave.h"
#include "tests/emulator/tests/Values.h"

#include <map>
#include <set>
#include <span>

namespace tegula::emulator::test {

/// One architecture of each family, and both of gfx9.
inline const std::vector<std::string> kTargets = {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"};

/// Memory without bounds.
class AnyMemory final : public Memory {
public:
  void check(uint64_t, size_t, const char *) const override {}
};

/// A wave of an architecture; all its registers hold random bits.
struct Machine {
  explicit Machine(const std::string &target);
  Machine(const Machine &) = delete;

  static constexpr unsigned kVectors = 64; // registers; those of numbers above are not there

  std::string target;
  AnyMemory memory;
  Workgroup group;
  Wave wave;

  bool isOld() const { return wave.family < Family::Gfx11; } // names of accesses before gfx11
  bool isGfx9() const { return wave.family == Family::Gfx9; }
  uint64_t allLanes() const { return wave.lanes == 64 ? ~uint64_t(0) : 0xffffffff; }
  void fill(Random &random);
  uint64_t vector(unsigned index, unsigned lane, unsigned words = 1) const;
  void setVector(unsigned index, unsigned lane, uint64_t value, unsigned words = 1);
  uint64_t mask(unsigned index) const { return wave.lanes == 64 ? wave.pair(index) : wave.scalars[index]; }
  void setMask(unsigned index, uint64_t value);

  /// Executes the code from its beginning to its end, branches included. Notes the names as tested. Code must not be
  /// empty, which is what an unknown text becomes.
  void run(const std::vector<Instruction> &code);
  /// The same of a text, whose instructions are separated by line ends. Throws where the architecture has none of it.
  void run(const std::string &text);
};

/// "v4" or "v[4:5]", "s8" or "s[8:9]".
std::string registers(char letter, unsigned index, unsigned words);

/// Instructions that tests have executed, by name: the architectures.
std::map<std::string, std::set<std::string>> &tested();
/// All names with a handler.
std::set<std::string> handlerNames();

/// Decodes code for tests: waits, and registers that nothing wrote, are not looked at.
std::vector<Instruction> decodeUnwatched(std::span<const uint8_t> code, const std::string &target);
/// The same of a text's instructions. Empty where the architecture has none of this text.
std::vector<Instruction> instructions(const std::string &text, const std::string &target);

} // namespace tegula::emulator::test
