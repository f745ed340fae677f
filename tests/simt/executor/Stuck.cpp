// Reports when no thread can continue, and checks when all have ended.
#include "Machine.h"

#include "Flatten.h"

namespace tegula::simt_test {

std::string Workgroup::waitText(const Thread &thread) const {
  const Instruction &at = instruction(thread.counter);
  std::string place = at.op->getName().getStringRef().str() + " (" + locationText(at.op->getLoc()) + ")";
  switch (thread.state) {
  case Thread::State::Done: return "have ended";
  case Thread::State::AtGroupEnd: return "have ended their group";
  case Thread::State::AtBarrierObject: {
    const BarrierObject &object = objects_[thread.waitsOn];
    return "wait for the end of phase " + std::to_string(thread.waitsPhase) + " at " + place + ", whose object " +
           std::to_string(thread.waitsOn) + " is in phase " + std::to_string(object.phase) + " with " +
           std::to_string(object.arrived) + " of " + std::to_string(object.count) + " arrivals and " +
           std::to_string(object.bytes) + " bytes missing";
  }
  default: return "wait at " + place;
  }
}

/// Reports divergence where two threads wait for each other at different ops.
bool Workgroup::reportDivergence() {
  for (const Thread &one : threads_) {
    if (one.state != Thread::State::AtCollective)
      continue;
    const Instruction &here = instruction(one.counter);
    ThreadRange set = collectiveSet(one, here);
    for (uint32_t i = set.first; i < set.first + set.count; ++i) {
      const Thread &other = threads_[i];
      bool ended =
          other.state == Thread::State::Done || (other.state == Thread::State::AtGroupEnd && !here.isOfCluster);
      bool elsewhere = other.state == Thread::State::AtCollective && other.counter != one.counter;
      if (elsewhere) {
        ThreadRange otherSet = collectiveSet(other, instruction(other.counter));
        elsewhere = one.index >= otherSet.first && one.index < otherSet.first + otherSet.count;
      }
      if (!ended && !elsewhere)
        continue;
      report(ReportKind::Divergent, one.index, here, ended ? nullptr : &instruction(other.counter), [&] {
        return "expected the threads " + std::to_string(set.first) + " to " +
               std::to_string(set.first + set.count - 1) + " here together, found that thread " +
               std::to_string(other.index) + ' ' + (ended ? "has ended" : "waits elsewhere");
      });
      return true;
    }
  }
  return false;
}

void Workgroup::reportStuck() {
  if (reportDivergence())
    return;
  // Threads that wait in the same way are listed as ranges.
  std::string text;
  const Thread *blocked = nullptr;
  for (size_t first = 0, next = 0; first < threads_.size(); first = next) {
    std::string wait = waitText(threads_[first]);
    for (next = first + 1; next < threads_.size() && waitText(threads_[next]) == wait;)
      ++next;
    text += (text.empty() ? "" : "; ") + std::string("threads ") + std::to_string(first) + " to " +
            std::to_string(next - 1) + ' ' + wait;
    if (!blocked && threads_[first].state != Thread::State::Done && threads_[first].state != Thread::State::AtGroupEnd)
      blocked = &threads_[first];
  }
  if (blocked)
    report(ReportKind::Deadlock, blocked->index, instruction(blocked->counter), nullptr,
           [&] { return "no thread can go on: " + text; });
}

/// Other programs of the cluster may arrive at an object only until its program ends: some thread of that has to wait
/// for the phase of each such arrival.
void Workgroup::finishClusters() {
  for (size_t number = 0; number < objects_.size(); ++number) {
    const BarrierObject &object = objects_[number];
    if (!object.remoteArrival)
      continue;
    uint32_t first = static_cast<uint32_t>(number) / program_.barrierObjects * program_.threads();
    Clock seen(agents_.count);
    for (const Thread &thread : std::span(threads_).subspan(first, program_.threads()))
      seen.join(thread.clock);
    for (const Thread &thread : threads_)
      if (object.remote[thread.index] > seen[thread.index])
        report(ReportKind::MissingWait, thread.index, *object.remoteArrival, nullptr, [&] {
          return "expected a wait for the phase of this arrival by the program of object " + std::to_string(number) +
                 ", which else may end before, found none";
        });
  }
}

/// The end of the kernel: reports operations that must have ended, and lands the others.
void Workgroup::finish() {
  Clock seen(agents_.count); // everything that any thread has seen
  for (const Thread &thread : threads_)
    seen.join(thread.clock);
  for (uint32_t number = 0; number < tileLoads_.size(); ++number)
    if (const TileLoad &load = tileLoads_[number]; !covered(seen, {agents_.barrierObjects + load.object, number, 0}))
      report(ReportKind::MissingWait, load.thread, *load.transfer.instruction, nullptr, [] {
        return std::string("expected some thread to wait for the copy before the kernel ends, found none that did");
      });
  for (Thread &thread : threads_)
    for (uint32_t number = 1; number <= thread.stores.open(); ++number) {
      CopyGroup &group = thread.stores.group(number);
      // Shared memory ends with the workgroup; data that a store has read from it may still land.
      if (!group.stores.empty() && thread.clock[agents_.storeReads + thread.index] < number)
        report(ReportKind::MissingWait, thread.index, *group.stores.front().instruction, nullptr, [] {
          return std::string(
              "expected simt.wait_stores before the end of the kernel, found the copy still reading shared "
              "memory");
        });
      readStores(group);
      landStores(group);
    }
  for (size_t set = 0; set < matrixQueues_.size(); ++set)
    if (MatrixQueue &queue = matrixQueues_[set];
        !covered(seen, {static_cast<uint32_t>(agents_.matrixUnits + 4 * set), queue.started, 0})) {
      const Product &last = product(queue.products.back());
      report(ReportKind::MissingWait, last.threads.first, *last.instruction, nullptr, [] {
        return std::string("expected the product to be waited for, found it under way when the kernel ended");
      });
    }
  finishClusters();
  for (size_t i = 0; i < objects_.size(); ++i)
    if (const BarrierObject &object = objects_[i]; object.bytes != 0 && pendingLoads_.empty())
      report(ReportKind::BarrierMisuse, object.initialization.agent, object.last ? *object.last : *object.initializer,
             nullptr, [&] {
               return "expected as many bytes as were announced on object " + std::to_string(i) + ", found " +
                      std::to_string(object.bytes < 0 ? -object.bytes : object.bytes) +
                      (object.bytes < 0 ? " more" : " fewer") + " when the kernel ended";
             });
}

} // namespace tegula::simt_test
