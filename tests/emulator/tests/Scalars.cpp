#include "tests/emulator/tests/Scalars.h"
#include "tests/emulator/Decoder.h"
#include "tests/emulator/tests/Assembler.h"

namespace tegula::emulator::test {
namespace {

constexpr unsigned kResult = 24; // s[24:25]; sources are s[8:9], s[12:13], s[16:17]
unsigned sourceOf(unsigned i) { return 8 + 4 * i; }

struct Attempt {
  std::string name, text;
  int constantAt = -1; // the parameter that is a constant
  uint64_t constant = 0;
};

/// All in registers, then each operand as a constant.
std::vector<Attempt> attempts(const ScalarRow &row, Random &random) {
  std::vector<Attempt> all;
  for (const std::string &name : row.names)
    for (int constantAt = -2; constantAt < 2 * int(row.parameters.size()); ++constantAt) {
      Attempt attempt{name, name, -1, 0};
      std::string separator = " ";
      auto add = [&](const std::string &operand) { attempt.text += separator + operand, separator = ", "; };
      if (row.resultBits)
        add(registers('s', kResult, row.resultBits == 64 ? 2 : 1));
      for (unsigned i = 0; i < row.parameters.size(); ++i) {
        const ScalarParameter &p = row.parameters[i];
        char text[32];
        if (p.kind == Kind::Short) {
          attempt.constantAt = int(i);
          attempt.constant = anyValue(p.type, random);
          std::snprintf(text, sizeof text, "0x%x", unsigned(attempt.constant));
          add(text);
        } else if (p.kind == Kind::Printed && constantAt >= 0 && constantAt / 2 == int(i)) {
          bool isInline = constantAt % 2;
          int64_t value = isInline ? int64_t(below(random, 81)) - 16 : int64_t(0x10000 + random() % 0x7fff0000);
          if (!isInline && p.type.bits == 16)
            value = value % 0x7000 + 0x1000;
          attempt.constantAt = int(i);
          attempt.constant = uint64_t(value);
          std::snprintf(text, sizeof text, isInline ? "%lld" : "0x%llx", static_cast<long long>(value));
          add(text);
        } else if (p.kind == Kind::Printed) {
          add(registers('s', sourceOf(i), p.type.bits == 64 ? 2 : 1));
        }
      }
      all.push_back(attempt);
    }
  return all;
}

uint64_t sized(uint64_t value, unsigned bits) { return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1); }

void checkOnce(const ScalarRow &row, const Attempt &attempt, Machine &machine, const std::vector<Instruction> &code,
               Random &random) {
  machine.fill(random);
  Wave &w = machine.wave;
  w.setExec(random64(random) & machine.allLanes());
  std::vector<uint64_t> x(row.parameters.size() + 1);
  for (unsigned i = 0; i < row.parameters.size(); ++i) {
    const ScalarParameter &p = row.parameters[i];
    uint64_t value = anyValue(p.type, random);
    unsigned index = p.kind == Kind::Old ? kResult : sourceOf(i);
    switch (p.kind) {
    case Kind::Scc: value = w.scc; break;
    case Kind::Exec: value = p.type.bits == 64 ? w.pair(kExec) : w.scalars[kExec]; break;
    default:
      if (int(i) == attempt.constantAt) {
        value = sized(attempt.constant, p.type.bits);
        break;
      }
      w.scalars[index] = uint32_t(value);
      if (p.type.bits == 16)
        w.scalars[index] |= uint32_t(random()) << 16;
      if (p.type.bits == 64)
        w.scalars[index + 1] = uint32_t(value >> 32);
    }
    x[i] = value;
  }
  Wave expected = w;
  machine.run(code);
  ScalarResult result = row.model(x.data());
  expected.scc = result.scc.value_or(expected.scc);
  uint64_t got = row.resultBits == 64 ? w.pair(kResult) : w.scalars[kResult];
  bool isNone = row.isFloat && result.value && isNan(*result.value, row.resultBits) &&
                isNan(sized(got, row.resultBits), row.resultBits);
  if (result.value && row.resultBits == 64)
    expected.setPair(kResult, *result.value);
  else if (result.value) // of 16 bits: the upper half is not documented
    expected.scalars[kResult] =
        isNone ? uint32_t(got) : uint32_t(*result.value | (row.resultBits == 16 ? got & 0xffff0000 : 0));
  if (result.exec) {
    expected.scalars[kExec] = uint32_t(*result.exec);
    if (row.parameters.back().type.bits == 64)
      expected.scalars[kExec + 1] = uint32_t(*result.exec >> 32);
  }
  EXPECT_EQ(w.scc, expected.scc) << machine.target << " '" << attempt.text << "', SCC, of " << std::hex << x[0] << " "
                                 << x[1];
  for (unsigned i = 0; i < kScalars; ++i)
    EXPECT_TRUE(w.scalars[i] == expected.scalars[i] || i == kScc)
        << machine.target << " '" << attempt.text << "' of " << std::hex << x[0] << " " << x[1] << ": s" << std::dec
        << i << " is " << std::hex << w.scalars[i] << ", expected " << expected.scalars[i];
}

} // namespace

void checkScalar(const ScalarRow &row) {
  std::vector<std::string> targets = kTargets;
  targets.emplace_back("gfx1151"); // the first with scalar floats
  for (const std::string &target : targets) {
    Random random(5);
    Machine machine(target);
    std::vector<Attempt> all = attempts(row, random);
    std::vector<std::string> texts;
    for (const Attempt &attempt : all)
      texts.push_back(attempt.text);
    std::vector<std::vector<uint8_t>> codes = assemble(texts, target);
    for (size_t i = 0; i < all.size(); ++i) {
      std::vector<Instruction> code = codes[i].empty() ? std::vector<Instruction>() : decodeUnwatched(codes[i], target);
      if (code.size() != 1 || code[0].name != all[i].name)
        continue;
      for (unsigned round = 0; round < (all[i].constantAt < 0 ? 60 : 4) && !::testing::Test::HasFailure(); ++round)
        checkOnce(row, all[i], machine, code, random);
    }
  }
}

} // namespace tegula::emulator::test
