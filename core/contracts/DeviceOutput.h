// Prints and assertions of kernels on devices: the format of the buffer that the code writes, and its decoding to lines
// and failures on the host. Both the pass simt-expand-effects, which emits the code, and the drivers, which supply the
// buffer, follow this file. Words have 32 bits and are little-endian.
//
//   word  header                                    word  record, 32 bytes
//   0     lines written or lost: an atomic counter  0     number of the message in Artifact::messages
//   1     lines that fit into the buffer            1..3  the program's ids
//   2     failures so far: an atomic counter        4     the element's number in the tensor, row-major
//   3     failures that fit into the buffer         5     number of the thread in its program
//   4     lowest number of a limit's message that   6..7  the value's bits, zero-extended; 0 if there is none
//         was reached, or kNoLimit
//   5..7  zero
//
// A limit of the device (DeviceMessage::Kind::Limit) writes no record: kernels test it after loops, and on a device
// without branches an atomic minimum in word 4 costs a tenth of a record.
//
// Records of failures follow the header, then those of lines. A counter counts on after the buffer is full, so that the
// host knows how many records were lost; it stops beyond kCounterLimit, so that it cannot wrap.
//
// A thread's records are in the order in which it wrote them. One thread holds element 0 in all prints of a program and
// takes part in each print, so its records give the order of the prints. The n-th record of another element with the
// same message belongs to the n-th print of that message.
#pragma once

#include "core/contracts/Artifact.h"

#include <array>
#include <functional>
#include <optional>

namespace tegula {

inline constexpr uint32_t kOutputHeaderWords = 8, kOutputRecordWords = 8;
/// The header's words, by index.
inline constexpr uint32_t kLineCounter = 0, kLineRoom = 1, kFailureCounter = 2, kFailureRoom = 3, kLimit = 4;
inline constexpr uint32_t kNoLimit = ~uint32_t(0);
inline constexpr uint32_t kCounterLimit = uint32_t(1) << 31;

/// The number of records that a buffer of `bytes` bytes holds.
struct OutputRoom {
  uint32_t lines = 0, failures = 0;
  explicit OutputRoom(size_t bytes);
};

/// The header of an empty buffer of `bytes` bytes; the rest of the buffer need not be cleared.
std::array<uint32_t, kOutputHeaderWords> emptyOutput(size_t bytes);

struct DeviceOutput {
  std::string lines; // the text of all lines, each with a newline, sorted by program, print and element
  uint64_t lost = 0; // number of lines that did not fit
  /// The first limit of the device that a program reached, in the order of the kernel's text; if none was reached, the
  /// first assertion that failed in the program with the lowest number.
  std::optional<Diagnostic> failure;
};

/// Returns the text of a line of the kernel's file; empty if it is unknown.
using SourceLine = std::function<std::string(uint32_t)>;

/// Decodes the buffer, which may end after the last record that was written. Throws tegula::Error if a record does not
/// fit `messages`.
DeviceOutput decodeOutput(std::span<const uint32_t> buffer, std::span<const DeviceMessage> messages,
                          const SourceLine &sourceLine);

/// A line in the form that the CPU backend prints, without newline: `pid (0, 0, 0) idx ( 3) x: 1.500000`.
std::string printedLine(const DeviceMessage &message, const std::array<uint32_t, 3> &program, uint32_t element,
                        uint64_t bits);

} // namespace tegula
