#include "tests/emulator/tests/Machine.h"
#include "tests/emulator/Decoder.h"
#include "tests/emulator/Launch.h"
#include "tests/emulator/tests/Assembler.h"

#include <sstream>

namespace tegula::emulator::test {

Machine::Machine(const std::string &name) : target(name) {
  wave.family = familyOf(name);
  wave.lanes = wave.family == Family::Gfx9 ? 64 : 32;
  wave.group = &group;
  wave.vectors.assign(size_t(kVectors) * wave.lanes, 0);
  if (isGfx9())
    wave.accumulators.assign(size_t(kVectors) * wave.lanes, 0);
  group.memory = &memory;
  wave.setExec(allLanes());
}

void Machine::fill(Random &random) {
  for (uint32_t &word : wave.vectors)
    word = uint32_t(random());
  for (uint32_t &word : wave.accumulators)
    word = uint32_t(random());
  for (unsigned i = 0; i < kVcc + 2; ++i)
    wave.scalars[i] = uint32_t(random());
  wave.scc = random() & 1;
}

uint64_t Machine::vector(unsigned index, unsigned lane, unsigned words) const {
  auto word = [&](unsigned at) { return uint64_t(wave.vectors[size_t(index + at) * wave.lanes + lane]); };
  return words == 1 ? word(0) : word(0) | word(1) << 32;
}

void Machine::setVector(unsigned index, unsigned lane, uint64_t value, unsigned words) {
  for (unsigned at = 0; at < words; ++at)
    wave.vectors[size_t(index + at) * wave.lanes + lane] = uint32_t(value >> 32 * at);
}

void Machine::setMask(unsigned index, uint64_t value) {
  wave.scalars[index] = uint32_t(value);
  if (wave.lanes == 64)
    wave.scalars[index + 1] = uint32_t(value >> 32);
}

void Machine::run(const std::vector<Instruction> &code) {
  if (code.empty())
    throw std::runtime_error(target + " does not have the instruction");
  for (const Instruction &instruction : code)
    tested()[instruction.name].insert(target);
  wave.next = 0;
  wave.ended = wave.waiting = false;
  while (wave.next < code.size() && !wave.ended)
    execute(wave, code);
}

void Machine::run(const std::string &text) {
  std::vector<Instruction> code = instructions(text, target);
  if (code.empty())
    throw std::runtime_error(target + " has no '" + text + "'");
  run(code);
}

std::string registers(char letter, unsigned index, unsigned words) {
  std::string first = std::to_string(index);
  return words == 1 ? letter + first : letter + ("[" + first + ":" + std::to_string(index + words - 1) + "]");
}

std::map<std::string, std::set<std::string>> &tested() {
  static std::map<std::string, std::set<std::string>> all;
  return all;
}

std::set<std::string> handlerNames() {
  std::set<std::string> names;
  for (const auto &[name, handler] : allHandlers())
    names.insert(name);
  return names;
}

std::vector<Instruction> decodeUnwatched(std::span<const uint8_t> code, const std::string &target) {
  std::vector<Instruction> made = decode(code, target);
  for (Instruction &instruction : made)
    instruction.depends = Dependencies();
  return made;
}

std::vector<Instruction> instructions(const std::string &text, const std::string &target) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::vector<uint8_t> whole;
  for (const std::vector<uint8_t> &code : assemble(lines, target)) {
    if (code.empty())
      return {};
    whole.insert(whole.end(), code.begin(), code.end());
  }
  return decodeUnwatched(whole, target);
}

} // namespace tegula::emulator::test
