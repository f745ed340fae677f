// A kernel made flat: one list of instructions with jumps, so that a thread is a program counter and registers.
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

/// Where a value lies among a thread's registers, 64-bit lanes: `lanes` of them, then one that tells whether the value is
/// an accumulator in flight (the number of its product, else 0). What the lanes hold:
///   number, pointer, vector   an element each
///   !simt.shared              the byte in shared memory at which the view begins
///   !simt.barriers            the number of the first barrier object
///   !simt.fragment            the elements that this lane of the warp holds
///   !tile.desc                address, padding, extents, strides
struct Slot {
  uint32_t at = 0, lanes = 0; // no lanes: an operand that is not given
  ScalarType type = ScalarType::I64;
  explicit operator bool() const { return lanes != 0; }
};

/// What a thread does after an instruction.
enum class Step : uint8_t {
  Next,    // goes on with the next
  Jumped,  // has set its program counter
  Blocked, // waits, and tries this instruction again when woken
  Ended,
};

/// The threads [first, first + count) of a workgroup.
struct ThreadRange {
  uint32_t first = 0, count = 0;
};

using Handler = Step (*)(Workgroup &, Thread &, const Instruction &);
/// Runs once when all threads of the set are there; none goes on before it has run.
using CollectiveHandler = void (*)(Workgroup &, ThreadRange, const Instruction &);

struct Instruction {
  Handler handler = nullptr;
  CollectiveHandler collective = nullptr; // instead of a handler
  uint32_t collectiveWarps = 0;           // 0: all of the region
  uint32_t number = 0;
  uint32_t target = 0;       // of a jump
  bool checksFlight = false; // an operand may be an accumulator in flight, and this op may not take one
  mlir::Operation *op = nullptr;
  std::vector<Slot> operands, results;
  int64_t detail = 0, detail2 = 0; // each handler says what
  std::vector<uint64_t> data;      // constants; numbers of registers
  const SharedLayout *layout = nullptr, *layout2 = nullptr;
  const MatrixUnit *unit = nullptr;
  // Branches that claim to be uniform.
  int32_t branch = -1;
  uint32_t uniformWarps = 0; // 0: all of the region
};

/// A branch's or loop's number of warps that agree: as `Instruction::uniformWarps`, and -1 where not even one.
int64_t agreeingWarps(mlir::Operation *branch);

struct Program {
  std::vector<Instruction> code;
  uint32_t registers = 0; // lanes of a thread
  std::vector<Slot> arguments;
  uint32_t branches = 0;     // that claim to be uniform
  uint32_t sharedBytes = 0;  // of all buffers
  uint32_t barrierObjects = 0;
  uint32_t warps = 0, warpSize = 0;
  uint32_t granule = 4; // bytes that races are told apart by: the narrowest element of a buffer, at most 4
  uint32_t globalGranule = 4; // the same for global memory
  bool hasAsyncLoads = false, hasStores = false;
  std::map<const void *, std::unique_ptr<SharedLayout>> layouts;
  std::map<std::string, std::unique_ptr<MatrixUnit>> units;
  uint32_t threads() const { return warps * warpSize; }
};

} // namespace tegula::simt_test
