#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/Suggest.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Version.h"

#include <cstdio>
#include <new>

namespace tegula::cli {
namespace {

void printHelp() {
  std::printf("tegula: kernels of the Triton language, compiled and run on the devices that are there\n\n"
              "Usage: tegula COMMAND [ARGUMENTS]    tegula COMMAND --help    tegula --version\n\nCommands:\n");
  for (const Command &command : commands())
    std::printf("  %-10s %s\n", command.name, command.summary);
  std::printf(
      "\nFirst steps:\n"
      "  tegula devices\n"
      "  tegula run add.py::add_kernel --grid='cdiv(n, BLOCK)' --check \\\n"
      "      x_ptr=rand:f32:1000 y_ptr=rand:f32:1000 z_ptr=empty:f32:1000 n=1000 BLOCK=256 --out z_ptr=z.npy\n"
      "  tegula compile add.py::add_kernel --target=cpu --signature='*fp32, *fp32, *fp32, i32' \\\n"
      "      --const BLOCK=256 --emit=tile\n\n"
      "Exit status: 0; 1 wrong result or failed kernel; 2 bad use or bad input. Messages go to standard error.\n\n"
      "Environment:\n");
  for (const EnvironmentVariable &variable : environmentTable())
    std::printf("  %-24s %s\n", variable.name, variable.meaning);
}

const Command *findCommand(const std::string &name) {
  for (const Command &command : commands())
    if (command.name == name)
      return &command;
  return nullptr;
}

int failUnknownCommand(const std::string &name) {
  std::vector<std::string> names;
  for (const Command &command : commands())
    names.emplace_back(command.name);
  std::vector<std::string> candidates = names;
  candidates.insert(candidates.end(), {"--help", "--version"});
  std::string near = suggestion(name, candidates);
  throw Error((name.starts_with('-') ? "unknown option '" : "unknown command '") + name + "'" +
              (near.empty() ? "; the commands are " + listed(names) : near));
}

int dispatch(const std::vector<std::string> &arguments) {
  std::string first = arguments.empty() ? "--help" : arguments[0];
  std::vector<std::string> rest(arguments.begin() + !arguments.empty(), arguments.end());
  if (first == "help" && !rest.empty()) {
    first = rest[0];
    rest = {"--help"};
  }
  if (first == "--help" || first == "-h" || first == "help") {
    printHelp();
    return arguments.empty() ? kBadUse : kSuccess;
  }
  if (first == "--version") {
    std::printf("%s\n", versionLine().c_str());
    return kSuccess;
  }
  const Command *command = findCommand(first);
  return command ? command->run(rest) : failUnknownCommand(first);
}

int statusOf(ApiError::Kind kind) {
  switch (kind) {
  case ApiError::Kind::BadUse:
  case ApiError::Kind::BadKernel:
  case ApiError::Kind::OutOfResources: return kBadUse;
  default: return kFailed;
  }
}

/// Runs a command; every failure becomes one message here.
int guarded(const std::vector<std::string> &arguments) {
  session::showLongCompiles(true);
  try {
    return dispatch(arguments);
  } catch (const ApiError &e) {
    std::fprintf(stderr, "%s%s\n", e.located() ? "" : "error: ", e.what());
    return statusOf(e.kind());
  } catch (const Error &e) {
    std::fputs(format(e.diagnostic()).c_str(), stderr);
    return kBadUse;
  } catch (const std::bad_alloc &) {
    std::fputs("error: out of memory\n", stderr);
    return kFailed;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "error: internal error: %s; please report it\n", e.what());
    return kFailed;
  }
}

} // namespace

const std::vector<Command> &commands() {
  static const std::vector<Command> all = {
      {"devices", "list the devices that kernels can run on", runDevices},
      {"targets", "list what kernels can be compiled for", runTargets},
      {"compile", "compile a kernel for a target, or print a level of its compilation", runCompile},
      {"run", "launch a kernel on arrays and write its results", runRun},
      {"build", "compile kernels for several targets into one file, for programs without a compiler", runBuild},
      {"inspect", "show what such a file holds", runInspect},
      {"layout", "show where each element of a tensor is: grids of threads and registers", runLayout},
      {"tune", "measure configurations of a kernel, and keep the fastest for later launches", runTune},
      {"bench", "time a kernel over sizes, types and devices; compare two such results", runBench},
      {"cache", "list, check or clear the compiled kernels that are kept on disk", runCache},
      {"doctor", "check this machine: drivers, compiler, caches and tables, and how to mend what is missing",
       runDoctor},
  };
  return all;
}

} // namespace tegula::cli

int main(int argc, char **argv) {
  int status = tegula::cli::guarded(std::vector<std::string>(argv + (argc > 0), argv + argc));
  // A full disk or a closed pipe is a failure.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fputs("error: cannot write to standard output\n", stderr);
    return status ? status : tegula::cli::kFailed;
  }
  return status;
}
