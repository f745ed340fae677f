#include "backends/rocm/codegen/Link.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "core/support/TemporaryDirectory.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace tegula::rocm {

/// Links the object by lld. It keeps its state in global variables, so a mutex admits one link at a time. If lld cannot
/// write its result, as on a full disk, lld ends the process, and no exception reports it.
std::vector<uint8_t> linkCodeObject(const std::string &object, const std::string &name) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  TemporaryDirectory directory("tegula-lld");
  std::string from = directory.file("kernel.o"), to = directory.file("kernel.hsaco");
  writeFile(from, {reinterpret_cast<const uint8_t *>(object.data()), object.size()});
  std::string said;
  llvm::raw_string_ostream stream(said);
  const char *arguments[] = {"ld.lld", "--shared", "--no-undefined", "--threads=1", from.c_str(), "-o", to.c_str()};
  static bool canRun = true;
  if (!canRun)
    throw Error("lld crashed before in this process and cannot link kernel '" + name + "'; start the process again");
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  canRun = result.canRunAgain;
  if (result.retCode != 0)
    throw Error("lld cannot link kernel '" + name + "': " + said);
  return readFile(to);
}

} // namespace tegula::rocm
