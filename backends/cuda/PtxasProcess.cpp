#include "backends/cuda/PtxasProcess.h"
#include "core/support/Diagnostic.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::cuda {
namespace {

[[noreturn]] void failSystem(const std::string &what) { throw Error("cannot " + what + ": " + std::strerror(errno)); }

/// Returns `descriptor` if it is above 2; otherwise closes it and returns a duplicate whose number is above 2. (If the
/// calling process has closed its standard streams, new files get the numbers 0, 1 and 2, and the child would replace
/// these files by its own standard streams.)
int aboveStandard(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO)
    return descriptor;
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  close(descriptor);
  errno = error;
  return copy;
}

/// Blocks all signals in this thread during the object's lifetime: a signal handler must not run in a vfork child,
/// which shares this process's memory.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t &before() const { return before_; }

private:
  sigset_t before_;
};

/// Executed by the child between vfork and exec. It makes system calls only, because it shares memory with the parent,
/// whose calling thread is suspended meanwhile. Returns only on failure.
void becomeProgram(const char *program, char *const *argv, int output, const std::vector<const MemoryFile *> &files,
                   pid_t parent, const sigset_t &signals) {
  for (int number = 1; number < NSIG; ++number) // changes the child only: signal handlers are not shared
    if (struct sigaction action; sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      action = {};
      sigaction(number, &action, nullptr);
    }
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  // Asks the system to kill the child when the parent's thread ends. If the parent has ended before this call, no
  // signal would come: getppid() then differs from `parent`, and the child ends itself.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
    return;
  int empty = open("/dev/null", O_RDONLY);
  if (empty < 0 || dup2(empty, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
    return;
  for (const MemoryFile *file : files)
    fcntl(file->descriptor(), F_SETFD, 0); // stays open
  execv(program, argv);
}

} // namespace

MemoryFile::MemoryFile(const char *name, std::string_view content)
    : descriptor_(aboveStandard(memfd_create(name, MFD_CLOEXEC))) {
  if (descriptor_ < 0)
    failSystem("make a file in memory");
  while (!content.empty()) {
    ssize_t written = write(descriptor_, content.data(), content.size());
    if (written < 0 && errno != EINTR) {
      close(descriptor_);
      failSystem("write a file in memory");
    }
    content.remove_prefix(written > 0 ? static_cast<size_t>(written) : 0);
  }
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::vector<uint8_t> MemoryFile::content() const {
  off_t size = lseek(descriptor_, 0, SEEK_END);
  std::vector<uint8_t> bytes(size > 0 ? static_cast<size_t>(size) : 0);
  for (size_t at = 0; at < bytes.size();) {
    ssize_t got = pread(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got <= 0 && errno != EINTR)
      failSystem("read a file in memory");
    at += got > 0 ? static_cast<size_t>(got) : 0;
  }
  return bytes;
}

std::string runProgram(const std::string &program, const std::vector<std::string> &arguments, const MemoryFile &output,
                       const std::vector<const MemoryFile *> &files) {
  std::vector<char *> argv = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  // A failed exec writes its error number to this pipe; a successful exec closes it.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    failSystem("make a pipe");
  for (int &end : report)
    if ((end = aboveStandard(end)) < 0)
      failSystem("make a pipe");
  // vfork, not fork. fork copies the page tables of this process, which takes tens of milliseconds if it has gigabytes
  // of memory; and it first runs the process's fork handlers, which wait for threads that compile
  // (core/support/process/Fork.h), one of which may be waiting for this assembly. The code that the child executes
  // needs neither.
  pid_t parent = getpid(), child = -1;
  {
    SignalsBlocked signals;
    child = vfork();
    if (child == 0) {
      becomeProgram(program.c_str(), argv.data(), output.descriptor(), files, parent, signals.before());
      int error = errno;
      [[maybe_unused]] ssize_t sent = write(report[1], &error, sizeof error);
      _exit(127);
    }
  }
  int forkError = errno, execError = 0;
  close(report[1]);
  ssize_t got = child < 0 ? 0 : read(report[0], &execError, sizeof execError);
  close(report[0]);
  int status = 0;
  pid_t ended = -1;
  while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (child < 0 || got == sizeof execError)
    throw Error("cannot run " + program + ": " + std::strerror(child < 0 ? forkError : execError));
  if (ended < 0)
    // waitpid fails if this process ignores SIGCHLD, and the exit status is lost. Success is assumed: the caller finds
    // out from the program's output.
    return {};
  if (WIFSIGNALED(status))
    return "it was ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

} // namespace tegula::cuda
