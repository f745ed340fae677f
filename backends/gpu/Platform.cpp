#include "backends/gpu/Platform.h"
#include "core/support/Diagnostic.h"

namespace tegula::gpu {

std::string Platform::statusText(const char *entry, Status status) const {
  const char *name = nullptr, *text = nullptr;
  if (api.errorName(status, &name) != kSuccess || !name)
    name = nullptr;
  if (api.errorText(status, &text) != kSuccess || !text)
    text = nullptr;
  std::string message = std::string(entry) + " failed with " + (name ? name : "unknown error");
  if (!name)
    message += " " + std::to_string(status);
  if (text)
    message += " (" + std::string(text) + ")";
  return message;
}

void Platform::fail(const char *entry, Status status, const std::string &doing, Call call) const {
  std::string message = "cannot " + doing + ": " + statusText(entry, status);
  if (isKernelFault(status, call)) {
    Diagnostic fault;
    fault.message = message + "; a kernel did wrong, and the device refuses further work of this process: a checked "
                              "launch on the device cpu (--check, or TRITON_INTERPRET=1) shows where";
    fault.isDeviceFailure = true;
    throw KernelFault(std::move(fault));
  }
  if (call == Call::Launch && status == kLaunchOutOfResources) // shared memory and threads were checked before
    throw Error(message, Shortage{"registers"});
  throw Error(message);
}

uint64_t Platform::checkSharedBytes(FunctionHandle function, int attribute, const Artifact &artifact,
                                    const DeviceTraits &device) const {
  int declared = 0;
  call(
      api.functionAttribute,
      [&] { return "ask for the shared memory of kernel '" + artifact.entry + "' on device " + device.info.name; },
      &declared, attribute, function);
  uint64_t bytes = uint64_t(artifact.sharedBytes) + static_cast<uint64_t>(declared);
  if (bytes > device.sharedBytes)
    throw Error("kernel '" + artifact.entry + "' needs " + std::to_string(bytes) + " bytes of shared memory, device " +
                    device.info.name + " has " + std::to_string(device.sharedBytes) +
                    "; compile it with smaller blocks or fewer stages",
                Shortage{"shared memory", bytes, device.sharedBytes});
  return bytes;
}

OpenDevice::OpenDevice(std::shared_ptr<const Platform> opened, int ordinal, const std::string &target)
    : platform(std::move(opened)), traits(platform->describe(ordinal)) {
  if (!target.empty()) {
    traits.info.name += "/" + target;
    traits.info.target = target;
  }
  platform->call(platform->api.contextRetain, [&] { return "open device " + traits.info.name; }, &context, traits.id);
}

// Releases the context. A failure is ignored: the last reference to the device may be dropped at process exit, when the
// vendor's library has already shut down.
OpenDevice::~OpenDevice() { platform->api.contextRelease(traits.id); }

CurrentContext::CurrentContext(const OpenDevice &device) : api_(device.platform->api) {
  auto doing = [&] { return "use device " + device.traits.info.name; };
  device.platform->call(api_.contextGetCurrent, doing, &previous_);
  if (previous_ == device.context)
    return;
  device.platform->call(api_.contextSetCurrent, doing, device.context);
  restore_ = previous_ != nullptr; // if the thread had no context, this one stays current
}

CurrentContext::~CurrentContext() {
  if (restore_)
    api_.contextSetCurrent(previous_);
}

} // namespace tegula::gpu
