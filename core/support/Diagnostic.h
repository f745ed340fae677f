// Located messages about the user's input, and the two kinds of failure: `Error` is the user's to fix, `InternalError`
// ours.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tegula {

/// A position in a source text. Lines and columns count from 1; line 0 means "nowhere in particular".
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const SourceLocation &) const = default;
};

/// A resource of which a kernel needs more than its target or device has.
struct Shortage {
  std::string resource;             // "shared memory": bytes; "threads": of a program; "registers": of a thread
  uint64_t required = 0, limit = 0; // 0 where unknown
  bool operator==(const Shortage &) const = default;
};

/// One message with its place, the source line it points into, and notes for further places.
/// Texts are lower case, one sentence, with expected and actual values, and say what to do.
struct Diagnostic {
  enum class Severity : uint8_t { Error, Warning, Note };
  Severity severity = Severity::Error;
  SourceLocation location;
  std::string message;
  std::string sourceLine; // without line end; empty where unknown
  std::vector<Diagnostic> notes;
  std::optional<Shortage> shortage = {}; // where that is the error
  bool isDeviceFailure = false;          // the device does no further work, perhaps because a kernel did wrong
};

/// `file:line:column: error: message`, then the source line with a caret below, then the notes. Ends in a newline.
std::string format(const Diagnostic &diagnostic);

/// An error that the user can fix: a bad argument, a bad file, a kernel that does not compile. Carries one diagnostic.
class Error : public std::runtime_error {
public:
  explicit Error(std::string message);
  Error(std::string message, Shortage shortage);
  explicit Error(Diagnostic diagnostic);
  const Diagnostic &diagnostic() const { return diagnostic_; }

private:
  Diagnostic diagnostic_;
};

/// A kernel that failed while it ran: an access out of bounds in checked mode, a failed device_assert.
class KernelFault : public Error {
public:
  using Error::Error;
};

/// A launch that its caller ended.
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
