// What is said where a kernel that the host executes reads or writes memory that the process does not have. The process
// ends by SIGSEGV or SIGBUS, and only a handler of these signals knows which kernel it was.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tegula {

/// What a thread executes. A signal handler reads it: the members are plain, and point to what outlives the scope.
struct ExecutionPoint {
  const char *kernel = nullptr, *file = nullptr; // texts; not null
  const uint32_t *program = nullptr;             // the program's three numbers
  /// The line of the operation that `executor` is at; 0: not known.
  uint32_t (*line)(const void *executor) = nullptr;
  const void *executor = nullptr;
};

/// Names what the calling thread executes as long as it lives. Scopes nest. The first one of the process installs
/// handlers of SIGSEGV and SIGBUS, which write one line about a fault inside of a scope, and go on to the handlers that
/// were installed before. They run on a stack of their own, which the first scope of a thread makes unless the thread
/// has one.
class CrashScope {
public:
  /// Null: the caller's code, such as a callback, about whose faults nothing is said.
  explicit CrashScope(const ExecutionPoint *point);
  ~CrashScope();
  CrashScope(const CrashScope &) = delete;

private:
  const ExecutionPoint **point_ = nullptr; // of the thread
  const ExecutionPoint *outer_ = nullptr;
};

/// The last kernels that were launched on a device and are not known to have ended. Launches and waits of several
/// threads may call it at once: then a kernel may be missing. `name` as `kernelName` gives it.
class RecentKernels {
public:
  /// `stream` tells the streams of the device apart.
  void launched(const char *name, const void *stream);
  /// All that was launched in the stream has ended.
  void ended(const void *stream);
  /// Their names, each once, the last one first, joined by commas; empty where there are none. Allocates nothing: a
  /// signal handler calls it. Returns the length, without the zero at the end; what does not fit is left out.
  size_t list(char *text, size_t capacity) const;
  std::string list() const;

private:
  static constexpr size_t kCount = 8;
  struct Entry {
    std::atomic<const char *> name = nullptr;
    std::atomic<const void *> stream = nullptr;
  };
  std::array<Entry, kCount> entries_;
  std::atomic<size_t> next_ = 0;
};

/// `KERNEL (FILE:LINE)`, for the life of the process.
const char *kernelName(const std::string &kernel, const std::string &file, uint32_t line);

/// The kernels of devices whose drivers execute them in threads of this process. A fault outside of all scopes, in code
/// that is no library's, because it was made at run time, names these kernels. Never destroyed.
RecentKernels &hostExecutedKernels();

} // namespace tegula
