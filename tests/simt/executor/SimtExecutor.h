// The room of the simt executor. It runs a simt kernel by the dialect's manual (core/ir/Simt*.td), all threads of a
// workgroup, or of a cluster of them, in one process, one workgroup or cluster after another. It reports errors that a
// GPU would show only sometimes. No backend may enter here, because their lowerings are tested against it.
//
//   kernel --Flatten--> Program --Workgroup--> results and reports
//
// Threads are program counters and registers; a scheduler steps them in a random order. Asynchronous operations change
// memory as late as their waits allow, or at a random allowed moment. Vector clocks (Clock.h) stored for every few
// bytes (Shadow.h) tell whether the data that an access finds was certain to be there.
#pragma once

#include "Flatten.h"
#include "Memory.h"
#include "Options.h"

#include <memory>
#include <span>

namespace tegula::simt_test {

class SimtExecutor {
public:
  /// Throws Error where the function is no simt kernel or `rows` does not find one of its matrix instructions.
  explicit SimtExecutor(mlir::func::FuncOp kernel, MatrixRows rows = {});
  ~SimtExecutor();

  // Arguments, in the kernel's order. Memory belongs to the caller.
  /// A pointer to `byteOffset` in the bytes; reports name accesses outside of them by `name`.
  SimtExecutor &pointer(std::span<std::byte> bytes, std::string name, int64_t byteOffset = 0);
  template <class T> SimtExecutor &pointer(std::vector<T> &values, std::string name, int64_t byteOffset = 0) {
    return pointer(std::as_writable_bytes(std::span(values)), std::move(name), byteOffset);
  }
  /// Registers memory without an argument, for memory that several arguments or pointers in memory refer to. Returns
  /// the address of the first byte.
  uint64_t add(std::span<std::byte> bytes, std::string name) { return memory_.add(bytes, std::move(name)); }
  SimtExecutor &address(uint64_t address);
  SimtExecutor &integer(int64_t value);
  SimtExecutor &number(double value);
  /// A tensor of this shape at the beginning of the bytes. Strides in elements; row-major without any.
  SimtExecutor &descriptor(std::span<std::byte> bytes, std::string name, std::vector<int64_t> shape,
                           std::vector<int64_t> strides = {}, bool paddedWithNan = false);
  SimtExecutor &describedAddress(uint64_t address, std::vector<int64_t> shape, std::vector<int64_t> strides = {},
                                 bool paddedWithNan = false);
  template <class T>
  SimtExecutor &descriptor(std::vector<T> &values, std::string name, std::vector<int64_t> shape,
                           std::vector<int64_t> strides = {}, bool paddedWithNan = false) {
    return descriptor(std::as_writable_bytes(std::span(values)), std::move(name), std::move(shape), std::move(strides),
                      paddedWithNan);
  }

  /// Runs all programs of the grid. Throws Error where arguments are missing or do not fit the kernel.
  RunResult run(Grid grid, const RunOptions &options = {});

private:
  const Slot &nextArgument(const char *what) const;

  mlir::func::FuncOp kernel_;
  std::unique_ptr<Program> program_;
  GlobalMemory memory_;
  std::vector<std::vector<uint64_t>> arguments_;
};

} // namespace tegula::simt_test
