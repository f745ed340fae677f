// A vendor's library, opened at run time.
#pragma once

#include "backends/gpu/Api.h"

#include <string>

namespace tegula::gpu {

/// Looks up entry points by name. Throws tegula::Error that names the library and the missing function.
class Library {
public:
  /// Opens the library at `path`. It is never closed: see Platform. `variable`: the environment variable by which a
  /// user can choose another library, for the error message.
  Library(const std::string &path, const char *variable);

  template <class Signature> void require(EntryPoint<Signature> &entry, const char *name) const {
    find(entry, name);
    if (!entry)
      failMissing(name);
  }
  /// Looks up an optional entry point; leaves it empty if the library does not have the function, as older versions may
  /// not.
  template <class Signature> void find(EntryPoint<Signature> &entry, const char *name) const {
    entry.function = reinterpret_cast<typename EntryPoint<Signature>::Pointer>(symbol(name));
    entry.name = name;
  }

private:
  void *symbol(const char *name) const;
  [[noreturn]] void failMissing(const char *name) const;
  std::string path_, variable_;
  void *handle_ = nullptr;
};

} // namespace tegula::gpu
