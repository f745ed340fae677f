// Reports a crash of a kernel that the host executes. If it accesses memory that the process does not have, the process
// ends by SIGSEGV or SIGBUS, and only a handler of these signals can tell which kernel ran.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tegula {

/// The code that a thread executes. A signal handler reads it, so its members are plain data that points to objects
/// which outlive the scope.
struct ExecutionPoint {
  const char *kernel = nullptr, *file = nullptr; // names; not null
  const uint32_t *program = nullptr;             // the program's three ids
  /// Returns the source line of the operation that `executor` executes; 0: unknown.
  uint32_t (*line)(const void *executor) = nullptr;
  const void *executor = nullptr;
};

/// States what the calling thread executes during the object's lifetime. Scopes nest. The process's first scope
/// installs handlers of SIGSEGV and SIGBUS; for a fault inside of a scope they write one line, and then they call the
/// handlers that were installed before. The handlers run on a separate stack, which a thread's first scope creates
/// unless the thread has one.
class CrashScope {
public:
  /// `point` null: the thread executes the caller's code, such as a callback, whose faults are not reported.
  explicit CrashScope(const ExecutionPoint *point);
  ~CrashScope();
  CrashScope(const CrashScope &) = delete;

private:
  const ExecutionPoint **point_ = nullptr; // the thread's current point
  const ExecutionPoint *outer_ = nullptr;
};

/// The kernels that were last launched on a device and may still run. Several threads may call its functions at once;
/// then a kernel may be missing in the list. `name`: a result of `kernelName`.
class RecentKernels {
public:
  /// `stream` identifies the stream among those of the device.
  void launched(const char *name, const void *stream);
  /// Called when all work launched in the stream has ended.
  void ended(const void *stream);
  /// Writes the names of the kernels, each once, the last launched first, separated by commas; empty if there are none.
  /// Allocates nothing, because a signal handler calls it. Returns the length without the final zero; names that do not
  /// fit are omitted.
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

/// The text `KERNEL (FILE:LINE)`, valid until the process ends.
const char *kernelName(const std::string &kernel, const std::string &file, uint32_t line);

/// The kernels of devices whose drivers execute them in threads of this process. The report names them for a fault that
/// is in no scope, but in code that belongs to no library because it was generated at run time. Never destroyed.
RecentKernels &hostExecutedKernels();

} // namespace tegula
