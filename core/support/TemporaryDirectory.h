// A temporary directory, for files that are exchanged with another tool.
#pragma once

#include <string>

namespace tegula {

/// A directory that only the user can read. The destructor removes it with its contents.
class TemporaryDirectory {
public:
  /// Creates a directory, whose name begins with `name`, in the system's folder for temporary files. Throws
  /// tegula::Error if that fails.
  explicit TemporaryDirectory(const std::string &name);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  std::string file(const char *name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace tegula
