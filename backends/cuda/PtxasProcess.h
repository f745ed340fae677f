// Runs a program whose files lie in memory: it leaves nothing on the disk and does not outlive its caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::cuda {

/// A file in memory (memfd) that has no name in any folder. A child process that inherits it reads and writes it as
/// `path`.
class MemoryFile {
public:
  /// Makes a file with this content. `name` appears only in listings of the process's open files. Throws Error if the
  /// system has no memory for the file.
  explicit MemoryFile(const char *name, std::string_view content = {});
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  int descriptor() const { return descriptor_; }
  std::string path() const { return "/dev/fd/" + std::to_string(descriptor_); }
  std::vector<uint8_t> content() const;

private:
  int descriptor_;
};

/// Runs a program without a shell and waits for its end. Its standard input is empty; standard output and standard
/// error go to `output`; it inherits `files`. If the calling process ends, the program is killed. Returns an empty
/// string for exit status 0, else a description of how the program ended.
std::string runProgram(const std::string &program, const std::vector<std::string> &arguments, const MemoryFile &output,
                       const std::vector<const MemoryFile *> &files);

} // namespace tegula::cuda
