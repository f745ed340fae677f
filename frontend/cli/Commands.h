// The commands of `tegula`. Each parses its own arguments, prints results to standard output and messages to standard
// error, and returns the exit status: 0, 1 for a wrong result or a failed kernel, 2 for bad use or bad input. Bad use
// is also a tegula::Error or a tegula::ApiError, which main() turns into its one message.
//
// No LLVM here: the compiler is reached through the runtime library.
#pragma once

#include <string>
#include <vector>

namespace tegula::cli {

inline constexpr int kSuccess = 0, kFailed = 1, kBadUse = 2;

struct Command {
  const char *name;
  const char *summary;
  int (*run)(const std::vector<std::string> &arguments); // gets the arguments after the command's name
};

/// All commands, in the order of the help text.
const std::vector<Command> &commands();

int runDevices(const std::vector<std::string> &arguments);
int runCompile(const std::vector<std::string> &arguments);
int runRun(const std::vector<std::string> &arguments);
int runLayout(const std::vector<std::string> &arguments);
int runBuild(const std::vector<std::string> &arguments);
int runInspect(const std::vector<std::string> &arguments);
int runTune(const std::vector<std::string> &arguments);
int runBench(const std::vector<std::string> &arguments);
int runTargets(const std::vector<std::string> &arguments);
int runDoctor(const std::vector<std::string> &arguments);
int runCache(const std::vector<std::string> &arguments);

} // namespace tegula::cli
