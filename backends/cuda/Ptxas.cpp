#include "backends/cuda/Ptxas.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/Files.h"
#include "core/support/TemporaryDirectory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>

extern char **environ;

namespace tegula::cuda {
namespace {

constexpr const char *kToolkitPtxas = "/usr/local/cuda/bin/ptxas";
constexpr size_t kMaxNotes = 8; // a message shows at most this many further failures

/// Standard input is empty; standard output and standard error go to the file.
class Redirection {
public:
  explicit Redirection(const std::string &file) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  ~Redirection() { posix_spawn_file_actions_destroy(&actions_); }
  Redirection(const Redirection &) = delete;
  const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_;
};

/// Runs a program without a shell. Returns an empty string for exit status 0, else a description of the end.
std::string run(const std::string &program, const std::vector<std::string> &arguments, const std::string &outputFile) {
  std::vector<char *> argv = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  Redirection redirection(outputFile);
  pid_t pid = 0;
  if (int error = posix_spawn(&pid, program.c_str(), redirection.get(), nullptr, argv.data(), environ))
    throw Error("cannot run " + program + ": " + std::strerror(error));
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  if (ended < 0)
    return {}; // waitpid fails if this process ignores SIGCHLD; then the output file alone tells whether the program
               // succeeded
  if (WIFSIGNALED(status))
    return "it was ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

std::string lineOf(std::string_view text, uint32_t number) {
  for (uint32_t line = 1; line < number; ++line) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return {};
    text = text.substr(end + 1);
  }
  return std::string(text.substr(0, text.find('\n')));
}

Diagnostic diagnose(const AssembleRequest &request, const PtxasReport::Failure &failure) {
  Diagnostic diagnostic;
  diagnostic.message = failure.text;
  diagnostic.location.file = request.name;
  if (failure.line) {
    diagnostic.location.line = failure.line;
    diagnostic.location.column = 1;
    diagnostic.sourceLine = lineOf(request.text, failure.line);
    size_t indent = diagnostic.sourceLine.find_first_not_of(" \t");
    if (indent != std::string::npos)
      diagnostic.location.column += static_cast<uint32_t>(indent);
  }
  return diagnostic;
}

[[noreturn]] void fail(const AssembleRequest &request, const PtxasReport &report, const std::string &how,
                       const std::string &output) {
  if (report.failures.empty())
    throw Error("ptxas cannot assemble " + request.name + " for " + request.target + ": " +
                (how.empty() ? "it wrote no code" : how) + (output.empty() ? "" : "\n" + output));
  Diagnostic first = diagnose(request, report.failures[0]);
  first.message = "ptxas refuses this for " + request.target + ": " + first.message;
  for (size_t i = 1; i < report.failures.size() && i <= kMaxNotes; ++i) {
    first.notes.push_back(diagnose(request, report.failures[i]));
    first.notes.back().severity = Diagnostic::Severity::Note;
  }
  throw Error(std::move(first));
}

} // namespace

std::optional<std::string> findPtxas() {
  if (const char *chosen = environmentValue(Variable::PtxasPath)) {
    if (!isExecutable(chosen))
      throw Error("TRITON_PTXAS_PATH names '" + std::string(chosen) + "', which is no program that can be run");
    return chosen;
  }
  if (std::optional<std::string> found = findProgram("ptxas"))
    return found;
  if (isExecutable(kToolkitPtxas))
    return kToolkitPtxas;
  return std::nullopt;
}

Assembled assemble(const std::string &ptxas, const AssembleRequest &request) {
  TemporaryDirectory directory("tegula-ptxas");
  const std::string input = directory.file("kernel.ptx"), output = directory.file("kernel.cubin"),
                    log = directory.file("log");
  writeFile(input, request.text);
  std::vector<std::string> arguments = {"-O3", "-v", "-arch=" + request.target};
  if (request.registerCap)
    arguments.push_back("-maxrregcount=" + std::to_string(request.registerCap));
  arguments.insert(arguments.end(), {"-o", output, input});
  std::string how = run(ptxas, arguments, log);
  std::string text = std::filesystem::exists(log) ? readTextFile(log) : std::string();
  Assembled result;
  result.report = parsePtxasReport(text);
  if (!how.empty() || !std::filesystem::exists(output))
    fail(request, result.report, how, text);
  result.binary = readFile(output);
  return result;
}

std::optional<PtxasReport> setCode(Artifact &artifact, const std::string &text,
                                   const std::optional<std::string> &ptxas) {
  if (!ptxas) {
    artifact.binary.assign(text.begin(), text.end());
    return std::nullopt;
  }
  Assembled assembled = assemble(*ptxas, {text, artifact.entry + ".ptx", artifact.target, artifact.registerCap});
  artifact.binary = std::move(assembled.binary);
  return std::move(assembled.report);
}

} // namespace tegula::cuda
