#include "backends/cpu/bytecode/Verify.h"

#include "backends/cpu/bytecode/OpcodeInfo.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::cpu {

namespace {

[[noreturn]] void refuse(const std::string &reason) { throw Error(reason); }

/// Throws an error whose message names the function and the instruction at index `pc`, followed by `error`'s message.
[[noreturn]] void refuseAt(const Function &f, size_t pc, const Error &error) {
  throw Error("invalid CPU bytecode: function '" + f.name + "', instruction " + std::to_string(pc) + " (" +
              std::string(name(f.code[pc].opcode)) + "): " + error.diagnostic().message);
}

void verifyType(const TileType &type) {
  if (type.element > ElementKind::Descriptor || type.pointee >= ElementKind::Descriptor)
    refuse("unknown element type");
  if (type.shape.size() > kMaxRank)
    refuse("tile of rank " + std::to_string(type.shape.size()) + ", at most " + std::to_string(kMaxRank));
  int64_t count = 1;
  for (int64_t extent : type.shape) {
    if (extent < 1 || extent > kMaxTileElements)
      refuse("tile extent " + std::to_string(extent) + " outside 1 to " + std::to_string(kMaxTileElements));
    count *= extent;
    if (count > kMaxTileElements)
      refuse("tile of more than " + std::to_string(kMaxTileElements) + " elements");
  }
}

void checkRun(const char *what, uint64_t first, uint64_t count, size_t size) {
  if (first + count > size)
    refuse(std::string(what) + " " + std::to_string(first) + " to " + std::to_string(first + count) + " of " +
           std::to_string(size));
}

/// Verifies that indices into the function's tables are in range, and that the numbers of operands and results fit the
/// opcode.
void verifyShape(const Module &m, const Function &f, const Instruction &i) {
  if (i.opcode > Opcode::Return)
    refuse("unknown opcode " + std::to_string(static_cast<unsigned>(i.opcode)));
  const OpcodeInfo &row = info(i.opcode);
  checkRun("results", i.results, i.resultCount, f.registersUsed.size());
  checkRun("operands", i.operands, i.operandCount, f.registersUsed.size());
  if (i.operandCount < row.minOperands || i.operandCount > row.maxOperands)
    refuse(std::to_string(i.operandCount) + " operands, expected " + std::to_string(row.minOperands) + " to " +
           std::to_string(row.maxOperands));
  if (row.results >= 0 ? i.resultCount != row.results : i.resultCount == 0)
    refuse(std::to_string(i.resultCount) + " results");
  const bool mayDrop = i.opcode == Opcode::AtomicRmw || i.opcode == Opcode::AtomicCas;
  for (uint32_t k = 0; k < i.resultCount; ++k) {
    const Register r = f.registersUsed[i.results + k];
    if (r >= f.registers.size() && !(r == kNoRegister && mayDrop))
      refuse("result register " + std::to_string(r) + " of " + std::to_string(f.registers.size()));
    for (uint32_t other = 0; other < k; ++other)
      if (f.registersUsed[i.results + other] == r)
        refuse("two results in one register");
  }
  for (uint32_t k = 0; k < i.operandCount; ++k)
    if (const Register r = f.registersUsed[i.operands + k] & ~kLastUse; r >= f.registers.size())
      refuse("operand register " + std::to_string(r) + " of " + std::to_string(f.registers.size()));
  checkRun("attributes", i.attributes, attributeCount(f, i), f.integers.size());
  if (i.location >= m.locations.size())
    refuse("location " + std::to_string(i.location) + " of " + std::to_string(m.locations.size()));
}

void verifyFunction(const Module &m, const Function &f, bool isKernel) {
  for (const TileType &type : f.types)
    verifyType(type);
  for (uint32_t type : f.registers)
    if (type >= f.types.size())
      refuse("type " + std::to_string(type) + " of " + std::to_string(f.types.size()));
  std::vector<bool> isParam(f.registers.size());
  for (Register p : f.params) {
    if (p >= f.registers.size() || isParam[p])
      refuse("parameter register " + std::to_string(p));
    isParam[p] = true;
    if (!f.type(p).shape.empty() && f.type(p).element != ElementKind::Descriptor)
      refuse("a parameter that is a tile");
  }
  if (f.code.empty())
    refuse("no instructions");
  const Opcode last = f.code.back().opcode;
  if (last != Opcode::Return && last != Opcode::Jump)
    refuse("the last instruction neither returns nor jumps");
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    try {
      verifyShape(m, f, f.code[pc]);
      verifyTypes(m, f, isKernel, f.code[pc]);
    } catch (const Error &error) {
      refuseAt(f, pc, error);
    }
  }
}

void verifyLocations(const Module &m) {
  if (m.locations.empty())
    refuse("no locations");
  for (size_t i = 0; i < m.locations.size(); ++i) // each caller has a lower index, so that chains end
    if (m.locations[i].caller >= static_cast<int64_t>(i) || m.locations[i].caller < -1)
      refuse("location " + std::to_string(i) + " names " + std::to_string(m.locations[i].caller) + " as its caller");
}

} // namespace

void verify(const Module &module) {
  auto named = [&](const Function *f, auto check) {
    try {
      check();
    } catch (const Error &error) {
      const std::string &message = error.diagnostic().message;
      if (message.starts_with("invalid CPU bytecode"))
        throw;
      throw Error("invalid CPU bytecode: " + (f ? "function '" + f->name + "': " : std::string()) + message);
    }
  };
  named(nullptr, [&] {
    if (module.functions.empty())
      refuse("no functions");
    verifyLocations(module);
  });
  for (size_t i = 0; i < module.functions.size(); ++i)
    named(&module.functions[i], [&] { verifyFunction(module, module.functions[i], i == 0); });
  for (const Function &f : module.functions) {
    for (size_t pc = 0; pc < f.code.size(); ++pc) {
      try {
        verifyRegion(module, f, f.code[pc]);
      } catch (const Error &error) {
        refuseAt(f, pc, error);
      }
    }
    named(&f, [&] { verifyDefinitions(f); });
  }
}

} // namespace tegula::cpu
