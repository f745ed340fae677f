// Shared libraries that stand beside the one that contains this code, and are opened when they are needed. Both come
// from one build, so plain C++ types may cross.
#pragma once

#include <string>

namespace tegula {

struct SiblingLibrary {
  const char *name;  // "libtegula-compiler"
  const char *noun;  // "compiler library", for messages
  const char *need;  // "cannot compile kernels", what is not possible without it
  const char *entry; // the C function that it exports: void *entry(const char *buildId), null for another build id
};

/// The directory of the library or program that contains this code.
std::string ownDirectory();
/// Opens the library in `directory` or `directory/../lib`, and returns what its entry gives for `buildId`. Throws
/// tegula::Error if the library is missing, cannot be loaded or comes from another build.
void *openSibling(const SiblingLibrary &library, const std::string &directory, const char *buildId);

} // namespace tegula
