#include "tests/rocm/Faults.h"
#include "tests/emulator/Wave.h"

#include <algorithm>
#include <array>
#include <set>

namespace tegula::rocm::test {
namespace {

using emulator::Counter;
using emulator::DataParallel;
using emulator::Operand;
using emulator::Wave;
using Test = std::function<bool(const Instruction &)>;

constexpr size_t kNone = ~size_t(0);

// --- places ---

/// The first instruction from `from` on that passes; kNone where there is none, or where `from` is kNone.
size_t find(const Code &code, const Test &passes, size_t from = 0) {
  for (size_t at = from; at < code.size(); ++at)
    if (passes(code[at]))
      return at;
  return kNone;
}

/// The last one before `end`.
size_t findBefore(const Code &code, const Test &passes, size_t end) {
  if (end != kNone)
    while (end-- > 0)
      if (passes(code[end]))
        return end;
  return kNone;
}

bool contains(const Instruction &i, const char *part) { return i.name.find(part) != std::string::npos; }
bool isGlobalLoad(const Instruction &i) { return i.name.starts_with("global_load"); }
bool isGlobalStore(const Instruction &i) { return i.name.starts_with("global_store"); }
bool isScalarLoad(const Instruction &i) { return i.depends.isScalarLoad; }
bool isLdsLoad(const Instruction &i) { return i.depends.isLds && (contains(i, "_read") || contains(i, "_load")); }
/// One with a single offset, in bytes.
bool isOffsetLoad(const Instruction &i) { return isLdsLoad(i) && !contains(i, "read2") && !contains(i, "2addr"); }
bool isLdsStore(const Instruction &i) { return i.depends.isLds && (contains(i, "_write") || contains(i, "_store")); }
bool isBarrier(const Instruction &i) { return i.depends.isBarrier; }
bool isBarrierPart(const Instruction &i) { return i.name.starts_with("s_barrier"); }
bool isMatrix(const Instruction &i) { return i.name.starts_with("v_mfma") || i.name.starts_with("v_wmma"); }
/// `immediate` is the index of its target.
bool isBranch(const Instruction &i) { return i.name == "s_branch" || i.name.starts_with("s_cbranch_"); }
bool isSwizzle(const Instruction &i) { return i.name == "ds_swizzle_b32"; }
bool savesExec(const Instruction &i) { return i.name.starts_with("s_and_saveexec"); }
bool restoresExec(const Instruction &i) {
  return i.name.starts_with("s_or_b") && i.text.find(" exec") < i.text.find(',');
}
Test waitsFor(Counter counter) {
  return [counter](const Instruction &i) { return i.depends.waits[size_t(counter)] >= 0; };
}

/// The counter of scalar loads: of their own from gfx12 on.
Counter scalarCounter(const Instruction &load) {
  return load.depends.counts[size_t(Counter::Scalars)] ? Counter::Scalars : Counter::Lds;
}

/// The instructions before `end` that what it reads is computed from, in the order of the code; branches are ignored.
std::vector<size_t> sourcesOf(const Code &code, size_t end) {
  std::set<unsigned> wanted;
  std::vector<size_t> found;
  auto want = [&](const Instruction &i) {
    for (const emulator::RegisterRange &read : i.depends.reads)
      for (unsigned reg = read.first; reg < unsigned(read.first + read.count); ++reg)
        wanted.insert(reg);
  };
  want(code[end]);
  for (size_t at = end; at-- > 0;) {
    bool writes = false;
    for (const emulator::RegisterRange &written : code[at].depends.writes)
      for (unsigned reg = written.first; reg < unsigned(written.first + written.count); ++reg)
        writes |= wanted.erase(reg) != 0;
    if (!writes)
      continue;
    want(code[at]);
    found.insert(found.begin(), at);
  }
  return found;
}

// --- changes; each returns false where its place is kNone ---

void doNothing(Wave &, const Instruction &) {}

bool drop(Code &code, size_t at) {
  if (at == kNone || code[at].pairs)
    return false;
  Instruction nothing;
  nothing.handler = doNothing;
  nothing.offset = code[at].offset;
  nothing.size = code[at].size;
  nothing.name = nothing.text = "s_nop 0";
  code[at] = nothing; // in its place: branches to it stay right
  return true;
}

bool dropWait(Code &code, size_t at, Counter counter) {
  if (at == kNone)
    return false;
  code[at].depends.waits[size_t(counter)] = -1;
  return true;
}

/// The barrier at `at`, whose two halves are two instructions on gfx12.
bool dropBarrier(Code &code, size_t at) {
  if (at == kNone)
    return false;
  if (code[at].name == "s_barrier_signal" && !drop(code, find(code, isBarrierPart, at + 1)))
    return false;
  return drop(code, at);
}

bool changeOffset(Code &code, size_t at, int64_t (*change)(int64_t)) {
  if (at == kNone)
    return false;
  code[at].immediate = change(code[at].immediate);
  return true;
}

/// Makes operand `operand` a vector register that no instruction writes.
bool makeUnwritten(Code &code, size_t at, size_t operand) {
  if (at == kNone || code[at].operands.size() <= operand || code[at].operands[operand].kind != Operand::Kind::Vector)
    return false;
  std::array<bool, emulator::kFirstAccumulator> written = {true}; // v0 holds the thread's number
  for (const Instruction &i : code)
    for (const emulator::RegisterRange &range : i.depends.writes)
      for (unsigned reg = range.first; reg < std::min<size_t>(range.first + range.count, written.size()); ++reg)
        written[reg] = true;
  Operand &changed = code[at].operands[operand];
  for (unsigned first = 0; first + changed.words <= written.size(); ++first) {
    if (std::any_of(written.begin() + first, written.begin() + first + changed.words, std::identity()))
      continue;
    for (emulator::RegisterRange &read : code[at].depends.reads)
      if (read.first == changed.index)
        read.first = uint16_t(first);
    changed.index = uint16_t(first);
    return true;
  }
  return false;
}

/// Clears the lowest bit of a constant mask of bits of the lane's number in the computation of the addresses that
/// operands of the first matrix instruction are loaded from: two lanes load the same row or column.
bool changeLaneMask(Code &code) {
  size_t matrix = find(code, isMatrix);
  if (matrix == kNone)
    return false;
  for (size_t at : sourcesOf(code, matrix)) {
    if (!code[at].name.starts_with("v_and_"))
      continue;
    for (size_t n = 1; n < std::min<size_t>(code[at].operands.size(), 3); ++n)
      if (Operand &o = code[at].operands[n]; o.kind == Operand::Kind::Integer && o.bits > 0 && o.bits < 64) {
        o.bits &= o.bits - 1;
        return true;
      }
  }
  return false;
}

/// Leaves out the moves before `end` that write registers of `to`.
bool dropMoves(Code &code, const Operand &to, size_t end) {
  bool found = false;
  for (size_t at = 0; at < end; ++at) {
    if (code[at].operands.empty() || !contains(code[at], "_mov_b"))
      continue;
    const Operand &written = code[at].operands[0];
    if (written.kind != to.kind || written.index < to.index || written.index >= to.index + to.words)
      continue;
    code[at].handler = doNothing;
    Instruction &first = at > 0 && code[at - 1].pairs ? code[at - 1] : code[at]; // of a pair it has what both write
    std::erase_if(first.depends.writes, [&](const auto &range) { return range.first == written.index; });
    found = true;
  }
  return found;
}

/// Leaves out what fills the destinations of masked loads for the lanes that do not load, ahead of the first loop.
bool dropFills(Code &code) {
  size_t loop = kNone; // its first instruction
  for (size_t at = 0; at < code.size(); ++at)
    if (isBranch(code[at]) && code[at].immediate < int64_t(at))
      loop = std::min(loop, size_t(code[at].immediate));
  bool found = false;
  for (size_t at = find(code, savesExec); at < loop; at = find(code, savesExec, at + 1))
    if (size_t load = find(code, isGlobalLoad, at); load < loop)
      found |= dropMoves(code, code[load].operands[0], at);
  return found;
}

/// Puts an instruction of this text just before the one at `at`; it gets that one's operands.
bool insert(Code &code, size_t at, const char *text, emulator::Handler handler) {
  if (at == kNone)
    return false;
  Instruction made;
  made.handler = handler;
  made.offset = code[at].offset;
  made.name = made.text = text;
  made.operands = code[at].operands;
  code.insert(code.begin() + std::ptrdiff_t(at), made);
  for (Instruction &i : code) // targets of branches are indices
    if (isBranch(i) && i.immediate > int64_t(at))
      ++i.immediate;
  return true;
}

bool deactivateLane(Code &code) {
  return insert(code, find(code, isMatrix), "s_and_b32 exec_lo, exec_lo, -2",
                [](Wave &w, const Instruction &) { w.setExec(w.exec() & ~uint64_t(1)); });
}

/// Negates an element of a matrix instruction's A in the lanes from 16 on.
bool changeCopies(Code &code) {
  return insert(code, find(code, isMatrix), "v_xor_b32", [](Wave &w, const Instruction &i) {
    for (unsigned lane = 16; lane < w.lanes; ++lane)
      w.setWord(i.operands[1], lane, w.word(i.operands[1], lane) ^ 0x8000);
  });
}

/// The lane that a lane exchanges with, id ^ mask, becomes id ^ 2 * mask.
bool doubleDppMask(Code &code) {
  size_t at = find(code, [](const Instruction &i) { return i.dpp.kind == DataParallel::Kind::RowXmask; });
  if (at == kNone)
    return false;
  code[at].dpp.control = code[at].dpp.control == 8 ? 4 : 2 * code[at].dpp.control;
  return true;
}

/// The same of ds_swizzle, whose offset has the mask in bits 10 to 14.
bool doubleSwizzleMask(Code &code) {
  size_t at = find(code, isSwizzle);
  if (at == kNone)
    return false;
  int64_t mask = code[at].immediate >> 10 & 31;
  code[at].immediate ^= (mask ^ (mask == 16 ? 8 : 2 * mask)) << 10;
  return true;
}

// --- the faults ---

const std::string kWait = "before a wait covers '", kUnwrittenLds = "reads what nothing has written",
                  kUnwrittenRegister = "which nothing has written", kOutside = "outside of every allocation";

std::vector<Fault> faultsOfWaits() {
  return {
      {"WaitForScalarLoad",
       Kernel::Count,
       [](Code &code) {
         size_t load = find(code, isScalarLoad);
         if (load == kNone)
           return false;
         Counter counter = scalarCounter(code[load]);
         return dropWait(code, find(code, waitsFor(counter), load), counter);
       },
       {kWait + "s_load"}},
      {"WaitForGlobalLoad",
       Kernel::Transpose,
       [](Code &code) {
         size_t load = findBefore(code, isGlobalLoad, find(code, isLdsStore));
         return load != kNone && dropWait(code, find(code, waitsFor(Counter::Loads), load), Counter::Loads);
       },
       {kWait + "global_load"}},
      {"WaitForGlobalLoadTooShort",
       Kernel::Transpose,
       [](Code &code) {
         size_t wait = find(code, waitsFor(Counter::Loads), find(code, isGlobalLoad));
         if (wait == kNone)
           return false;
         ++code[wait].depends.waits[size_t(Counter::Loads)];
         return true;
       },
       {kWait + "global_load"}},
      {"WaitForLdsLoad",
       Kernel::Matmul,
       [](Code &code) {
         size_t matrix = find(code, isMatrix);
         return dropWait(code, findBefore(code, waitsFor(Counter::Lds), matrix), Counter::Lds);
       },
       {kWait + "ds_"}},
      {"WaitForSwizzle",
       Kernel::Total,
       [](Code &code) {
         return dropWait(code, find(code, waitsFor(Counter::Lds), find(code, isSwizzle)), Counter::Lds);
       },
       {kWait + "ds_swizzle"},
       {"gfx942"}}, // RDNA has v_permlanex16 there
      {"WaitBeforeBarrier",
       Kernel::Transpose,
       [](Code &code) {
         size_t store = find(code, isLdsStore), barrier = find(code, isBarrier, store);
         if (barrier == kNone)
           return false;
         bool found = false; // of several waits in a row the first one suffices
         for (size_t at = store; at < barrier; ++at)
           if (waitsFor(Counter::Lds)(code[at]))
             found |= dropWait(code, at, Counter::Lds);
         return found;
       },
       {"meets a barrier " + kWait + "ds_"}},
  };
}

std::vector<Fault> faultsOfLds() {
  return {
      {"BarrierAfterStores",
       Kernel::Transpose,
       [](Code &code) { return dropBarrier(code, find(code, isBarrier, find(code, isLdsStore))); },
       {kUnwrittenLds, "races with a"}},
      {"BarrierOfReduction",
       Kernel::Total,
       [](Code &code) { return dropBarrier(code, find(code, isBarrier, find(code, isLdsStore))); },
       {kUnwrittenLds, "races with a"}},
      // Without it the second iteration overwrites tiles that another warp still reads in the first.
      {"BarrierBeforeStores",
       Kernel::Matmul,
       [](Code &code) { return dropBarrier(code, findBefore(code, isBarrier, find(code, isLdsStore))); },
       {"races with a"}},
      {"LoadOfAnotherPiece",
       Kernel::Transpose,
       [](Code &code) {
         return changeOffset(code, find(code, isOffsetLoad), [](int64_t offset) { return offset ^ 16; });
       },
       {}},
      {"StoreOfAnotherElement",
       Kernel::Transpose,
       [](Code &code) { return changeOffset(code, find(code, isLdsStore), [](int64_t offset) { return offset ^ 4; }); },
       {"races with a write", kUnwrittenLds}},
      {"StoreLeftOut",
       Kernel::Transpose,
       [](Code &code) { return drop(code, find(code, isLdsStore)); },
       {kUnwrittenLds}},
      // The two operands of a step take 8 KiB. LDS ends there, or has 16 KiB where a later conversion of the product
      // takes more.
      {"LoadBeyondStores",
       Kernel::Matmul,
       [](Code &code) {
         return changeOffset(code, find(code, isOffsetLoad), [](int64_t offset) { return offset + 8192; });
       },
       {kUnwrittenLds, "accesses LDS at"}},
      {"LoadBeyondLds",
       Kernel::Transpose,
       [](Code &code) { return changeOffset(code, find(code, isOffsetLoad), [](int64_t) { return int64_t(65520); }); },
       {"accesses LDS at"}},
  };
}

std::vector<Fault> faultsOfLanes() {
  return {
      // Lanes read the rows of others; where these are not of the tile, nothing has written them.
      {"LaneOfOperand", Kernel::Matmul, changeLaneMask, {kUnwrittenLds, kWrongResult}},
      {"CopiesOfOperand", Kernel::Matmul, changeCopies, {"do not hold copies"}, {"gfx1100"}}, // others need none
      {"MatrixWithInactiveLane", Kernel::Matmul, deactivateLane, {"with some lanes inactive"}},
      // Lanes without a row of A store nothing to LDS from then on.
      {"RestoreOfExec",
       Kernel::Matmul,
       [](Code &code) { return drop(code, findBefore(code, restoresExec, find(code, isMatrix))); },
       {"with some lanes inactive", kUnwrittenLds}},
      // The warps without an element do not store their sums.
      {"RestoreOfExecInReduction",
       Kernel::Total,
       [](Code &code) { return drop(code, find(code, restoresExec)); },
       {kUnwrittenLds}},
      {"LaneOfDpp", Kernel::Total, doubleDppMask, {}, {"gfx1100", "gfx1201"}},
      {"LaneOfSwizzle", Kernel::Total, doubleSwizzleMask, {}, {"gfx942"}},
  };
}

std::vector<Fault> faultsOfAccesses() {
  return {
      {"UnwrittenOperand",
       Kernel::Matmul,
       [](Code &code) { return makeUnwritten(code, find(code, isMatrix), 1); },
       {kUnwrittenRegister}},
      {"UnwrittenAddress",
       Kernel::Transpose,
       [](Code &code) { return makeUnwritten(code, find(code, isGlobalStore), 0); },
       {kUnwrittenRegister}},
      {"UnwrittenData",
       Kernel::Transpose,
       [](Code &code) { return makeUnwritten(code, find(code, isLdsStore), 1); },
       {kUnwrittenRegister}},
      // Lanes that load define the register; others are seen by the result, since registers do not begin as zero.
      {"FillOfMaskedLoad", Kernel::Matmul, dropFills, {}},
      {"MaskLeftOut", Kernel::Count, [](Code &code) { return drop(code, find(code, savesExec)); }, {kOutside}},
      {"LoadBeyondAllocation",
       Kernel::Transpose,
       [](Code &code) {
         return changeOffset(code, find(code, isGlobalLoad), [](int64_t offset) { return offset - 16; });
       },
       {kOutside}},
      {"StoreBeyondAllocation",
       Kernel::Transpose,
       [](Code &code) {
         return changeOffset(code, find(code, isGlobalStore), [](int64_t offset) { return offset + (1 << 15); });
       },
       {kOutside}},
      {"AtomicBeyondAllocation",
       Kernel::Count,
       [](Code &code) {
         size_t atomic = find(code, [](const Instruction &i) { return i.name.starts_with("global_atomic"); });
         return changeOffset(code, atomic, [](int64_t offset) { return offset + 4; });
       },
       {kOutside}},
  };
}

} // namespace

const std::vector<Fault> &allFaults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> made;
    for (auto part : {faultsOfWaits, faultsOfLds, faultsOfLanes, faultsOfAccesses})
      std::ranges::move(part(), std::back_inserter(made));
    return made;
  }();
  return all;
}

} // namespace tegula::rocm::test
