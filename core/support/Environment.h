// The table of environment variables that Tegula reads, and the only code that calls getenv.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

enum class Variable : uint8_t {
  Device,
  CacheDir,
  Dump,
  Log,
  TuningPath,
  HipLibrary,
  VulkanLibrary,
  CudaLibrary,
  Interpret,
  PrintAutotuning,
  TritonCacheDir,
  AlwaysCompile,
  KernelDump,
  F32Default,
  PtxasPath,
  PrintBytes,
  Timeout,
  ModulePath,
  CacheBytes,
  NoCompiler,
};

/// One entry of the table.
struct EnvironmentVariable {
  Variable variable;
  const char *name;
  const char *meaning; // one sentence, for help texts
  bool entersCacheKey; // compiled kernels depend on it
};

/// All variables, in the order of `Variable`.
std::span<const EnvironmentVariable> environmentTable();

/// The variable's current value; null if it is unset or empty. Allocates nothing. The pointer is valid until the
/// variable is changed.
const char *environmentValue(Variable variable);

/// True if the variable is set to a value other than "", "0", "false", "off" and "no" (ignoring case). Allocates
/// nothing.
bool environmentFlag(Variable variable);

/// environmentFlag of one variable for frequent calls: it searches the environment only if that has changed since the
/// last call. Threads must not share an object.
class FlagWatch {
public:
  explicit FlagWatch(Variable variable) : variable_(variable) {}
  bool isSet();

private:
  Variable variable_;
  char **environment_ = nullptr; // value of `environ` at the last search
  std::vector<char *> entries_;  // the pointers in `environ` at that time, including the final null
  const char *value_ = nullptr;  // the value found at that time; null: the variable was not set
};

/// The non-empty parts of a list such as PATH.
std::vector<std::string> split(std::string_view list, char separator);

/// Lines `NAME=value` for the variables that enter the cache key; an unset variable has an empty value.
std::string environmentKey();
/// The value of a variable that is not in the table: the host code of a kernel's file reads it.
std::optional<std::string> foreignVariable(const std::string &name);

/// The directory of the user's caches: $XDG_CACHE_HOME if it is an absolute path, otherwise ~/.cache; nothing if the
/// user has no home directory.
std::optional<std::string> userCacheDirectory();

/// True if `file` is an executable file; follows symbolic links.
bool isExecutable(const std::string &file);
/// The first executable file called `name` in a directory of $PATH; nothing if there is none.
std::optional<std::string> findProgram(std::string_view name);

} // namespace tegula
