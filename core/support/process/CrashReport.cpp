#include "core/support/process/CrashReport.h"
#include "core/support/process/Fork.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <set>
#include <unistd.h>
#include <utility>

namespace tegula {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS};

/// A separate stack for the thread's signal handlers, because the fault may be an overflow of the thread's own stack.
class SignalStack {
public:
  SignalStack() {
    stack_t before = {};
    if (sigaltstack(nullptr, &before) != 0 || !(before.ss_flags & SS_DISABLE))
      return;
    memory_ = std::make_unique<std::byte[]>(kBytes);
    stack_t ours = {};
    ours.ss_sp = memory_.get();
    ours.ss_size = kBytes;
    sigaltstack(&ours, nullptr);
  }
  ~SignalStack() {
    if (!memory_)
      return;
    stack_t now = {}, none = {};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_.get())
      sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack &) = delete;

private:
  static constexpr size_t kBytes = size_t(64) << 10;
  std::unique_ptr<std::byte[]> memory_;
};

/// The state of a thread: the code that it executes, and its signal stack.
struct ThreadState {
  const ExecutionPoint *point = nullptr;
  SignalStack stack;
};

// The key of a thread's ThreadState. It is no thread_local variable, because the first use of such a variable in a
// thread may allocate memory, which a signal handler must not do.
pthread_key_t states_;
bool hasKey_ = false; // set before the handlers are installed

/// The calling thread's state; null if it has had no scope.
ThreadState *threadState() { return hasKey_ ? static_cast<ThreadState *>(pthread_getspecific(states_)) : nullptr; }

std::atomic<RecentKernels *> hostExecuted_ = nullptr;

/// A line that a signal handler writes without printf or malloc.
class Line {
public:
  void add(const char *text) {
    for (; *text && length_ + 1 < sizeof text_; ++text)
      text_[length_++] = *text;
  }
  void add(uint64_t number, unsigned base = 10) {
    char digits[21] = {};
    char *at = digits + 20;
    do
      *--at = "0123456789abcdef"[number % base];
    while (number /= base);
    add(at);
  }
  void write() {
    text_[length_++] = '\n';
    for (size_t done = 0; done < length_;) {
      ssize_t now = ::write(STDERR_FILENO, text_ + done, length_ - done);
      if (now <= 0)
        return;
      done += static_cast<size_t>(now);
    }
  }

private:
  char text_[1024];
  size_t length_ = 0;
};

/// Adds the address of a fault. For an address that no memory can have, the hardware reports none.
void addAddress(Line &line, const siginfo_t &info) {
  if (info.si_code == SI_KERNEL)
    return line.add("at an address that no memory has");
  line.add("at address 0x");
  line.add(reinterpret_cast<uintptr_t>(info.si_addr), 16);
}

void report(const ExecutionPoint &point, const siginfo_t &info) {
  Line line;
  line.add("tegula: kernel ");
  line.add(point.kernel);
  line.add(" (");
  line.add(point.file);
  if (uint32_t number = point.line(point.executor)) {
    line.add(":");
    line.add(number);
  }
  line.add(") crashed ");
  addAddress(line, info);
  line.add(", program (");
  for (unsigned axis = 0; axis < 3; ++axis) {
    line.add(axis ? ", " : "");
    line.add(point.program[axis]);
  }
  line.add("), which is outside of its arrays; run it with --check (TRITON_INTERPRET=1) to find the access");
  line.write();
}

/// The address of the instruction that caused the fault; null on an unknown processor.
const void *codeAddress([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

bool reportHostExecuted(const siginfo_t &info, const void *context) {
  char names[512];
  const RecentKernels *kernels = hostExecuted_.load();
  const void *code = codeAddress(context);
  Dl_info library;
  if (!kernels || !code || dladdr(code, &library) != 0 || kernels->list(names, sizeof names) == 0)
    return false;
  Line line;
  line.add("tegula: a kernel crashed ");
  addAddress(line, info);
  line.add(", which is outside of its arrays; under way: ");
  line.add(names);
  line.add("; run it on the CPU with --check (TRITON_INTERPRET=1) to find the access");
  line.write();
  return true;
}

/// Reports one crash of the process. Threads that crash at the same time wait for the report; then they end the
/// process.
void reportOnce(const ExecutionPoint *point, const siginfo_t &info, const void *context) {
  enum State : int { None, Reporting, Reported };
  static std::atomic<int> state = None;
  for (int none = None; !state.compare_exchange_strong(none, Reporting); none = None) {
    if (none == Reported)
      return;
    usleep(100);
  }
  if (point)
    report(*point, info);
  state = point || reportHostExecuted(info, context) ? Reported : None;
}

class Handlers {
public:
  /// Installs the handlers. Each launch on the CPU calls this; if they are installed, it only reads one variable.
  static void install() {
    if (isInstalled_.load(std::memory_order_acquire)) [[likely]]
      return;
    static std::once_flag once;
    std::call_once(once, [] {
      hasKey_ = pthread_key_create(&states_, [](void *state) { delete static_cast<ThreadState *>(state); }) == 0;
      struct sigaction action = {};
      action.sa_sigaction = handle;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      for (int signal : kSignals) // blocked in the handler, so that a fault there ends the process
        sigaddset(&action.sa_mask, signal);
      for (size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &action, &before_[i]);
      static const Handlers restoring; // restores the previous handlers when the library is unloaded
      isInstalled_.store(true, std::memory_order_release);
    });
  }

private:
  ~Handlers() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction now = {};
      if (sigaction(kSignals[i], nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
        sigaction(kSignals[i], &before_[i], nullptr);
    }
  }

  static void handle(int signal, siginfo_t *info, void *context) {
    const bool isFault = info->si_code > 0; // false: a process sent the signal
    ThreadState *state = threadState();
    const ExecutionPoint *point = state ? std::exchange(state->point, nullptr) : nullptr;
    if (isFault)
      reportOnce(point, *info, context);
    callPreviousHandler(signal, info, context);
    if (state)
      state->point = point; // the previous handler may have resolved the fault
  }

  static void callPreviousHandler(int signal, siginfo_t *info, void *context) {
    const struct sigaction &before =
        before_[static_cast<size_t>(std::ranges::find(kSignals, signal) - kSignals.begin())];
    if (before.sa_flags & SA_SIGINFO)
      return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
      return before.sa_handler(signal);
    if (before.sa_handler == SIG_IGN && info->si_code <= 0)
      return;
    // There is no previous handler. The default action ends the process when this handler returns and the fault occurs
    // again.
    struct sigaction none = {};
    none.sa_handler = SIG_DFL;
    sigaction(signal, &none, nullptr);
    if (info->si_code <= 0)
      raise(signal);
  }

  static std::array<struct sigaction, kSignals.size()> before_;
  static std::atomic<bool> isInstalled_;
};

std::array<struct sigaction, kSignals.size()> Handlers::before_;
std::atomic<bool> Handlers::isInstalled_ = false;

} // namespace

CrashScope::CrashScope(const ExecutionPoint *point) {
  Handlers::install();
  ThreadState *state = threadState();
  if (!state) [[unlikely]] {
    state = new ThreadState;
    if (!hasKey_ || pthread_setspecific(states_, state) != 0) {
      delete state;
      return;
    }
  }
  point_ = &state->point;
  outer_ = std::exchange(state->point, point);
}

CrashScope::~CrashScope() {
  if (point_)
    *point_ = outer_;
}

void RecentKernels::launched(const char *name, const void *stream) {
  Entry &entry = entries_[next_.fetch_add(1, std::memory_order_relaxed) % kCount];
  entry.stream.store(stream, std::memory_order_relaxed);
  entry.name.store(name, std::memory_order_relaxed);
}

void RecentKernels::ended(const void *stream) {
  for (Entry &entry : entries_)
    if (entry.name.load(std::memory_order_relaxed) && entry.stream.load(std::memory_order_relaxed) == stream)
      entry.name.store(nullptr, std::memory_order_relaxed);
}

size_t RecentKernels::list(char *text, size_t capacity) const {
  std::array<const char *, kCount> listed = {};
  size_t count = 0, length = 0, last = next_.load(std::memory_order_relaxed);
  text[0] = 0;
  for (size_t back = 1; back <= kCount; ++back) {
    const char *name = entries_[(last - back) % kCount].name.load(std::memory_order_relaxed);
    if (!name || std::find(listed.begin(), listed.begin() + count, name) != listed.begin() + count)
      continue;
    size_t bytes = std::strlen(name), separator = count ? 2 : 0;
    if (length + separator + bytes >= capacity)
      break;
    std::memcpy(text + length, ", ", separator);
    std::memcpy(text + length + separator, name, bytes + 1);
    length += separator + bytes;
    listed[count++] = name;
  }
  return length;
}

std::string RecentKernels::list() const {
  char text[1024];
  return std::string(text, list(text, sizeof text));
}

const char *kernelName(const std::string &kernel, const std::string &file, uint32_t line) {
  static ForkSafeMutex mutex;
  static auto *names = new std::set<std::string>; // never destroyed, because signal handlers read them
  std::string name = kernel + " (" + file + (line ? ":" + std::to_string(line) : "") + ")";
  std::lock_guard lock(mutex);
  return names->insert(std::move(name)).first->c_str();
}

RecentKernels &hostExecutedKernels() {
  static auto *kernels = [] {
    auto *made = new RecentKernels;
    hostExecuted_ = made;
    Handlers::install();
    return made;
  }();
  return *kernels;
}

} // namespace tegula
