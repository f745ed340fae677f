#include "core/runtime/CompilerLibrary.h"

#include <dlfcn.h>
#include <mutex>
#include <string>
#include <unistd.h>

namespace tegula {
namespace {

// A build directory has the first name, an installation may have only the second.
constexpr const char *kLibraries[] = {"libtegula-compiler.so", "libtegula-compiler.so.0"};

Compiler *replacement_ = nullptr;

/// The directory of the library or program that contains this code.
std::string ownDirectory() {
  Dl_info info{};
  static const char anchor = 0;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return ".";
  std::string file = info.dli_fname;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

std::string findLibrary(const std::string &directory) {
  for (const char *folder : {"/", "/../lib/"})
    for (const char *name : kLibraries)
      if (std::string path = directory + folder + name; access(path.c_str(), R_OK) == 0)
        return path;
  throw Error("cannot compile kernels: the compiler library is missing; expected " + directory + "/" + kLibraries[0] +
              "; install it beside the runtime library");
}

} // namespace

Compiler &openCompiler(const std::string &directory) {
  std::string path = findLibrary(directory);
  // RTLD_LOCAL: drivers in the same process may load other versions of the compiler's libraries.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    throw Error("cannot load the compiler library: " + std::string(why ? why : path));
  }
  using Entry = Compiler *(const char *);
  auto *entry = reinterpret_cast<Entry *>(dlsym(library, "tegulaCompiler"));
  if (!entry)
    throw Error("'" + path + "' is not a compiler library: it has no tegulaCompiler");
  Compiler *found = entry(buildId());
  if (!found)
    throw Error("'" + path + "' comes from another build than this runtime library; install both together");
  return *found;
}

Compiler &compiler() {
  if (replacement_)
    return *replacement_;
  static std::mutex mutex;
  static Compiler *opened = nullptr; // a failure is tried again: the library may have been installed since
  std::lock_guard lock(mutex);
  if (!opened)
    opened = &openCompiler(ownDirectory());
  return *opened;
}

void setCompiler(Compiler *replacement) { replacement_ = replacement; }

} // namespace tegula
