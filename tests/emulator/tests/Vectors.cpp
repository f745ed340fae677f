#include "tests/emulator/tests/Vectors.h"
#include "tests/emulator/Decoder.h"
#include "tests/emulator/tests/Assembler.h"
#include "tests/emulator/tests/Forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace tegula::emulator::test {
namespace {

uint64_t maskOf(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

class Check {
public:
  Check(const Row &row, const Form &form, Machine &machine, std::vector<Instruction> code)
      : row_(row), form_(form), machine_(machine), before_(machine.target), code_(std::move(code)) {}

  /// False where something differs; the failure is reported.
  bool run(Random &random) {
    prepare(random);
    copyState(before_, machine_);
    try {
      machine_.run(code_);
    } catch (const Fault &fault) {
      ADD_FAILURE() << machine_.target << " '" << form_.text << "': " << fault.what();
      return false;
    }
    return compare();
  }

private:
  void prepare(Random &random) {
    machine_.fill(random);
    Wave &w = machine_.wave;
    w.setExec(form_.isPartial ? random64(random) & random64(random) & machine_.allLanes() : machine_.allLanes());
    if (form_.isPartial && chance(random, 2))
      w.setExec(random64(random) & machine_.allLanes());
    for (unsigned i = 0; i < form_.sources.size(); ++i) {
      const SourceForm &source = form_.sources[i];
      const Type &type = source.type;
      if (type.kind == Class::Mask)
        continue;
      auto value = [&] {
        uint64_t x = anyValue(type, random);
        return type.bits == 16 ? x | anyValue(type, random) << 16 : x;
      };
      unsigned words = type.bits == 64 ? 2 : 1;
      for (unsigned lane = 0; lane < w.lanes; ++lane)
        machine_.setVector(type.role == Role::Old ? kDestination : vectorOf(i), lane, value(), words);
      uint64_t scalar = value();
      w.scalars[scalarOf(i)] = uint32_t(scalar);
      if (words == 2)
        w.scalars[scalarOf(i) + 1] = uint32_t(scalar >> 32);
    }
  }

  static void copyState(Machine &to, const Machine &from) {
    to.wave.vectors = from.wave.vectors;
    to.wave.scalars = from.wave.scalars;
  }

  /// The lane that the first source is read from; -1: reads zero. `writes`: whether the lane is written.
  int movedFrom(unsigned lane, bool &writes) const {
    if (!form_.moves)
      return int(lane);
    int from = form_.moves(int(lane));
    bool isValid = from >= 0 && (form_.fetchInactive || before_.wave.isActive(unsigned(from)));
    writes = (form_.rowMask >> lane / 16 & 1) && (form_.bankMask >> lane % 16 / 4 & 1) &&
             (isValid || form_.boundControl || form_.isDpp8);
    return isValid ? from : -1;
  }

  uint64_t operand(unsigned i, unsigned lane, int from) const {
    const SourceForm &source = form_.sources[i];
    const Type &type = source.type;
    const Wave &w = before_.wave;
    unsigned words = type.bits == 64 ? 2 : 1;
    if (type.role == Role::Lane)
      return lane;
    if (type.role == Role::Vcc)
      return before_.mask(kVcc) >> lane & 1;
    if (type.role == Role::Old)
      return before_.vector(kDestination, lane, words) & maskOf(type.bits);
    uint64_t value = 0;
    switch (source.kind) {
    case SourceForm::Kind::Mask: return before_.mask(source.index) >> lane & 1;
    case SourceForm::Kind::Constant: value = source.constant; break;
    case SourceForm::Kind::Scalar: value = words == 2 ? w.pair(source.index) : w.scalars[source.index]; break;
    default:
      value = from < 0 && i == 0 ? 0 : before_.vector(source.index, i == 0 ? unsigned(from) : lane, words);
      if (form_.isSdwa) {
        value = value >> source.part.first & maskOf(source.part.bits);
        if (source.extends && value >> (source.part.bits - 1) & 1)
          value |= ~maskOf(source.part.bits);
      }
    }
    if (source.upper)
      value >>= 16;
    value &= maskOf(type.bits);
    uint64_t sign = uint64_t(1) << (type.bits - 1);
    if (source.absolute)
      value &= ~sign;
    return source.negate ? value ^ sign : value;
  }

  /// Of a float: limited to [0, 1], NaN to 0. Output modifiers (mul:2) do nothing while denormal numbers are kept.
  uint64_t limited(uint64_t value) const {
    if (!form_.clamp || row_.result.kind != Class::Float)
      return value;
    double x = asDouble(value, row_.result.bits);
    if (!(x > 0))
      return 0;
    if (x < 1)
      return value;
    return row_.result.bits == 64 ? 0x3ff0000000000000 : row_.result.bits == 32 ? 0x3f800000 : 0x3c00;
  }

  bool isClose(uint64_t expected, uint64_t actual) const {
    unsigned bits = row_.result.bits;
    if (expected == actual)
      return true;
    if (row_.result.kind != Class::Float)
      return false;
    if (isNan(expected, bits) || isNan(actual, bits))
      return isNan(expected, bits) && isNan(actual, bits);
    if (row_.tolerance == 0)
      return false;
    double e = asDouble(expected, bits), a = asDouble(actual, bits);
    return std::fabs(e - a) <= row_.tolerance * std::max(std::fabs(e), bits == 16 ? 1e-3 : 1e-30);
  }

  /// The registers of the destination in a lane, after a result is written to them.
  uint64_t written(uint64_t old, uint64_t value) const {
    if (row_.result.bits == 64)
      return value;
    if (form_.isSdwa && form_.part.bits < 32) {
      uint32_t mask = uint32_t(maskOf(form_.part.bits)), part = uint32_t(value) & mask;
      unsigned first = form_.part.first;
      if (form_.unused == Form::Unused::Preserve)
        return (old & ~(uint64_t(mask) << first)) | uint64_t(part) << first;
      if (form_.unused == Form::Unused::Sext && part >> (form_.part.bits - 1) & 1)
        part |= ~mask;
      return uint32_t(part << first);
    }
    if (row_.result.bits == 32)
      return value;
    if (form_.upper)
      return (old & 0xffff) | value << 16;
    bool clears = machine_.isGfx9() && row_.upper == Upper::Zero;
    return (clears ? 0 : old & 0xffff0000) | value;
  }

  bool compare() {
    Wave &after = machine_.wave;
    Machine &expected = before_; // becomes what is expected; `before_` itself is read through `source`
    std::vector<uint32_t> vectors = before_.wave.vectors;
    uint64_t flags = 0, exec = before_.wave.exec();
    bool isMask = row_.result.kind == Class::Mask;
    std::vector<uint64_t> x(std::max<size_t>(form_.sources.size(), 1));
    for (unsigned lane = 0; lane < after.lanes; ++lane) {
      bool writes = true;
      int from = movedFrom(lane, writes);
      if (!before_.wave.isActive(lane) || !writes)
        continue;
      for (unsigned i = 0; i < form_.sources.size(); ++i)
        x[i] = operand(i, lane, from);
      if (row_.defined && !row_.defined(x.data())) {
        for (unsigned word = 0; word < 2; ++word)
          vectors[(kDestination + word) * after.lanes + lane] =
              after.vectors[(kDestination + word) * after.lanes + lane];
        flags |= (isMask || row_.hasFlag ? machine_.mask(form_.maskIndex) : 0) & uint64_t(1) << lane;
        continue;
      }
      Result result = row_.model(x.data(), form_.clamp);
      flags |= uint64_t(isMask ? result.value & 1 : result.flag) << lane;
      if (isMask)
        continue;
      unsigned words = row_.result.bits == 64 ? 2 : 1;
      uint64_t old = before_.vector(kDestination, lane, words), value = limited(result.value),
               want = written(old, value), got = machine_.vector(kDestination, lane, words);
      if (!form_.isSdwa || form_.part.bits == 32) {
        uint64_t number = (form_.upper ? got >> 16 : got) & maskOf(row_.result.bits);
        if (isClose(value, number))
          want = written(old, number);
        if (row_.result.bits == 16 && !form_.upper && row_.upper == Upper::Either)
          want = (want & 0xffff) | (got & 0xffff0000);
      } else if (isNan(value, row_.result.bits) && row_.result.kind == Class::Float) {
        want = got; // of NaN, any payload
      }
      if (want != got)
        return report(lane, x, want, got);
      for (unsigned word = 0; word < words; ++word)
        vectors[(kDestination + word) * after.lanes + lane] = uint32_t(want >> 32 * word);
    }
    bool isCmpx = isMask && form_.text.starts_with("v_cmpx");
    if ((isMask && !(isCmpx && !machine_.isGfx9())) || row_.hasFlag)
      expected.setMask(form_.maskIndex, flags);
    expected.wave.setExec(isCmpx ? flags : exec);
    if (vectors != after.vectors)
      return ADD_FAILURE() << machine_.target << " '" << form_.text << "' changes other vector registers", false;
    for (unsigned i = 0; i < kScalars; ++i)
      if (expected.wave.scalars[i] != after.scalars[i] && i != kScc)
        return ADD_FAILURE() << machine_.target << " '" << form_.text << "' (" << form_.kind << "): s" << i << " is "
                             << std::hex << after.scalars[i] << ", expected " << expected.wave.scalars[i]
                             << ", exec was " << exec,
               false;
    return true;
  }

  bool report(unsigned lane, const std::vector<uint64_t> &x, uint64_t want, uint64_t got) const {
    std::ostringstream text;
    text << machine_.target << " '" << form_.text << "' (" << form_.kind << "), lane " << lane << ":" << std::hex;
    for (unsigned i = 0; i < form_.sources.size(); ++i)
      text << " " << x[i];
    ADD_FAILURE() << text.str() << std::hex << " gives " << got << ", expected " << want;
    return false;
  }

  const Row &row_;
  const Form &form_;
  Machine &machine_;
  Machine before_;
  std::vector<Instruction> code_;
};

struct Candidate {
  const Row *row;
  std::string name;
  Form form;
};

} // namespace

void checkRows(std::span<const Row> rows) {
  for (const std::string &target : kTargets) {
    Random random(7);
    Machine machine(target);
    std::vector<Candidate> candidates;
    std::vector<std::string> texts;
    for (const Row &row : rows)
      for (const std::string &name : row.names)
        for (Form &form : formsOf(row, name, machine, random)) {
          texts.push_back(form.text);
          candidates.push_back({&row, name, std::move(form)});
        }
    std::vector<std::vector<uint8_t>> codes = assemble(texts, target);
    std::map<std::string, unsigned> counts;
    std::set<std::string> failed; // each instruction's first failure is enough
    for (size_t i = 0; i < candidates.size(); ++i) {
      const Candidate &c = candidates[i];
      if (codes[i].empty() || failed.contains(c.name))
        continue;
      std::vector<Instruction> code = decodeUnwatched(codes[i], target);
      if (code.size() != 1 || code[0].name != c.name) // another name of it
        continue;
      ++counts[c.form.kind];
      unsigned rounds = c.form.kind == "plain" ? 6 : 1;
      for (unsigned round = 0; round < rounds; ++round)
        if (!Check(*c.row, c.form, machine, code).run(random)) {
          failed.insert(c.name);
          break;
        }
    }
    std::ostringstream summary;
    for (const auto &[kind, count] : counts)
      summary << kind << " " << count << ", ";
    ::testing::Test::RecordProperty(target, summary.str());
  }
}

} // namespace tegula::emulator::test
