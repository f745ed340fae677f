// Shared libraries that stand beside the one that contains this code, and are opened when they are needed. Both come
// from one build, so plain C++ types may cross.
#pragma once

#include <string>

namespace tegula {

struct SiblingLibrary {
  const char *name;  // "libtegula-compiler"
  const char *noun;  // "compiler library", for messages
  const char *need;  // "cannot compile kernels", what is not possible without it
  const char *entry; // the C function that it exports: takes a build id, returns null for another than its own
};

/// The directory of the library or program that contains this code.
std::string ownDirectory();
/// A library that is loaded, never unloaded.
struct OpenedSibling {
  std::string path;
  void *entry; // the address of its entry, not null
};

/// Loads the library in `directory` or `directory/../lib`. Throws tegula::Error if it is missing or cannot be loaded.
OpenedSibling loadSibling(const SiblingLibrary &library, const std::string &directory);
/// The error of a library whose entry does not know this build's id.
[[noreturn]] void throwOtherBuild(const OpenedSibling &opened);

/// Loads the library, and returns what its entry, a function `Opened *entry(const char *buildId)`, gives for `buildId`.
/// Throws like loadSibling, and if the library comes from another build.
template <typename Opened>
Opened &openSibling(const SiblingLibrary &library, const std::string &directory, const char *buildId) {
  OpenedSibling opened = loadSibling(library, directory);
  Opened *found = reinterpret_cast<Opened *(*)(const char *)>(opened.entry)(buildId);
  if (!found)
    throwOtherBuild(opened);
  return *found;
}

} // namespace tegula
