#include "core/support/TemporaryDirectory.h"
#include "core/support/Diagnostic.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tegula {

TemporaryDirectory::TemporaryDirectory(const std::string &name) {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  path_ = ((error ? std::filesystem::path("/tmp") : base) / (name + "-XXXXXX")).string();
  if (!mkdtemp(path_.data()))
    throw Error("cannot make a temporary directory " + path_ + ": " + std::strerror(errno));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace tegula
