#include "tests/emulator/Watch.h"
#include "tests/emulator/Wave.h"

#include <algorithm>

namespace tegula::emulator {
namespace {

std::string nameOf(uint16_t reg) {
  if (reg < kFirstAccumulator)
    return "v" + std::to_string(reg);
  if (reg < kFirstScalar)
    return "a" + std::to_string(reg - kFirstAccumulator);
  uint16_t scalar = reg - kFirstScalar;
  return scalar == kVcc ? "vcc_lo" : scalar == kVcc + 1 ? "vcc_hi" : "s" + std::to_string(scalar);
}

template <class Body> void forRegisters(const std::vector<RegisterRange> &ranges, Body &&body) {
  for (const RegisterRange &range : ranges)
    for (unsigned reg = range.first; reg < unsigned(range.first + range.count); ++reg)
      body(uint16_t(reg), range);
}

} // namespace

/// The last load under way that writes the register.
const Instruction *WaveWatch::loadOf(uint16_t reg) const {
  const Instruction *found = nullptr;
  for (const std::deque<const Instruction *> &queue : underWay_)
    for (const Instruction *load : queue)
      forRegisters(load->depends.writes, [&](uint16_t written, const RegisterRange &) {
        if (written == reg)
          found = load;
      });
  return found;
}

void WaveWatch::check(const Instruction &i) const {
  auto fail = [&](uint16_t reg, const char *does) {
    throw Fault("'" + i.text + "' " + does + " " + nameOf(reg) + " before a wait covers '" + loadOf(reg)->text + "'");
  };
  forRegisters(i.depends.reads, [&](uint16_t reg, const RegisterRange &range) {
    if (pending_[reg])
      fail(reg, "reads");
    if (i.depends.needsValues && !defined_[reg] && !range.isOld)
      throw Fault("'" + i.text + "' reads " + nameOf(reg) + ", which nothing has written");
  });
  forRegisters(i.depends.writes, [&](uint16_t reg, const RegisterRange &) {
    if (!pending_[reg])
      return;
    const Dependencies &load = loadOf(reg)->depends; // two of one counter end in their order
    for (Counter counter : {Counter::Loads, Counter::Lds})
      if (i.depends.counts[size_t(counter)] && load.counts[size_t(counter)] && !load.isScalarLoad)
        return;
    fail(reg, "writes");
  });
  if (i.depends.isBarrier)
    for (const Instruction *access : underWay_[size_t(Counter::Lds)])
      if (access->depends.isLds)
        throw Fault("the wave meets a barrier before a wait covers '" + access->text + "'");
}

bool WaveWatch::hasValues(const Instruction &i, const RegisterRange &written, unsigned word) const {
  for (const RegisterRange &read : i.depends.reads) {
    if (read.isOld || !(read.halves & written.halves))
      continue;
    if (read.isPacked) {
      if (!defined_[read.first + read.words[word & 1]])
        return false;
      continue;
    }
    unsigned count = read.count == written.count ? word + 1 : read.count;
    for (unsigned reg = read.first; reg < read.first + count; ++reg)
      if (!defined_[reg])
        return false;
  }
  return true;
}

void WaveWatch::wait(Counter counter, size_t left) {
  std::deque<const Instruction *> &queue = underWay_[size_t(counter)];
  // Scalar loads end in any order, and no order holds between them and LDS accesses of the same counter.
  if (left > 0 && std::ranges::any_of(queue, [](const Instruction *i) { return i->depends.isScalarLoad; }))
    return;
  while (queue.size() > left) {
    forRegisters(queue.front()->depends.writes, [&](uint16_t reg, const RegisterRange &) { --pending_[reg]; });
    queue.pop_front();
  }
}

void WaveWatch::before(const Instruction &i) {
  for (size_t counter = 0; counter < kCounters; ++counter)
    if (i.depends.waits[counter] >= 0)
      wait(Counter(counter), size_t(i.depends.waits[counter]));
  check(i);
  // Word n of a result depends on the words up to n of sources of as many words, as in sums of 64 bits, and on all
  // words of others.
  for (const RegisterRange &written : i.depends.writes) {
    std::array<bool, kMostWords> values;
    for (unsigned word = 0; word < written.count; ++word)
      values[word] = i.depends.needsValues || hasValues(i, written, word);
    std::copy_n(values.begin(), written.count, defined_.begin() + written.first);
  }
  for (size_t counter = 0; counter < kCounters; ++counter)
    if (i.depends.counts[counter]) {
      underWay_[counter].push_back(&i);
      forRegisters(i.depends.writes, [&](uint16_t reg, const RegisterRange &) { ++pending_[reg]; });
    }
}

void LdsWatch::begin(size_t bytes) {
  if (cells_.size() < bytes)
    cells_.resize(bytes);
  first_ = ++epoch_;
}

void LdsWatch::define(size_t at, size_t bytes) {
  for (size_t n = at; n < at + bytes; ++n) {
    cells_[n] = Cell();
    cells_[n].writeEpoch = epoch_;
  }
}

void LdsWatch::access(unsigned wave, size_t at, size_t bytes, Access access, const uint8_t *old, const void *fresh,
                      const Instruction &i) {
  uint32_t self = uint32_t(1) << wave;
  auto others = [&](uint32_t waves) { return "wave " + std::to_string(std::countr_zero(waves & ~self)); };
  for (size_t n = 0; n < bytes; ++n) {
    Cell &cell = cells_[at + n];
    auto fail = [&](const std::string &what) {
      throw Fault("'" + i.text + "' of wave " + std::to_string(wave) + " " + what + ", in LDS at " +
                  std::to_string(at + n));
    };
    if (access != Access::Write && cell.writeEpoch < first_)
      fail("reads what nothing has written");
    bool written = cell.writeEpoch == epoch_, read = cell.readEpoch == epoch_;
    bool isCopy = access == Access::Write && !cell.atomic && old[n] == static_cast<const uint8_t *>(fresh)[n];
    bool isOrdered = access == Access::Read    ? !cell.atomic && (cell.writers & self)
                     : access == Access::Write ? isCopy
                                               : cell.atomic;
    if (written && cell.writers & ~self && !isOrdered)
      fail("races with a write of " + others(cell.writers));
    if (access != Access::Read && !isCopy && read && cell.readers & ~self)
      fail("races with a read of " + others(cell.readers));
    if (access != Access::Read) {
      cell.writers = written ? cell.writers | self : self;
      cell.writeEpoch = epoch_;
      cell.atomic = access == Access::Atomic;
    } else {
      cell.readers = read ? cell.readers | self : self;
      cell.readEpoch = epoch_;
    }
  }
}

} // namespace tegula::emulator
