#include "core/support/SiblingLibrary.h"
#include "core/support/Diagnostic.h"

#include <dlfcn.h>
#include <unistd.h>

namespace tegula {
namespace {

// A build directory contains the first name; an installation may contain only the second.
constexpr const char *kSuffixes[] = {".so", ".so.0"};

std::string find(const SiblingLibrary &library, const std::string &directory) {
  for (const char *folder : {"/", "/../lib/"})
    for (const char *suffix : kSuffixes)
      if (std::string path = directory + folder + library.name + suffix; access(path.c_str(), R_OK) == 0)
        return path;
  throw Error(std::string(library.need) + ": the " + library.noun + " is missing; expected " + directory + "/" +
              library.name + kSuffixes[0] + "; install it beside the runtime library");
}

} // namespace

std::string ownDirectory() {
  Dl_info info{};
  static const char anchor = 0;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return ".";
  std::string file = info.dli_fname;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

OpenedSibling loadSibling(const SiblingLibrary &library, const std::string &directory) {
  std::string path = find(library, directory);
  // RTLD_LOCAL, because drivers in the same process may load other versions of the libraries that it contains.
  void *opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    const char *why = dlerror();
    throw Error("cannot load the " + std::string(library.noun) + ": " + (why ? why : path));
  }
  void *entry = dlsym(opened, library.entry);
  if (!entry)
    throw Error("'" + path + "' is not a " + library.noun + ": it has no " + library.entry);
  return {path, entry};
}

void throwOtherBuild(const OpenedSibling &opened) {
  throw Error("'" + opened.path + "' comes from another build than this runtime library; install both together");
}

} // namespace tegula
