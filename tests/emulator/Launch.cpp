#include "tests/emulator/Launch.h"
#include "tests/emulator/DataParallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sstream>
#include <thread>

namespace tegula::emulator {
namespace {

/// Instructions of a wave before the next one of its workgroup has its turn: waves may wait for each other in loops.
constexpr unsigned kTurn = 4096;

/// What registers and private memory hold before code writes them, so that results that depend on it are wrong: no
/// number as an f32, two f16 or two bf16, and no address.
constexpr uint32_t kUnwritten = 0x7fc57fc5;
constexpr uint8_t kUnwrittenByte = 0xc5;

/// The state that the hardware gives a wave. Source: LLVM's AMDGPU usage page, "Initial Kernel Execution State".
Wave makeWave(const Launch &launch, Workgroup &group, unsigned index) {
  const KernelCode &kernel = *launch.kernel;
  const InitialScalars &initial = kernel.initial;
  Wave w;
  w.family = launch.program->family();
  w.lanes = launch.program->lanes();
  w.mode = kernel.mode;
  w.group = &group;
  w.index = index;
  w.program = launch.program;
  std::fill_n(w.scalars.begin(), kVcc + 2, kUnwritten);
  w.vectors.assign(size_t(256) * w.lanes, kUnwritten);
  if (w.family == Family::Gfx9)
    w.accumulators.assign(size_t(256) * w.lanes, kUnwritten);
  w.scratchBytes = kernel.scratchBytes;
  w.scratch.assign(size_t(w.scratchBytes) * w.lanes, kUnwrittenByte);
  w.arguments = {reinterpret_cast<uint64_t>(launch.arguments.data()), launch.arguments.size()};
  unsigned next = 0;
  auto give = [&](bool enabled, uint64_t value, unsigned words) {
    if (!enabled)
      return;
    w.scalars[next] = uint32_t(value);
    if (words > 1)
      w.scalars[next + 1] = uint32_t(value >> 32);
    for (unsigned end = next + words; next < end; ++next)
      w.watch.define(uint16_t(kFirstScalar + next));
  };
  give(initial.privateSegmentBuffer, 0, 4); // a resource of address 0 is private memory
  give(initial.dispatchPointer, 0, 2);
  give(initial.queuePointer, 0, 2);
  give(initial.kernargPointer, reinterpret_cast<uint64_t>(launch.arguments.data()), 2);
  give(initial.dispatchId, 0, 2);
  give(initial.flatScratch, 0, 2);
  give(initial.privateSegmentSize, kernel.scratchBytes, 1);
  next = std::max(next, initial.userCount);
  if (w.family == Family::Gfx12) {
    w.scalars[kTtmp0 + 9] = group.id[0];
    w.scalars[kTtmp0 + 7] = group.id[1] | group.id[2] << 16;
  } else {
    give(initial.workgroupX, group.id[0], 1);
    give(initial.workgroupY, group.id[1], 1);
    give(initial.workgroupZ, group.id[2], 1);
    give(initial.workgroupInfo, 0, 1);
    give(initial.privateOffset, 0, 1);
  }
  unsigned first = index * w.lanes;
  unsigned active = std::min(w.lanes, launch.threads - first);
  w.setExec(active == 64 ? ~uint64_t(0) : (uint64_t(1) << active) - 1);
  w.watch.define(0);
  for (unsigned lane = 0; lane < active; ++lane) // y and z are zero, in one register or in three
    w.vectors[lane] = first + lane;
  return w;
}

std::string placeOf(const Launch &launch, const Instruction &i, const Workgroup &group) {
  std::ostringstream text;
  text << " in kernel '" << launch.kernel->name << "', at '" << i.text << "', offset 0x" << std::hex << i.offset
       << std::dec << ", workgroup " << group.id[0] << "," << group.id[1] << "," << group.id[2];
  return text.str();
}

void runGroup(const Launch &launch, std::array<uint32_t, 3> id, Workgroup &group, Counters &counters) {
  const std::vector<Instruction> &code = launch.kernel->code;
  group.lds.assign(size_t(launch.kernel->sharedBytes) + launch.sharedBytes, 0);
  group.watch.begin(group.lds.size());
  group.id = id;
  group.memory = launch.memory;
  unsigned lanes = launch.program->lanes(), count = (launch.threads + lanes - 1) / lanes;
  std::vector<Wave> waves;
  for (unsigned index = 0; index < count; ++index)
    waves.push_back(makeWave(launch, group, index));
  for (bool busy = true; busy;) {
    busy = false;
    for (Wave &w : waves) {
      size_t at = w.next;
      try {
        for (unsigned turn = 0; turn < kTurn && !w.ended && !w.waiting; ++turn) {
          at = w.next;
          if (at >= code.size())
            throw Fault("execution ran past the end of the code");
          execute(w, code);
        }
      } catch (const Fault &fault) {
        throw Fault(fault.what() + placeOf(launch, code[std::min(at, code.size() - 1)], group));
      }
      busy |= !w.ended && !w.waiting;
    }
    // All that have not ended wait: the barrier is complete.
    if (!busy) {
      group.watch.barrier();
      for (Wave &w : waves) {
        busy |= w.waiting;
        w.waiting = false;
      }
    }
  }
  for (Wave &w : waves)
    counters.add(w.counted());
}

} // namespace

void execute(Wave &w, const std::vector<Instruction> &code) {
  w.code = &code;
  const Instruction &i = code[w.next++];
  w.count(i);
  w.watch.before(i);
  if (i.readsScc)
    w.scalars[kScc] = w.scc;
  if (i.pairs) { // the second one reads registers as they were before the first
    const Instruction &second = code[w.next++];
    const Operand &to = i.operands.front();
    auto begin = w.vectors.begin() + std::ptrdiff_t(to.index) * w.lanes;
    std::vector<uint32_t> before(begin, begin + w.lanes);
    i.handler(w, i);
    std::vector<uint32_t> after(begin, begin + w.lanes);
    std::copy(before.begin(), before.end(), begin);
    second.handler(w, second);
    std::copy(after.begin(), after.end(), begin);
    return;
  }
  if (i.dpp.kind == DataParallel::Kind::None)
    return i.handler(w, i);
  uint64_t writes = 0;
  Instruction moved = i;
  if (!prepare(w, i, i.operands.at(i.sourceFirst), writes))
    throw Fault("the emulator does not know the data parallel form of '" + i.text + "'");
  moved.operands[i.sourceFirst].index = kMoved;
  uint64_t exec = w.exec();
  w.setExec(exec & writes);
  i.handler(w, moved);
  if (!i.writesExec)
    w.setExec(exec);
}

Counters run(const Launch &launch) {
  uint64_t groups = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::string problem;
  Counters total;
  auto work = [&] {
    Counters counters;
    Workgroup group; // one after another in one memory
    for (uint64_t at; !failed && (at = next++) < groups;) {
      std::array<uint32_t, 3> id = {uint32_t(at % launch.grid[0]), uint32_t(at / launch.grid[0] % launch.grid[1]),
                                    uint32_t(at / launch.grid[0] / launch.grid[1])};
      try {
        runGroup(launch, id, group, counters);
      } catch (const Fault &fault) {
        std::lock_guard lock(mutex);
        if (!failed.exchange(true))
          problem = fault.what();
      }
    }
    std::lock_guard lock(mutex);
    total.add(counters);
  };
  unsigned threads = unsigned(std::min<uint64_t>(groups, std::max(1u, std::thread::hardware_concurrency())));
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
  if (failed)
    throw Fault(problem);
  return total;
}

} // namespace tegula::emulator
