#include "core/runtime/CompilerLibrary.h"
#include "core/support/SiblingLibrary.h"

#include <mutex>

namespace tegula {
namespace {

constexpr SiblingLibrary kCompiler = {"libtegula-compiler", "compiler library", "cannot compile kernels",
                                      "tegulaCompiler"};

Compiler *replacement_ = nullptr;

} // namespace

Compiler &openCompiler(const std::string &directory) { return openSibling<Compiler>(kCompiler, directory, buildId()); }

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
