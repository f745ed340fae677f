// A flat kernel: one list of instructions with jumps, so that a thread is a program counter and registers.
#pragma once

#include "MatrixUnit.h"
#include "Numbers.h"
#include "SharedLayout.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tegula::simt_test {

class Workgroup;
struct Thread;
struct Instruction;

/// The place of a value among a thread's 64-bit registers: `lanes` of them, then one with the flight mark: the
/// product's number if the value is an accumulator in flight, else 0. Contents of the lanes:
///   number, pointer, vector   an element each
///   !simt.shared              the byte in shared memory at which the view begins; programs of a cluster have theirs
///                             one after another
///   !simt.barriers            the number of the first barrier object
///   !simt.fragment            the elements that this lane of the warp holds
///   !tile.desc                address, padding, extents, strides
struct Slot {
  uint32_t at = 0, lanes = 0; // no lanes: the operand is absent
  ScalarType type = ScalarType::I64;
  explicit operator bool() const { return lanes != 0; }
};

/// How a thread continues after an instruction.
enum class Step : uint8_t {
  Next,    // continues with the next instruction
  Jumped,  // the handler has set the program counter
  Blocked, // waits, and repeats this instruction when woken
  Ended,
};

/// The threads [first, first + count) of a workgroup, or of a cluster of them, whose programs' threads follow one
/// another.
struct ThreadRange {
  uint32_t first = 0, count = 0;
};

using Handler = Step (*)(Workgroup &, Thread &, const Instruction &);
/// Runs once when all threads of the set have arrived; none continues before.
using CollectiveHandler = void (*)(Workgroup &, ThreadRange, const Instruction &);

struct Instruction {
  Handler handler = nullptr;
  CollectiveHandler collective = nullptr; // instead of a handler
  uint32_t collectiveWarps = 0;           // warps of a set; 0: all warps of the region
  bool isOfCluster = false;               // the set is all threads of the cluster
  uint32_t number = 0;
  uint32_t target = 0;       // jump target
  bool checksFlight = false; // reports an operand that is an accumulator in flight
  mlir::Operation *op = nullptr;
  std::vector<Slot> operands, results;
  int64_t detail = 0, detail2 = 0; // meaning defined by the handler
  std::vector<uint64_t> data;      // constants; register numbers
  const SharedLayout *layout = nullptr, *layout2 = nullptr;
  const MatrixUnit *unit = nullptr;
  // For branches marked uniform.
  int32_t branch = -1;
  uint32_t uniformWarps = 0; // 0: all warps of the region
};

/// The number of warps that must agree on a branch or loop: like `Instruction::uniformWarps`; -1 where threads may
/// differ.
int64_t agreeingWarps(mlir::Operation *branch);

struct Program {
  std::vector<Instruction> code;
  uint32_t registers = 0; // 64-bit lanes of one thread
  std::vector<Slot> arguments;
  uint32_t branches = 0;    // number of branches marked uniform
  uint32_t sharedBytes = 0; // bytes of all buffers
  uint32_t barrierObjects = 0;
  uint32_t warps = 0, warpSize = 0;
  uint32_t cluster = 1; // programs that run together
  bool isResident = false;
  uint32_t granule = 4;       // bytes of a granule of race detection: the narrowest element of a buffer, at most 4
  uint32_t globalGranule = 4; // the same for global memory
  bool hasAsyncLoads = false, hasStores = false;
  std::map<const void *, std::unique_ptr<SharedLayout>> layouts;
  std::map<std::string, std::unique_ptr<MatrixUnit>> units;
  // Of one program of a cluster:
  uint32_t threads() const { return warps * warpSize; }
  uint32_t matrixSets() const { return (warps + 3) / 4; }
  /// Bytes of shared memory from one program's first byte to the next one's.
  uint64_t sharedStride() const { return (uint64_t(sharedBytes) + 1023) / 1024 * 1024; }
};

} // namespace tegula::simt_test
