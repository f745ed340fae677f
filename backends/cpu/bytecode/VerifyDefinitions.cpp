// Verifies definite assignment, by forward data flow over basic blocks: a register is defined at the start of a block
// if it is defined at the end of each predecessor of the block.
#include "backends/cpu/bytecode/Verify.h"

#include "core/support/Diagnostic.h"

#include <deque>
#include <string>

namespace tegula::cpu {

namespace {

class Registers {
public:
  explicit Registers(size_t count, bool all) : words_((count + 63) / 64, all ? ~uint64_t{0} : 0) {}
  bool has(Register r) const { return words_[r / 64] >> (r % 64) & 1; }
  void add(Register r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
  void remove(Register r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
  /// Removes the registers that `other` does not contain; returns true if one was removed.
  bool intersect(const Registers &other) {
    bool changed = false;
    for (size_t i = 0; i < words_.size(); ++i) {
      const uint64_t both = words_[i] & other.words_[i];
      changed |= both != words_[i];
      words_[i] = both;
    }
    return changed;
  }

private:
  std::vector<uint64_t> words_;
};

bool isBranch(Opcode o) { return o == Opcode::Jump || o == Opcode::BranchIfFalse || o == Opcode::ForTest; }

std::vector<size_t> blockStarts(const Function &f) {
  std::vector<bool> starts(f.code.size() + 1);
  starts[0] = true;
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    const Instruction &i = f.code[pc];
    if (isBranch(i.opcode))
      starts[static_cast<size_t>(f.integers[i.attributes])] = true;
    if (isBranch(i.opcode) || i.opcode == Opcode::Return)
      starts[pc + 1] = true;
  }
  std::vector<size_t> list;
  for (size_t pc = 0; pc < f.code.size(); ++pc)
    if (starts[pc])
      list.push_back(pc);
  list.push_back(f.code.size());
  return list;
}

/// Updates `state`, the set of defined registers, from the beginning to the end of the block of instructions [begin,
/// end). If `check` is true, throws an error if an instruction reads a register that is not defined.
void runBlock(const Function &f, size_t begin, size_t end, Registers &state, bool check) {
  for (size_t pc = begin; pc < end; ++pc) {
    const Instruction &i = f.code[pc];
    for (uint32_t k = 0; k < i.operandCount && check; ++k)
      if (const Register r = f.registersUsed[i.operands + k] & ~kLastUse; !state.has(r))
        throw Error("instruction " + std::to_string(pc) + " (" + std::string(name(i.opcode)) + ") reads r" +
                    std::to_string(r) + ", which is not defined on every path");
    for (uint32_t k = 0; k < i.operandCount; ++k)
      if (f.registersUsed[i.operands + k] & kLastUse)
        state.remove(f.registersUsed[i.operands + k] & ~kLastUse);
    for (uint32_t k = 0; k < i.resultCount; ++k)
      if (const Register r = f.registersUsed[i.results + k]; r != kNoRegister)
        state.add(r);
  }
}

} // namespace

void verifyDefinitions(const Function &f) {
  const std::vector<size_t> starts = blockStarts(f);
  const size_t blocks = starts.size() - 1;
  std::vector<size_t> blockAt(f.code.size());
  for (size_t b = 0; b < blocks; ++b)
    blockAt[starts[b]] = b;
  std::vector<Registers> entry(blocks, Registers(f.registers.size(), true));
  entry[0] = Registers(f.registers.size(), false);
  for (Register p : f.params)
    entry[0].add(p);
  std::deque<size_t> work = {0};
  std::vector<bool> reached(blocks), queued(blocks);
  reached[0] = queued[0] = true;
  while (!work.empty()) {
    const size_t b = work.front();
    work.pop_front();
    queued[b] = false;
    Registers state = entry[b];
    runBlock(f, starts[b], starts[b + 1], state, false);
    const Instruction &last = f.code[starts[b + 1] - 1];
    auto flow = [&](size_t to) {
      const bool changed = entry[to].intersect(state);
      if ((changed || !reached[to]) && !queued[to]) {
        work.push_back(to);
        queued[to] = true;
      }
      reached[to] = true;
    };
    if (isBranch(last.opcode))
      flow(blockAt[static_cast<size_t>(f.integers[last.attributes])]);
    if (last.opcode != Opcode::Jump && last.opcode != Opcode::Return)
      flow(b + 1);
  }
  for (size_t b = 0; b < blocks; ++b)
    if (reached[b]) {
      Registers state = entry[b];
      runBlock(f, starts[b], starts[b + 1], state, true);
    }
}

} // namespace tegula::cpu
