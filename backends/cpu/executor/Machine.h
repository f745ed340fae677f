// The interpreter that each thread runs: registers, and one method for each group of instructions. Files are named
// after the groups.
#pragma once

#include "backends/cpu/executor/Buffers.h"
#include "backends/cpu/executor/Executor.h"
#include "backends/cpu/executor/Prepared.h"
#include "backends/cpu/executor/Value.h"
#include "backends/cpu/kernels/KernelTable.h"
#include "core/support/process/CrashReport.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tegula::cpu {

/// Tells all threads of a launch that it must end early. The launching thread calls LaunchOptions::isInterrupted from
/// time to time; once that returns true, isStopped() is true in all threads.
class Interruption {
public:
  explicit Interruption(bool (*isInterrupted)()) : isInterrupted_(isInterrupted) {}
  bool isStopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// Calls isInterrupted if the current thread is the launching one and kInterval has passed since the last call.
  void poll();

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{50};
  bool (*const isInterrupted_)();
  const std::thread::id launcher_ = std::this_thread::get_id();
  Clock::time_point next_ = {}; // set by the first poll, which most launches end before
  std::atomic<bool> stopped_ = false;
};

/// State that all threads of one launch share.
struct Launch {
  const Module &module;
  const std::vector<PreparedFunction> &functions;
  std::span<const ArgumentValue> arguments;
  const LaunchOptions &options;
  const Buffers *buffers = nullptr; // only in checked mode
  std::mutex &printing;
  Interruption &interruption;

  uint64_t programs() const { return uint64_t{options.grid[0]} * options.grid[1] * options.grid[2]; }
};

/// A register as an operand. `last`: this is its last use, so the instruction may take over the value's storage.
struct Operand {
  Value *value = nullptr;
  bool last = false;

  const Value &operator*() const { return *value; }
  const Value *operator->() const { return value; }
  Value take() const { return last ? std::move(*value) : *value; }
};

/// The steps that compute a row of an elementwise operation: the conversions `before` (one for each input; null: none),
/// then `kernel`, then the conversions `after` of its result (null: none). Conversions are needed for element types
/// that have no kernel, such as f16.
struct RowOperation {
  RowKernel kernel = nullptr;
  RowKernel before[3] = {};
  RowKernel after[2] = {};
  unsigned inputBytes[3] = {};   // in memory
  unsigned computeBytes[3] = {}; // bytes of an element after `before`; 0: no conversion
  unsigned outputBytes = 0;      // in memory

  void run(void *out, const void *const *in, unsigned inputs, size_t count, unsigned uniform) const;
};

/// The rectangle of memory that an Affine pointer tile addresses.
struct MemoryBlock {
  int64_t base = 0; // address of element 0, which may lie outside of the rectangle
  Extents step{};   // bytes
  Extents low{}, high{};
  bool empty = false;
};

class Machine {
public:
  explicit Machine(const Launch &launch);

  /// Runs program (x, y, z) of the grid. Throws KernelFault.
  void run(std::array<uint32_t, 3> program);
  /// The position in the kernel that is being executed, for crash reports.
  ExecutionPoint executionPoint() const;

private:
  /// The elements of a register that depend on a result which Triton leaves undefined.
  struct Undefined {
    Value where;           // i1, with the register's shape; Empty: no element
    uint32_t location = 0; // of the operation whose result is undefined
    const char *cause = "";
  };
  struct Frame {
    const PreparedFunction *prepared = nullptr;
    std::vector<Value> registers;
    std::vector<Undefined> undefined; // for each register; empty while there is none
    uint32_t pc = 0;
    bool returned = false;
    bool returnsUndefined = false; // Return passes undefined results to the caller; if false, they are a fault
  };
  struct Context; // the instruction that is being executed

  // Interpreter.cpp
  void setParameters();
  void execute(Frame &frame);
  void step(Frame &frame, const Instruction &instruction);
  /// Calls a region's function and returns its results. If `undefined` is not null and elements of a result may be
  /// undefined, `*undefined` gets one entry for each result; otherwise it stays empty.
  std::vector<Value> call(uint32_t function, std::vector<Value> arguments, std::vector<Undefined> *undefined = nullptr);
  /// Throws Interrupted if the caller has asked to end the launch.
  void pollInterruption();
  [[noreturn]] void fault(const std::string &message) const;
  /// Throws a fault with a note at a second location.
  [[noreturn]] void fault(const std::string &message, const std::string &note, uint32_t noteLocation) const;
  Value constant(const Context &c);
  Value shapeOperation(const Context &c);
  void control(Frame &frame, const Context &c);

  // Elementwise.cpp, Integer.cpp, Cast.cpp
  Value elementwise(const RowOperation &operation, ElementKind result, std::span<Operand> operands);
  Value binaryInteger(const Context &c);
  Value compareInteger(const Context &c);
  Value floatOperation(const Context &c);
  Value compareFloat(const Context &c);
  Value select(const Context &c);
  Value cast(const Context &c);
  Value convertFloat(Operand x, ElementKind to, RoundingMode mode);
  Value resizeInteger(Operand x, ElementKind to, bool isSigned);
  Value fromPointer(Operand x, ElementKind to);
  Value toPointer(Operand x);

  // Memory.cpp, Access.cpp
  Value addPointer(const Context &c);
  Value load(const Context &c);
  void store(const Context &c);
  Value loadBlock(const MemoryBlock &block, ElementKind element, const Shape &shape, const Value *other);
  void storeBlock(const MemoryBlock &block, const Value &value);
  bool streams(int64_t rowBytes, int64_t tileBytes) const;
  Value loadElements(const Value &pointer, const Value *mask, const Value *other, ElementKind element,
                     const Shape &shape);
  void storeElements(const Value &pointer, const Value *mask, const Value &value);
  bool checkBlock(MemoryBlock &block, const Shape &shape, unsigned size, Access access) const;
  std::byte *resolve(uint64_t pointer, unsigned size, Access access, const Shape &shape, int64_t element) const;

  // Atomic.cpp
  Value atomicRmw(const Context &c);
  Value atomicCas(const Context &c);
  Value atomicElements(const Value &pointer, const Value *mask, const Value &value, AtomicKind kind);

  // Descriptor.cpp
  Value makeDescriptor(const Context &c);
  Value descriptorPart(const Context &c);
  void descriptorAccess(const Context &c, Value *result);
  Value descriptorGather(const Context &c);
  void descriptorScatter(const Context &c);

  // Dot.cpp, Reduce.cpp, Scan.cpp, Tile.cpp
  Value dot(const Context &c);
  std::vector<Value> reduce(const Context &c);
  std::vector<Value> scan(const Context &c);
  Value reduceSimple(Opcode opcode, const Value &x, unsigned axis);
  /// Reduces `rest` along `axis` pairwise: each step combines slice i with slice i + ceil(n / 2), where n is the number
  /// of slices that the previous step left, until one is left. The rounding error of a sum then grows with the
  /// logarithm of the extent. The result keeps the axis, with extent 1.
  Value combinePairwise(const RowOperation &combine, Value rest, unsigned axis);
  std::vector<Value> reduceByHalving(uint32_t region, std::vector<Value> tiles, unsigned axis);
  std::vector<Value> reduceByElements(uint32_t region, std::span<const Value> tiles, unsigned axis);
  Value scanSimple(Opcode opcode, const Value &x, unsigned axis);
  std::vector<Value> scanBySteps(uint32_t region, std::vector<Value> tiles, unsigned axis);
  std::vector<Value> scanByElements(uint32_t region, std::span<const Value> tiles, unsigned axis);
  Value gather(const Context &c);
  Value histogram(const Context &c);
  Value sort(const Context &c);
  std::vector<Value> mapElements(Frame &frame, const Context &c);

  // Undefined.cpp: checked mode only
  void followUndefined(Frame &frame, const Context &c);
  bool endsUndefined(const Frame &frame, const Context &c);
  void useUndefined(const Frame &frame, const Context &c, unsigned operand, const Value *mask);
  std::optional<Undefined> undefinedHere(const Context &c);
  Value undefinedResult(const Frame &frame, const Context &c, unsigned result);
  Value undefinedElements(const Frame &frame, const Context &c);
  void addUndefined(Frame &frame, const Context &c, std::vector<Undefined> more);
  const Value *undefinedOf(const Frame &frame, const Value *value) const;
  Value onTruths(Opcode opcode, Value x, Value y);

  // Print.cpp
  void print(const Context &c);
  void assertion(const Context &c);

  bool checked() const { return launch_.buffers != nullptr; }

  const Launch &launch_;
  const Module &module_;
  const KernelTable &kernels_;
  std::array<uint32_t, 3> program_{};
  Frame kernel_;
  std::vector<std::vector<Value>> spareRegisters_; // registers of region functions, reused by later calls
  std::vector<std::byte> scratch_;
  uint32_t location_ = 0; // of the instruction that is being executed
  static constexpr uint32_t kInstructionsPerPoll = 64;
  uint32_t untilPoll_ = kInstructionsPerPoll;
};

struct Machine::Context {
  const Function &function;
  const Instruction &instruction;
  std::span<Operand> operands;
  std::span<const uint32_t> results;

  Operand operand(unsigned i) const { return operands[i]; }
  int64_t attribute(unsigned i) const { return function.integers[instruction.attributes + i]; }
  const TileType &resultType(unsigned i = 0) const { return function.type(results[i]); }
  Shape resultShape(unsigned i = 0) const { return Shape(resultType(i).shape); }
};

/// One half of a tile whose last axis has extent 2.
Value half(const Value &tile, int64_t which);
/// The index of an element as text, such as "[0, 5]", from its row-major number; empty for rank 0.
std::string indexText(const Shape &shape, int64_t element);
/// The shape of an elementwise result: that of the operand with the highest rank. (In region functions, the other
/// operands are scalars.)
const Shape &commonShape(std::span<const Operand> operands);

} // namespace tegula::cpu
