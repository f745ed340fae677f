// A temporary directory, for files that are exchanged with another tool.
#pragma once

#include <string>

namespace tegula {

/// A directory that only the user can read, removed with its content at the end.
class TemporaryDirectory {
public:
  /// In the system's folder for temporary files; `name` begins its name. Throws tegula::Error where none can be made.
  explicit TemporaryDirectory(const std::string &name);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  std::string file(const char *name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace tegula
