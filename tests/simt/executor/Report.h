// The errors that the executor finds in a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tegula::simt_test {

enum class ReportKind : uint8_t {
  Race,          // two threads access the same bytes, one writes, and nothing orders them
  MissingWait,   // bytes, a buffer or an accumulator are accessed while an asynchronous operation still uses them
  MissingFence,  // an asynchronous unit accesses bytes that ordinary code wrote, or writes bytes that it read, without
                 // `simt.fence async` between both
  Uninitialized, // shared memory is read before it is written
  Divergent,     // threads that must execute an op together are at different ops
  Deadlock,      // all threads wait
  OutOfBounds,   // an access outside its buffer, stage or barrier array
  Misaligned,    // an access at a place that is no multiple of its size
  WrongUniform,  // threads leave a branch marked uniform in different ways
  BarrierMisuse, // barrier objects: use before initialisation is visible, more arrivals than announced, bytes that
                 // never match
  Assertion,     // simt.assert
  Undefined,     // division by zero, a shift beyond the width, an operand that must be equal in all threads and is not
};

/// `race`, `missing-wait`, ...
const char *name(ReportKind kind);

struct Report {
  ReportKind kind{};
  std::string message;       // one sentence
  std::string operation;     // `simt.shared_load`
  std::string location;      // `file:line:column`
  std::string otherLocation; // of the second site; empty without one
  uint32_t line = 0, otherLine = 0;
  uint32_t thread = 0; // number in the workgroup
  std::array<uint32_t, 3> program{};
  uint32_t times = 1; // how often the same two ops conflicted in the same way

  /// `file:line:column: race: message [thread 3, program 0 0 0] (12 times)`, and a line for the second site.
  std::string text() const;
};

} // namespace tegula::simt_test
