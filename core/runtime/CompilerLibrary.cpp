#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/SiblingLibrary.h"
#include "core/support/process/Fork.h"

#include <atomic>
#include <mutex>

namespace tegula {
namespace {

constexpr SiblingLibrary kCompiler = {"libtegula-compiler", "compiler library", "cannot compile kernels",
                                      "tegulaCompiler"};

Compiler *replacement_ = nullptr;
std::atomic<bool> mayCompile_ = true;

} // namespace

Compiler &openCompiler(const std::string &directory) { return openSibling<Compiler>(kCompiler, directory, buildId()); }

void allowCompiler(bool allowed) { mayCompile_ = allowed; }

void expectCompiler() {
  if (!mayCompile_ || environmentFlag(Variable::NoCompiler))
    throw Error(std::string("kernels are not compiled at run time, because ") +
                (mayCompile_ ? "$TEGULA_NO_COMPILER is set" : "the program has switched that off") +
                "; ship their code in a bundle ('tegula build')");
}

Compiler &compiler() {
  if (replacement_)
    return *replacement_;
  static ForkSafeMutex mutex;
  static Compiler *opened = nullptr; // after a failure the next call tries again: the library may be installed by then
  std::lock_guard lock(mutex);
  if (!opened)
    opened = &openCompiler(ownDirectory());
  return *opened;
}

void setCompiler(Compiler *replacement) { replacement_ = replacement; }

} // namespace tegula
