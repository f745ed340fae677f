#include "tests/vulkan/watch/Watch.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace tegula::vulkan::test {

Watch &openWatch(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(dlerror());
  auto *watch = static_cast<Watch **>(dlsym(library, "tegulaWatch"));
  if (!watch)
    throw std::runtime_error(path + " is not the library of tests/vulkan/watch");
  setenv("TEGULA_VULKAN_LIBRARY", path.c_str(), 1);
  return **watch;
}

} // namespace tegula::vulkan::test
