// Parsing a command's arguments with CLI11, with suggestions for misspelt options.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tegula::cli {

/// The option `--module-path`, of commands that read kernels.
void addModulePath(CLI::App &app, std::vector<std::string> &folders);

/// Parses the arguments. Returns an exit status if the command is finished (help was printed), else nothing. Throws
/// tegula::Error for invalid use.
std::optional<int> parse(CLI::App &app, const std::vector<std::string> &arguments);

/// `FILE.py::KERNEL`; the kernel is optional.
struct KernelReference {
  std::string file, kernel;
};
KernelReference parseReference(const std::string &text);

/// `NAME=VALUE`. Throws tegula::Error where `=` or the name is missing.
std::pair<std::string, std::string> parseAssignment(const std::string &text);

} // namespace tegula::cli
