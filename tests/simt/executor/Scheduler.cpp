// The order of the threads' steps; collectives; landing when no thread can continue.
#include "Machine.h"

#include <numeric>

namespace tegula::simt_test {

Agents Agents::of(const Program &program) {
  Agents agents;
  uint32_t threads = program.cluster * program.threads();
  agents.loads = threads;
  agents.storeReads = agents.loads + (program.hasAsyncLoads ? threads : 0);
  agents.storeWrites = agents.storeReads + (program.hasStores ? threads : 0);
  agents.matrixUnits = agents.storeWrites + (program.hasStores ? threads : 0);
  agents.barrierObjects = agents.matrixUnits + 4 * program.cluster * program.matrixSets();
  agents.count = agents.barrierObjects + program.cluster * program.barrierObjects;
  return agents;
}

Workgroup::Workgroup(const Program &program, GlobalMemory &memory, const RunOptions &options, Grid grid, uint64_t first,
                     Sink &sink, Random &random)
    : program_(program), memory_(memory), options_(options), grid_(grid), first_(first), sink_(sink), random_(random),
      agents_(Agents::of(program)), registers_(size_t(program.registers) * program.cluster * program.threads()),
      threads_(size_t(program.cluster) * program.threads()), shared_(program.cluster * program.sharedStride()),
      shadow_(shared_.size(), program.granule, true), objects_(size_t(program.cluster) * program.barrierObjects),
      matrixQueues_(size_t(program.cluster) * program.matrixSets()), atGroupEnd_(program.cluster) {
  for (std::byte &byte : shared_)
    byte = static_cast<std::byte>(0xA5); // content of memory before anything is written
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    Thread &thread = threads_[i];
    thread.index = i;
    thread.regionFirst = rank(i) * program.threads();
    thread.regionThreads = program.threads();
    thread.registers = registers_.data() + size_t(i) * program.registers;
    thread.clock = Clock(agents_.count);
    thread.fences = Clock(agents_.storeReads);
    thread.clock[i] = 1;
    thread.branchCounts.resize(program.branches);
    runnable_.push_back(i);
  }
  for (BarrierObject &object : objects_) {
    object.arriving = object.ended = Clock(agents_.count);
    object.remote = Clock(threads_.size());
    object.arrivingFences = object.endedFences = Clock(agents_.storeReads);
  }
  for (uint32_t warp = 0; warp < program.cluster * program.warps; ++warp)
    elected_.push_back(random_.below(program.warpSize));
}

Grid Workgroup::id(uint32_t rank) const {
  uint64_t number = first_ + rank, plane = uint64_t(grid_[0]) * grid_[1];
  return {static_cast<uint32_t>(number % grid_[0]), static_cast<uint32_t>(number / grid_[0] % grid_[1]),
          static_cast<uint32_t>(number / plane)};
}

bool Workgroup::hasEnded(uint32_t rank) const {
  return std::all_of(threads_.begin() + rank * program_.threads(), threads_.begin() + (rank + 1) * program_.threads(),
                     [](const Thread &thread) { return thread.state == Thread::State::Done; });
}

uint64_t Workgroup::run(std::span<const std::vector<uint64_t>> arguments) {
  for (Thread &thread : threads_)
    for (size_t i = 0; i < arguments.size(); ++i)
      std::copy(arguments[i].begin(), arguments[i].end(), thread.at(program_.arguments[i]));
  while (done_ < threads_.size()) {
    if (!options_.lateLanding && random_.below(4) == 0)
      landAtRandom();
    if (runnable_.empty()) {
      if (landSomething())
        continue;
      reportStuck();
      return steps_;
    }
    if (steps_ > options_.maxSteps) {
      const Thread &thread = threads_[runnable_.front()];
      report(ReportKind::Deadlock, thread.index, instruction(thread.counter), nullptr,
             [&] { return "the program has not ended after " + std::to_string(steps_) + " steps"; });
      return steps_;
    }
    uint32_t chosen = random_.below(static_cast<uint32_t>(runnable_.size()));
    Thread &thread = threads_[runnable_[chosen]];
    // A running thread is not in the list: `wake` adds a thread to it.
    std::swap(runnable_[chosen], runnable_.back());
    runnable_.pop_back();
    runThread(thread);
    if (thread.state == Thread::State::Runnable)
      runnable_.push_back(thread.index);
  }
  finish();
  return steps_;
}

void Workgroup::runThread(Thread &thread) {
  constexpr uint32_t kLongestTurn = 64;
  for (uint32_t left = 1 + random_.below(kLongestTurn); left > 0; --left) {
    const Instruction &next = instruction(thread.counter);
    ++steps_;
    if (next.checksFlight)
      checkFlight(thread, next);
    if (next.collective) {
      if (reachCollective(thread, next))
        continue;
      return;
    }
    switch (next.handler(*this, thread, next)) {
    case Step::Next: ++thread.counter; break;
    case Step::Jumped: break;
    case Step::Blocked: return;
    case Step::Ended:
      thread.state = Thread::State::Done;
      ++done_;
      return;
    }
  }
}

bool Workgroup::checkFlight(Thread &thread, const Instruction &next) {
  for (const Slot &operand : next.operands)
    if (uint64_t number = operand ? thread.flight(operand) : 0) {
      const Product &started = product(static_cast<uint32_t>(number));
      report(ReportKind::MissingWait, thread.index, next, started.instruction,
             [] { return std::string("expected a finished accumulator, found one in flight"); });
      return false;
    }
  return true;
}

ThreadRange Workgroup::collectiveSet(const Thread &thread, const Instruction &next) const {
  if (next.isOfCluster)
    return {0, static_cast<uint32_t>(threads_.size())};
  if (next.collectiveWarps == 0)
    return {thread.regionFirst, thread.regionThreads};
  uint32_t size = next.collectiveWarps * program_.warpSize;
  return {thread.regionFirst + (thread.index - thread.regionFirst) / size * size, size};
}

/// True if the thread is the last to arrive; then the collective has run.
bool Workgroup::reachCollective(Thread &thread, const Instruction &next) {
  ThreadRange set = collectiveSet(thread, next);
  uint64_t key = uint64_t(next.number) << 32 | set.first;
  thread.state = Thread::State::AtCollective;
  if (++arrivals_[key] < set.count)
    return false;
  arrivals_.erase(key);
  next.collective(*this, set, next);
  for (uint32_t i = set.first; i < set.first + set.count; ++i) {
    ++threads_[i].counter;
    if (i == thread.index)
      thread.state = Thread::State::Runnable;
    else
      wake(threads_[i]);
  }
  return true;
}

void Workgroup::wake(Thread &thread) {
  thread.state = Thread::State::Runnable;
  runnable_.push_back(thread.index);
}

/// The end of simt.warp_groups: all threads of the program wait for each other.
Step Workgroup::endGroup(Thread &thread, const Instruction &next) {
  thread.state = Thread::State::AtGroupEnd;
  thread.counter = next.target;
  uint32_t count = program_.threads(), first = rank(thread.index) * count;
  if (++atGroupEnd_[rank(thread.index)] < count)
    return Step::Blocked;
  atGroupEnd_[rank(thread.index)] = 0;
  for (Thread &other : std::span(threads_).subspan(first, count)) {
    other.regionFirst = first;
    other.regionThreads = count;
    if (other.index == thread.index)
      other.state = Thread::State::Runnable;
    else
      wake(other);
  }
  return Step::Jumped;
}

void Workgroup::checkUniform(const Thread &thread, const Instruction &branch, bool way) {
  if (branch.branch < 0)
    return;
  ThreadRange set{thread.regionFirst, thread.regionThreads};
  if (branch.uniformWarps != 0) {
    uint32_t size = branch.uniformWarps * program_.warpSize;
    set.first += (thread.index - thread.regionFirst) / size * size;
    set.count = std::min(size, thread.regionFirst + thread.regionThreads - set.first);
  }
  BranchHistory &history = histories_[uint64_t(branch.number) << 32 | set.first];
  uint64_t turn = threads_[thread.index].branchCounts[static_cast<size_t>(branch.branch)]++;
  size_t place = static_cast<size_t>(turn - history.dropped);
  if (place == history.decisions.size())
    history.decisions.push_back({way, thread.index, 0});
  BranchHistory::Decision &decision = history.decisions[place];
  if (decision.way != way)
    report(ReportKind::WrongUniform, thread.index, branch, nullptr, [&] {
      return "expected the threads " + std::to_string(set.first) + " to " + std::to_string(set.first + set.count - 1) +
             " to take the same way, found that thread " + std::to_string(decision.thread) +
             " does not take that of thread " + std::to_string(thread.index);
    });
  ++decision.passed;
  while (!history.decisions.empty() && history.decisions.front().passed == set.count) {
    history.decisions.pop_front();
    ++history.dropped;
  }
}

const std::vector<uint32_t> &Workgroup::spread(uint32_t rows, uint32_t columns, uint32_t use, ScalarType type) {
  std::vector<uint32_t> &permutation = spreads_[{rows, columns, use, type}];
  if (permutation.empty()) {
    permutation.resize(size_t(rows) * columns);
    std::iota(permutation.begin(), permutation.end(), 0u);
    for (uint32_t i = static_cast<uint32_t>(permutation.size()); i > 1; --i)
      std::swap(permutation[i - 1], permutation[random_.below(i)]);
  }
  return permutation;
}

} // namespace tegula::simt_test
