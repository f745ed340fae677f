// A program that is run on files in memory: it leaves nothing on the disk, and it does not outlive its caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::cuda {

/// A file without a name in any folder. A child process that is given it reads and writes it by `path`.
class MemoryFile {
public:
  /// `name` is for those who list a process's files. Throws Error where the system has no memory for it.
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

/// Runs a program without a shell and waits for its end. Its input is empty, its output and its messages go to
/// `output`, and it has the files of `files`. If the calling process ends, it is killed. Returns an empty string for
/// exit status 0, else a description of the end.
std::string runProgram(const std::string &program, const std::vector<std::string> &arguments, const MemoryFile &output,
                       const std::vector<const MemoryFile *> &files);

} // namespace tegula::cuda
