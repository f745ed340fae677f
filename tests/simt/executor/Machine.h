// A running workgroup: threads, shared memory, barrier objects, and the asynchronous units. Workgroups of a cluster run
// together, as one with the threads, memory and objects of all, program after program.
#pragma once

#include "MatrixUnit.h"
#include "Memory.h"
#include "Options.h"
#include "Program.h"
#include "Shadow.h"
#include "Sink.h"

#include <deque>
#include <optional>
#include <span>
#include <unordered_map>

namespace tegula::simt_test {

/// SplitMix64 (Steele, Lea, Flood 2014): small, and sufficient for shuffling.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t count) { return static_cast<uint32_t>((next() >> 32) * count >> 32); }

private:
  uint64_t state_;
};

/// Numbers of agents (see Clock.h); kinds that a kernel does not use have none. The matrix unit of four warps has four
/// numbers: the first is the unit's, and each records the waits of one warp, because a wait covers only the part of its
/// own warp. A product has ended for a thread that has seen all four.
struct Agents {
  uint32_t threads = 0, loads = 0, storeReads = 0, storeWrites = 0, matrixUnits = 0, barrierObjects = 0, count = 0;
  static Agents of(const Program &program);
};

/// One of a thread's copies of a few bytes from global to shared memory.
struct Copy {
  uint64_t from = 0, to = 0; // an address; a byte offset in shared memory
  uint32_t bytes = 0;
  bool fill = false; // zeros instead of the bytes at `from`
};

/// A block of a described tensor, and the shared-memory tile that is its source or destination.
struct TileTransfer {
  const Instruction *instruction = nullptr;
  const SharedLayout *layout = nullptr;
  int64_t firstColumn = 0, columns = 0; // the share that is moved, along the last axis
  uint64_t tile = 0;                    // offset of the view's first byte
  uint64_t address = 0;                 // the tensor's address
  bool paddedWithNan = false, roundsToTf32 = false;
  std::vector<int64_t> shape, strides, position; // in elements
  ScalarType type = ScalarType::I8;
  /// Calls visit(offset in shared memory, address in global memory), with address 0 for an element outside of the
  /// tensor.
  template <class Visit> void forElements(Visit visit) const;
};

/// The asynchronous loads, or stores, of one thread between two commits.
struct CopyGroup {
  std::vector<Copy> copies;
  std::vector<TileTransfer> stores;
  std::vector<uint64_t> staged; // elements that the stores have read from shared memory
  bool read = false, landed = false;
};

/// The groups of one thread, in order. Numbers start at 1; the last group is still open.
struct CopyQueue {
  std::vector<CopyGroup> groups = std::vector<CopyGroup>(1);
  uint32_t open() const { return static_cast<uint32_t>(groups.size()); }
  uint32_t committed() const { return open() - 1; }
  CopyGroup &group(uint32_t number) { return groups[number - 1]; }
};

struct Thread {
  enum class State : uint8_t { Runnable, AtCollective, AtBarrierObject, AtGroupEnd, Done };
  State state = State::Runnable;
  uint32_t index = 0;
  uint32_t counter = 0;     // index of the next instruction
  uint32_t regionFirst = 0; // the region's first thread in the workgroup
  uint32_t regionThreads = 0;
  uint64_t *registers = nullptr;
  Clock clock, fences;
  Clock released; // the clock at its last fence of ordinary accesses
  Clock acquired; // clocks from relaxed atomics, which its next such fence adds to `clock`
  uint32_t waitsOn = 0, waitsPhase = 0;
  std::vector<uint32_t> branchCounts; // number of executions of each uniform branch
  CopyQueue loads, stores;

  uint64_t *at(const Slot &slot) const { return registers + slot.at; }
  uint64_t scalar(const Slot &slot) const { return registers[slot.at]; }
  uint64_t &flight(const Slot &slot) const { return registers[slot.at + slot.lanes]; }
};

/// A barrier object.
struct BarrierObject {
  bool initialized = false, seen = false; // seen: the initialising thread has passed fence barrier_init
  bool inCluster = false;                 // and the programs of the cluster have waited for each other
  Access initialization;
  const Instruction *initializer = nullptr, *last = nullptr;
  uint32_t count = 0, arrived = 0, phase = 0;
  int64_t bytes = 0; // announced bytes that have not landed
  Clock arriving, arrivingFences, ended, endedFences;
  Clock remote;                               // last arrivals of other programs' threads
  const Instruction *remoteArrival = nullptr; // the last of them
};

/// A load_tile that is in flight or has landed.
struct TileLoad {
  TileTransfer transfer;
  uint32_t thread = 0, object = 0;
  int64_t bytes = 0;
  uint32_t landedPhase = 0; // 1 + the object's phase at landing; 0: in flight
};

/// A matmul_async of four warps. Products of one set end in order.
struct Product {
  const Instruction *instruction = nullptr;
  ThreadRange threads;
  uint32_t sequence = 0; // number within the set, from 1
  uint64_t a = 0, b = 0; // byte offsets in shared memory
  std::vector<uint64_t> aRegisters;
  bool accumulate = true, performed = false, taken = false;
  uint32_t predecessor = 0;          // number of the product whose result is the input accumulator; 0: `accumulator` is
  std::vector<uint64_t> accumulator; // input, then result: thread after thread
};

struct MatrixQueue {
  uint32_t started = 0, performed = 0;
  std::vector<uint32_t> products; // numbers, in order of `sequence`
};

struct BranchHistory {
  struct Decision {
    bool way;
    uint32_t thread, passed;
  };
  uint64_t dropped = 0; // number of decisions that all threads have passed
  std::deque<Decision> decisions;
};

class Workgroup : public Judge {
public:
  /// `first`: the number of the cluster's first program in the grid, axis 0 fastest.
  Workgroup(const Program &program, GlobalMemory &memory, const RunOptions &options, Grid grid, uint64_t first,
            Sink &sink, Random &random);
  /// Runs until all threads have ended, or to a deadlock, which is reported. Returns the number of steps.
  uint64_t run(std::span<const std::vector<uint64_t>> arguments);

  // --- reports ---
  template <class Message>
  void report(ReportKind kind, uint32_t thread, const Instruction &instruction, const Instruction *other,
              Message message) {
    sink_.add(kind, instruction.op, other ? other->op : nullptr, thread % program_.threads(), id(rank(thread)),
              message);
  }
  bool covered(const Clock &clock, const Access &access) const override;
  bool fenced(const Clock &fences, const Access &access) const override;
  void conflict(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) override;
  void unfenced(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) override;
  void uninitialized(const Actor &actor, size_t byte) override;

  // --- shared memory; positions are byte offsets from its beginning ---
  /// The thread as an actor, at its present time.
  Actor actor(const Thread &thread, const Instruction &instruction) const;
  /// Whether the access is within the view's `bytes` from `base` and aligned to its own size; reports a violation.
  bool checkShared(const Thread &thread, const Instruction &instruction, uint64_t base, int64_t offset, int64_t bytes,
                   int64_t viewBytes, int64_t alignment);
  void noteRead(const Actor &actor, uint64_t byte, uint64_t bytes) { shadow_.read(actor, byte, bytes, *this); }
  void noteWrite(const Actor &actor, uint64_t byte, uint64_t bytes, bool unchanged = false) {
    shadow_.write(actor, byte, bytes, unchanged, *this);
  }
  uint64_t peek(uint64_t byte, uint32_t bytes) const;
  void poke(uint64_t byte, uint32_t bytes, uint64_t bits);

  // --- global memory ---
  /// The bytes at an address; null where the access is out of bounds or misaligned, which it reports.
  std::byte *global(const Thread &thread, const Instruction &instruction, uint64_t address, uint64_t bytes,
                    uint64_t alignment);
  void noteGlobalRead(const Actor &actor, uint64_t address, uint64_t bytes);
  void noteGlobalWrite(const Actor &actor, uint64_t address, uint64_t bytes, bool unchanged = false);
  GlobalMemory &memory() { return memory_; }

  // --- order ---
  /// Synchronises the threads of a barrier.
  void synchronize(ThreadRange range);
  void fenceAsync(Thread &thread);
  void fenceBarrierInit(Thread &thread);
  void fenceOrdinary(Thread &thread);
  /// An atomic access publishes the thread's clock (releases) and adds those published before (acquires).
  void atomicOrder(Thread &thread, uint64_t address, bool acquires, bool releases);
  /// The number of the object in operands `operand` (array) and the next one (index) of detail2 objects; reports an
  /// index outside of the array.
  std::optional<uint32_t> objectNumber(const Thread &thread, const Instruction &instruction, size_t operand);
  /// The number of the same object of the cluster's program in operand `operand`; reports one that is not there.
  std::optional<uint32_t> objectOf(const Thread &thread, const Instruction &instruction, uint32_t number,
                                   size_t operand);
  void initObject(Thread &thread, const Instruction &instruction, uint32_t number, uint32_t count);
  /// Ends the use of the object, which may be initialised again; reports arrivals of a phase that has not ended.
  void endObject(Thread &thread, const Instruction &instruction, uint32_t number);
  BarrierObject &object(uint32_t number) { return objects_[number]; }
  uint32_t objects() const { return static_cast<uint32_t>(objects_.size()); }
  /// Whether this thread may use the object; reports a violation.
  bool checkObject(const Thread &thread, const Instruction &instruction, uint32_t number);
  void arrive(Thread &thread, const Instruction &instruction, uint32_t number, int64_t bytes);
  /// Ends the object's phase if all arrivals and bytes are there, and wakes waiting threads.
  void tryEndPhase(uint32_t number);
  /// True if the thread continues at once, false if it now waits.
  bool waitPhase(Thread &thread, uint32_t number, uint32_t parity);
  void checkUniform(const Thread &thread, const Instruction &instruction, bool way);
  Step endGroup(Thread &thread, const Instruction &instruction);
  /// Objects may now be used by all programs of the cluster.
  void openObjects();

  // --- asynchronous units ---
  void startTileLoad(TileLoad load);
  void landTileLoad(uint32_t number);
  void startStore(Thread &thread, TileTransfer transfer);
  void landLoads(CopyGroup &group);
  void readStores(CopyGroup &group);
  void landStores(CopyGroup &group);
  uint32_t startProduct(Product product); // returns its number, from 1
  Product &product(uint32_t number) { return products_[number - 1]; }
  MatrixQueue &matrixQueue(ThreadRange threads) { return matrixQueues_[matrixSet(threads)]; }
  uint32_t matrixAgent(ThreadRange threads) const { return agents_.matrixUnits + matrixSet(threads) * 4; }
  void performProducts(MatrixQueue &queue, uint32_t upTo);

  Thread &thread(uint32_t index) { return threads_[index]; }
  const Program &program() const { return program_; }
  const Agents &agents() const { return agents_; }
  /// The number of the thread's program in its cluster.
  uint32_t rank(uint32_t thread) const { return thread / program_.threads(); }
  /// The number in the grid of the cluster's program of that rank, and its place.
  uint64_t number(uint32_t rank) const { return first_ + rank; }
  Grid id(uint32_t rank) const;
  const Grid &grid() const { return grid_; }
  Sink &sink() { return sink_; }
  uint32_t electedLane(uint32_t warp) const { return elected_[warp]; }
  /// The permutation of an opaque fragment's elements: lane and register hold element `[lane * perLane + register]`.
  const std::vector<uint32_t> &spread(uint32_t rows, uint32_t columns, uint32_t use, ScalarType type);

private:
  uint32_t matrixSet(ThreadRange threads) const {
    return rank(threads.first) * program_.matrixSets() + threads.first % program_.threads() / (4 * program_.warpSize);
  }
  bool hasEnded(uint32_t rank) const;
  void runThread(Thread &thread);
  bool checkFlight(Thread &thread, const Instruction &instruction);
  bool reachCollective(Thread &thread, const Instruction &instruction);
  ThreadRange collectiveSet(const Thread &thread, const Instruction &instruction) const;
  void wake(Thread &thread);
  bool landSomething();
  void landAtRandom();
  void reportStuck();
  bool reportDivergence();
  std::string waitText(const Thread &thread) const;
  void finish();
  void finishClusters();
  template <class Visit> void forPages(uint64_t address, uint64_t bytes, Visit visit);
  const Instruction &instruction(uint32_t number) const { return program_.code[number]; }

  const Program &program_;
  GlobalMemory &memory_;
  const RunOptions &options_;
  Grid grid_;
  uint64_t first_;
  Sink &sink_;
  Random &random_;
  Agents agents_;
  std::vector<uint64_t> registers_;
  std::vector<Thread> threads_;
  std::vector<std::byte> shared_;
  Shadow shadow_;
  std::unordered_map<uint64_t, Shadow> globalShadows_; // by page number
  std::vector<BarrierObject> objects_;
  std::vector<TileLoad> tileLoads_;
  std::vector<uint32_t> pendingLoads_; // indices in tileLoads_ of loads in flight
  std::deque<Product> products_;
  std::vector<MatrixQueue> matrixQueues_;
  std::vector<uint32_t> runnable_;
  std::unordered_map<uint64_t, uint32_t> arrivals_; // threads that have arrived at a collective, by set
  std::unordered_map<uint64_t, BranchHistory> histories_;
  std::unordered_map<uint64_t, Clock> atomics_; // by address
  std::vector<uint32_t> elected_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, ScalarType>, std::vector<uint32_t>> spreads_;
  std::vector<uint32_t> atGroupEnd_; // threads, by rank
  uint32_t done_ = 0;
  uint64_t steps_ = 0;
};

} // namespace tegula::simt_test
