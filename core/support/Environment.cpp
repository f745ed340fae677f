#include "core/support/Environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <pwd.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tegula {
namespace {

constexpr std::array<EnvironmentVariable, 20> kTable = {{
    {Variable::Device, "TEGULA_DEVICE", "device that is opened where none is named, e.g. cpu", false},
    {Variable::CacheDir, "TEGULA_CACHE_DIR", "directory of the compiled-kernel cache", false},
    {Variable::Dump, "TEGULA_DUMP", "directory that receives every level of each kernel compiled", false},
    {Variable::Log, "TEGULA_LOG",
     "topics of lines on standard error: cache (compilations, the disk cache), compile (what takes long), tuning; "
     "1: all of them, 0: none",
     false},
    {Variable::TuningPath, "TEGULA_TUNING_PATH",
     "tuning tables that come first: files and folders, with colons between", false},
    {Variable::HipLibrary, "TEGULA_HIP_LIBRARY", "driver library to open in place of the system's", false},
    {Variable::VulkanLibrary, "TEGULA_VULKAN_LIBRARY", "driver library to open in place of the system's", false},
    {Variable::CudaLibrary, "TEGULA_CUDA_LIBRARY", "driver library to open in place of the system's", false},
    {Variable::Interpret, "TRITON_INTERPRET", "1: launches are checked; read at each launch", false},
    {Variable::PrintAutotuning, "TRITON_PRINT_AUTOTUNING", "1: prints the configuration chosen for a kernel", false},
    {Variable::TritonCacheDir, "TRITON_CACHE_DIR", "as TEGULA_CACHE_DIR, where that is unset", false},
    {Variable::AlwaysCompile, "TRITON_ALWAYS_COMPILE", "1: entries of the disk cache are replaced, not used", false},
    {Variable::KernelDump, "TRITON_KERNEL_DUMP", "1: as TEGULA_DUMP, into `dump` beside the cache", false},
    {Variable::F32Default, "TRITON_F32_DEFAULT", "precision of `dot` on f32 where the kernel names none", true},
    {Variable::PtxasPath, "TRITON_PTXAS_PATH", "assembler to use in place of the one found", true},
    {Variable::PrintBytes, "TEGULA_PRINT_BYTES", "bytes of the buffer that holds a launch's device_print lines", false},
    {Variable::Timeout, "TEGULA_TIMEOUT",
     "seconds within which some of a device's work must end while it is waited for, where the driver can tell", false},
    {Variable::ModulePath, "TEGULA_MODULE_PATH", "folders of modules that kernels import, with colons between", false},
    {Variable::CacheBytes, "TEGULA_CACHE_BYTES",
     "bytes that compiled kernels may take on disk, such as 500M or 4G; without it 2G", false},
    {Variable::NoCompiler, "TEGULA_NO_COMPILER",
     "1: kernels are neither compiled nor taken from the disk cache: only code in bundles runs", false},
}};

constexpr bool inOrder() {
  for (size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<size_t>(kTable[i].variable) != i)
      return false;
  return true;
}
static_assert(inOrder(), "environmentValue indexes the table by the enumerator");

/// True if a variable with this value is on; null: the variable is unset.
bool isOn(const char *value) {
  if (!value || !*value)
    return false;
  for (const char *off : {"0", "false", "off", "no"})
    if (strcasecmp(value, off) == 0)
      return false;
  return true;
}

} // namespace

std::span<const EnvironmentVariable> environmentTable() { return kTable; }

const char *environmentValue(Variable variable) {
  const char *value = std::getenv(kTable[static_cast<size_t>(variable)].name);
  return value && *value ? value : nullptr;
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    std::string_view part = list.substr(0, list.find(separator));
    if (!part.empty())
      parts.emplace_back(part);
    list.remove_prefix(std::min(list.size(), part.size() + 1));
  }
  return parts;
}

bool environmentFlag(Variable variable) { return isOn(environmentValue(variable)); }

bool FlagWatch::isSet() {
  // A change of the environment replaces one of these pointers, or the whole array. The array never shrinks in place,
  // so as many pointers as before can be read.
  bool isSame = environment_ == environ &&
                (!environ || std::memcmp(environ, entries_.data(), entries_.size() * sizeof(char *)) == 0);
  if (!isSame) {
    environment_ = environ;
    entries_.clear();
    for (char **entry = environ; entry; entry = *entry ? entry + 1 : nullptr)
      entries_.push_back(*entry);
    value_ = std::getenv(kTable[static_cast<size_t>(variable_)].name); // its characters may change in place
  }
  return isOn(value_);
}

std::string environmentKey() {
  std::string key;
  for (const EnvironmentVariable &row : kTable) {
    if (!row.entersCacheKey)
      continue;
    const char *value = environmentValue(row.variable);
    key += std::string(row.name) + "=" + (value ? value : "") + "\n";
  }
  return key;
}

std::optional<std::string> foreignVariable(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<std::string> userCacheDirectory() {
  // The XDG base directory specification: a relative path is invalid and must be ignored.
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && xdg[0] == '/')
    return std::string(xdg);
  if (const char *home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache";
  passwd entry{};
  passwd *found = nullptr;
  std::array<char, 4096> text{};
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) == 0 && found && found->pw_dir[0] == '/')
    return std::string(found->pw_dir) + "/.cache";
  return std::nullopt;
}

std::optional<std::string> findProgram(std::string_view name) {
  const char *path = std::getenv("PATH");
  for (std::string_view left = path ? path : ""; !left.empty();) {
    size_t end = left.find(':');
    std::string file = std::string(left.substr(0, end)) + "/" + std::string(name);
    // An empty or relative entry of PATH would run programs from the current directory.
    if (file[0] == '/' && end != 0 && isExecutable(file))
      return file;
    left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
  }
  return std::nullopt;
}

bool isExecutable(const std::string &file) {
  struct stat status{};
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(file.c_str(), X_OK) == 0;
}

} // namespace tegula
