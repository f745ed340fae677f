// Parsing a command's arguments with CLI11, with suggestions for misspelt options.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tegula::cli {

/// Returns the exit status where the command is over: help was asked for and printed. Throws tegula::Error for bad use.
std::optional<int> parse(CLI::App &app, const std::vector<std::string> &arguments);

/// `FILE.py::KERNEL`; the kernel may be left out.
struct KernelReference {
  std::string file, kernel;
};
KernelReference parseReference(const std::string &text);

/// `NAME=VALUE`. Throws tegula::Error that says what is expected where there is no `=` or no name.
std::pair<std::string, std::string> parseAssignment(const std::string &text);

} // namespace tegula::cli
