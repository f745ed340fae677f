// Located messages about the user's input, and the two kinds of failure: an `Error` can be fixed by the user, an
// `InternalError` is a defect of Tegula.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tegula {

/// A position in a source text. Lines and columns count from 1; line 0 means that the position is unknown.
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const SourceLocation &) const = default;
};

/// A resource of which a kernel needs more than its target or device has.
struct Shortage {
  std::string resource;             // "shared memory" in bytes, "threads" of a program, or "registers" of a thread
  uint64_t required = 0, limit = 0; // 0: unknown
  bool operator==(const Shortage &) const = default;
};

/// A message with its location, the source line that it points into, and notes for further locations. A text is lower
/// case and one sentence; it states expected and actual values, and what to do.
struct Diagnostic {
  enum class Severity : uint8_t { Error, Warning, Note };
  Severity severity = Severity::Error;
  SourceLocation location;
  std::string message;
  std::string sourceLine; // without line end; empty if unknown
  std::vector<Diagnostic> notes;
  std::optional<Shortage> shortage = {}; // set if the error is a lack of a resource
  bool isDeviceFailure = false;          // the device does no further work, possibly because of a kernel's fault
};

/// Formats as `file:line:column: error: message`, then the source line with a caret below it, then the notes. Ends in a
/// newline.
std::string format(const Diagnostic &diagnostic);

/// An error that the user can fix: a bad argument, a bad file, a kernel that does not compile. It has one diagnostic.
class Error : public std::runtime_error {
public:
  explicit Error(std::string message);
  Error(std::string message, Shortage shortage);
  explicit Error(Diagnostic diagnostic);
  const Diagnostic &diagnostic() const { return diagnostic_; }

private:
  Diagnostic diagnostic_;
};

/// A kernel failed while it ran: an access out of bounds in checked mode, or a failed device_assert.
class KernelFault : public Error {
public:
  using Error::Error;
};

/// The caller ended a launch.
class Interrupted : public Error {
public:
  using Error::Error;
};

/// A defect of Tegula itself: an invariant that does not hold.
class InternalError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

} // namespace tegula
