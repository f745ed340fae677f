#include "tests/vulkan/SpirvTools.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::vulkan::test {
namespace {

/// A temporary file that holds the module.
class ModuleFile {
public:
  explicit ModuleFile(std::span<const uint32_t> words) {
    const char *folder = std::getenv("TMPDIR");
    path_ = std::string(folder ? folder : "/tmp") + "/tegula-spirv-XXXXXX";
    int file = mkstemp(path_.data());
    if (file < 0 || write(file, words.data(), words.size_bytes()) != static_cast<ssize_t>(words.size_bytes()))
      throw std::runtime_error("cannot write " + path_);
    close(file);
  }
  ~ModuleFile() { unlink(path_.c_str()); }
  ModuleFile(const ModuleFile &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

struct Output {
  int status = 0;
  std::string text;
};

Output runCommand(const std::string &command) {
  Output output;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    throw std::runtime_error("cannot run " + command);
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    output.text.append(buffer.data(), n);
  int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

std::string verdict(const Output &output) {
  if (output.status == 0)
    return {};
  return output.text.empty() ? "status " + std::to_string(output.status) : output.text;
}

} // namespace

std::string validate(std::span<const uint32_t> words) {
  ModuleFile file(words);
  return verdict(runCommand(std::string(TEGULA_SPIRV_VAL) + " --target-env vulkan1.2 " + file.path()));
}

std::optional<std::string> validateNewer(std::span<const uint32_t> words) {
  static const std::string script = std::string(TEGULA_SOURCE_DIR) + "/ci/coopmat-lavapipe";
  static const bool there = runCommand(script + " where").status == 0;
  if (!there)
    return std::nullopt;
  ModuleFile file(words);
  const char *environment = words[1] > 0x00010500 ? "vulkan1.3" : "vulkan1.2"; // Vulkan 1.2 allows SPIR-V up to 1.5
  return verdict(runCommand(script + " spirv-val --target-env " + environment + " " + file.path()));
}

std::string disassemble(std::span<const uint32_t> words) {
  ModuleFile file(words);
  Output output = runCommand(std::string(TEGULA_SPIRV_DIS) + " --raw-id --no-color " + file.path());
  if (output.status != 0)
    throw std::runtime_error("spirv-dis: " + output.text);
  return output.text;
}

} // namespace tegula::vulkan::test
