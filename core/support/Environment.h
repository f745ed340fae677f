// The environment variables that Tegula reads: one table, and the only place that calls getenv.
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
  bool entersCacheKey; // the compiled kernel depends on it
};

/// All of them, in the order of `Variable`.
std::span<const EnvironmentVariable> environmentTable();

/// The value now; null where unset or empty. Allocates nothing. The pointer lives until the variable is changed.
const char *environmentValue(Variable variable);

/// True where set to anything but "", "0", "false", "off" and "no" (in any case). Allocates nothing.
bool environmentFlag(Variable variable);

/// environmentFlag of one variable, for a caller that asks often: it searches the environment only if that has changed
/// since the last question. Threads must not share an object.
class FlagWatch {
public:
  explicit FlagWatch(Variable variable) : variable_(variable) {}
  bool isSet();

private:
  Variable variable_;
  char **environment_ = nullptr; // `environ` when it was searched last
  std::vector<char *> entries_;  // its pointers then, up to the null that ends them
  const char *value_ = nullptr;  // found then; null: the variable was not set
};

/// The parts of a list such as PATH's, without empty ones.
std::vector<std::string> split(std::string_view list, char separator);

/// `NAME=value` lines of the variables that enter the cache key, unset ones with an empty value.
std::string environmentKey();
/// A variable that is not of the table: one that the host code of a kernel's file asks for.
std::optional<std::string> foreignVariable(const std::string &name);

/// The directory of the user's caches: $XDG_CACHE_HOME if it is an absolute path, else ~/.cache; none if there is no
/// home directory.
std::optional<std::string> userCacheDirectory();

/// Whether `file` is an executable file; follows links.
bool isExecutable(const std::string &file);
/// The first executable file called `name` in a directory of $PATH; none if there is none.
std::optional<std::string> findProgram(std::string_view name);

} // namespace tegula
