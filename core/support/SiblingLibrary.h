// Opens shared libraries that lie beside the one that contains this code, when they are needed. Both come from one
// build, so their interface may use C++ types.
#pragma once

#include <string>

namespace tegula {

struct SiblingLibrary {
  const char *name;  // "libtegula-compiler"
  const char *noun;  // "compiler library", for messages
  const char *need;  // the consequence of its absence, for messages: "cannot compile kernels"
  const char *entry; // its exported C function: takes a build id, and returns null if it is not the library's own
};

/// The directory of the library or program that contains this code.
std::string ownDirectory();
/// A loaded library, which is never unloaded.
struct OpenedSibling {
  std::string path;
  void *entry; // address of the entry function; not null
};

/// Loads the library in `directory` or `directory/../lib`. Throws tegula::Error if it is missing or cannot be loaded.
OpenedSibling loadSibling(const SiblingLibrary &library, const std::string &directory);
/// Throws the error for a library whose entry function does not accept this build's id.
[[noreturn]] void throwOtherBuild(const OpenedSibling &opened);

/// Loads the library and calls its entry function, `Opened *entry(const char *buildId)`; returns the result. Throws
/// like loadSibling, and also if the library comes from another build.
template <typename Opened>
Opened &openSibling(const SiblingLibrary &library, const std::string &directory, const char *buildId) {
  OpenedSibling opened = loadSibling(library, directory);
  Opened *found = reinterpret_cast<Opened *(*)(const char *)>(opened.entry)(buildId);
  if (!found)
    throwOtherBuild(opened);
  return *found;
}

} // namespace tegula
