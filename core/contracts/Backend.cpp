// Default implementations of the driver's functions.
#include "core/contracts/Backend.h"
#include "core/support/Diagnostic.h"

namespace tegula {
namespace {

[[noreturn]] void cannot(const Driver &driver, const char *what) {
  throw Error("device " + driver.info().name + " cannot " + what);
}

} // namespace

std::unique_ptr<Driver> DriverFactory::adopt(const NativeDevice &) {
  throw Error("the " + std::string(backend()) + " backend cannot use a device that the caller opened");
}
DeviceMemory Driver::wrapMemory(const NativeMemory &) { cannot(*this, "use memory that it did not allocate"); }
void *Driver::wrapStream(void *) { cannot(*this, "use streams of the caller"); }
void Driver::unwrapStream(void *) {}
void *Driver::nativeStream(void *) { cannot(*this, "give its streams to other libraries"); }
void Driver::beginCapture(void *) { cannot(*this, "capture graphs"); }
void *Driver::endCapture(void *) { cannot(*this, "capture graphs"); }
void Driver::launchGraph(void *, void *) { cannot(*this, "launch graphs"); }

} // namespace tegula
