// The happens-before order: barriers, fences, barrier objects; and the texts of reports of unordered accesses.
#include "Machine.h"

#include <cstring>

namespace tegula::simt_test {
namespace {

std::string byteText(size_t byte) { return "byte " + std::to_string(byte & ((uint64_t(1) << 40) - 1)); }

} // namespace

Actor Workgroup::actor(const Thread &thread, const Instruction &next) const {
  return {{thread.index, thread.clock[thread.index], next.number}, &thread.clock, nullptr, thread.index};
}

bool Workgroup::covered(const Clock &clock, const Access &access) const {
  if (access.agent < agents_.matrixUnits)
    return clock[access.agent] >= access.time;
  if (access.agent < agents_.barrierObjects) {
    for (uint32_t warp = 0; warp < 4; ++warp)
      if (clock[access.agent + warp] < access.time)
        return false;
    return true;
  }
  const TileLoad &load = tileLoads_[access.time];
  return load.landedPhase != 0 && clock[access.agent] >= load.landedPhase;
}

bool Workgroup::fenced(const Clock &fences, const Access &access) const {
  return access.agent >= agents_.storeReads || fences[access.agent] >= access.time;
}

void Workgroup::conflict(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) {
  const Instruction &here = instruction(actor.access.instruction);
  const Instruction &there = instruction(earlier.instruction);
  bool async = earlier.agent >= agents_.loads;
  report(async ? ReportKind::MissingWait : ReportKind::Race, actor.thread, here, &there, [&] {
    std::string text = std::string(writes ? "writes " : "reads ") + byteText(byte) + ", which ";
    if (!async)
      return text + "thread " + std::to_string(earlier.agent) + (earlierWrote ? " wrote" : " read") +
             " with nothing between that orders the two";
    return text + "an asynchronous operation " + (earlierWrote ? "writes" : "reads") +
           ": expected a wait for it, seen by this thread, before";
  });
}

void Workgroup::unfenced(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) {
  report(ReportKind::MissingFence, actor.thread, instruction(actor.access.instruction),
         &instruction(earlier.instruction), [&] {
           return std::string("an asynchronous unit ") + (writes ? "writes " : "reads ") + byteText(byte) +
                  (earlierWrote ? ", to which ordinary code wrote" : ", which ordinary code read") +
                  ": expected simt.fence async by the thread that " + (earlierWrote ? "wrote" : "read") +
                  ", and a barrier after it";
         });
}

void Workgroup::uninitialized(const Actor &actor, size_t byte) {
  report(ReportKind::Uninitialized, actor.thread, instruction(actor.access.instruction), nullptr,
         [&] { return "reads " + byteText(byte) + " of shared memory, which nothing has written"; });
}

void Workgroup::synchronize(ThreadRange range) {
  Clock clock = threads_[range.first].clock, fences = threads_[range.first].fences;
  for (uint32_t i = range.first + 1; i < range.first + range.count; ++i) {
    clock.join(threads_[i].clock);
    fences.join(threads_[i].fences);
  }
  for (uint32_t i = range.first; i < range.first + range.count; ++i) {
    threads_[i].clock = clock;
    threads_[i].fences = fences;
    ++threads_[i].clock[i];
  }
}

void Workgroup::fenceAsync(Thread &thread) {
  thread.fences[thread.index] = thread.clock[thread.index]++;
  if (program_.hasAsyncLoads)
    thread.fences[agents_.loads + thread.index] = thread.clock[agents_.loads + thread.index];
}

/// Objects that this thread has initialised may be used by threads that have seen this time.
void Workgroup::fenceBarrierInit(Thread &thread) {
  for (BarrierObject &object : objects_)
    if (object.initialized && !object.seen && object.initialization.agent == thread.index) {
      object.seen = true;
      object.initialization.time = thread.clock[thread.index];
    }
  ++thread.clock[thread.index];
}

void Workgroup::fenceOrdinary(Thread &thread) {
  thread.clock.join(thread.acquired);
  thread.released = thread.clock;
  ++thread.clock[thread.index];
}

void Workgroup::atomicOrder(Thread &thread, uint64_t address, bool acquires, bool releases) {
  Clock &told = atomics_[address];
  (acquires ? thread.clock : thread.acquired).join(told);
  told.join(releases ? thread.clock : thread.released);
  if (releases)
    ++thread.clock[thread.index];
}

std::optional<uint32_t> Workgroup::objectNumber(const Thread &thread, const Instruction &next, size_t operand) {
  int64_t index = toSigned(ScalarType::I32, thread.scalar(next.operands[operand + 1]));
  if (index < 0 || index >= next.detail2) {
    report(ReportKind::OutOfBounds, thread.index, next, nullptr, [&] {
      return "expected a barrier object from 0 to " + std::to_string(next.detail2 - 1) + ", found " +
             std::to_string(index);
    });
    return std::nullopt;
  }
  return static_cast<uint32_t>(thread.scalar(next.operands[operand]) + static_cast<uint64_t>(index));
}

std::optional<uint32_t> Workgroup::objectOf(const Thread &thread, const Instruction &next, uint32_t number,
                                            size_t operand) {
  int64_t there = toSigned(ScalarType::I32, thread.scalar(next.operands[operand]));
  if (there < 0 || there >= program_.cluster) {
    report(ReportKind::BarrierMisuse, thread.index, next, nullptr, [&] {
      return "expected a program of the cluster, from 0 to " + std::to_string(program_.cluster - 1) + ", found " +
             std::to_string(there);
    });
    return std::nullopt;
  }
  return number % program_.barrierObjects + static_cast<uint32_t>(there) * program_.barrierObjects;
}

void Workgroup::openObjects() {
  for (BarrierObject &object : objects_)
    object.inCluster = object.initialized && object.seen;
}

void Workgroup::initObject(Thread &thread, const Instruction &next, uint32_t number, uint32_t count) {
  BarrierObject &object = objects_[number];
  if (object.initialized)
    report(ReportKind::BarrierMisuse, thread.index, next, object.initializer, [&] {
      return "expected object " + std::to_string(number) + " to be initialised once, found a second time";
    });
  object.initialized = true;
  object.seen = object.inCluster = false;
  object.count = count;
  object.initializer = &next;
  object.initialization = {thread.index, thread.clock[thread.index], next.number};
}

void Workgroup::endObject(Thread &thread, const Instruction &next, uint32_t number) {
  BarrierObject &object = objects_[number];
  if (object.arrived != 0 || object.bytes != 0)
    report(ReportKind::BarrierMisuse, thread.index, next, object.last, [&] {
      return "expected no arrivals in the last phase of object " + std::to_string(number) + ", found " +
             std::to_string(object.arrived) + " and " + std::to_string(object.bytes) + " bytes under way";
    });
  object.initialized = false;
  object.phase +=
      object.phase & 1; // phases go on counting, because they are times; the next user begins with an even one
}

bool Workgroup::checkObject(const Thread &thread, const Instruction &next, uint32_t number) {
  const BarrierObject &object = objects_[number];
  if (!object.initialized) {
    report(ReportKind::BarrierMisuse, thread.index, next, nullptr,
           [&] { return "expected object " + std::to_string(number) + " to be initialised before, found it is not"; });
    return false;
  }
  uint32_t owner = number / program_.barrierObjects;
  bool isOwn = owner == rank(thread.index);
  if (hasEnded(owner))
    report(ReportKind::BarrierMisuse, thread.index, next, object.initializer, [&] {
      return "expected the program of object " + std::to_string(number) +
             " to wait for its uses by other programs, found that it has ended";
    });
  if (!isOwn && !object.inCluster)
    report(ReportKind::BarrierMisuse, thread.index, next, object.initializer, [&] {
      return "expected simt.cluster_barrier between the initialisation of object " + std::to_string(number) +
             " and its use by another program, found none";
    });
  if (isOwn && !object.inCluster && (!object.seen || !covered(thread.clock, object.initialization))) {
    report(ReportKind::BarrierMisuse, thread.index, next, object.initializer, [&] {
      return "expected simt.fence barrier_init and a barrier between the initialisation of object " +
             std::to_string(number) + " and its use, found " + (object.seen ? "no barrier" : "no fence");
    });
  }
  return true;
}

void Workgroup::arrive(Thread &thread, const Instruction &next, uint32_t number, int64_t bytes) {
  BarrierObject &object = objects_[number];
  object.last = &next;
  if (number / program_.barrierObjects != rank(thread.index)) {
    object.remote[thread.index] = thread.clock[thread.index];
    object.remoteArrival = &next;
  }
  object.arriving.join(thread.clock);
  object.arrivingFences.join(thread.fences);
  ++thread.clock[thread.index];
  object.bytes += bytes;
  if (object.arrived == object.count)
    report(ReportKind::BarrierMisuse, thread.index, next, object.initializer, [&] {
      return "expected " + std::to_string(object.count) + " arrivals in a phase of object " + std::to_string(number) +
             ", found one more";
    });
  else
    ++object.arrived;
  tryEndPhase(number);
}

void Workgroup::tryEndPhase(uint32_t number) {
  BarrierObject &object = objects_[number];
  if (!object.initialized || object.arrived < object.count || object.bytes != 0)
    return;
  object.arrived = 0;
  ++object.phase;
  object.ended.join(object.arriving);
  object.endedFences.join(object.arrivingFences);
  object.ended[agents_.barrierObjects + number] = object.phase;
  for (Thread &thread : threads_)
    if (thread.state == Thread::State::AtBarrierObject && thread.waitsOn == number &&
        (object.phase & 1) != thread.waitsPhase)
      wake(thread);
}

bool Workgroup::waitPhase(Thread &thread, uint32_t number, uint32_t parity) {
  BarrierObject &object = objects_[number];
  if ((object.phase & 1) == parity) {
    thread.waitsOn = number;
    thread.waitsPhase = parity;
    thread.state = Thread::State::AtBarrierObject;
    return false;
  }
  thread.clock.join(object.ended);
  thread.fences.join(object.endedFences);
  return true;
}

} // namespace tegula::simt_test
