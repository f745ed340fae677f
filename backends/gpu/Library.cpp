#include "backends/gpu/Library.h"
#include "core/support/Diagnostic.h"

#include <dlfcn.h>

namespace tegula::gpu {

Library::Library(const std::string &path, const char *variable)
    : path_(path), variable_(variable), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_)
    return;
  const char *reason = dlerror();
  throw Error("the driver library cannot be opened: " + (reason ? std::string(reason) : path) +
              "; install the device's driver, or name its library in " + variable);
}

void *Library::symbol(const char *name) const { return dlsym(handle_, name); }

void Library::failMissing(const char *name) const {
  throw Error("the driver library " + path_ + " has no function " + name + ": it is too old, or another library; " +
              "install the device's driver, or name its library in " + variable_);
}

} // namespace tegula::gpu
