#include "core/contracts/BackendNames.h"
#include "core/runtime/Memory.h"
#include "core/runtime/Session.h"
#include "core/runtime/Translate.h"
#include "core/runtime/api/DriverGuard.h"
#include "core/runtime/text/Literals.h"
#include "core/support/Environment.h"
#include "core/support/ScalarType.h"
#include "core/support/Suggest.h"
#include "core/support/process/Fork.h"

#include <functional>
#include <map>

namespace tegula {
namespace {

Device::Info toInfo(const DeviceInfo &info) {
  return {info.name, info.description, info.target, info.memoryBytes, info.isRealGpu, info.properties};
}

struct Found {
  DriverFactory *factory;
  DeviceInfo info;
};

/// The devices of one backend, or of all backends if `backend` is empty. `absent`, unless null, gets the name of each
/// backend without a device, and the reason. Some drivers take 100 ms to enumerate their devices.
std::vector<Found> findAll(std::vector<std::pair<std::string, std::string>> *absent, std::string_view backend = {}) {
  std::vector<Found> found;
  for (DriverFactory *factory : driverFactories()) {
    if (!backend.empty() && factory->backend() != backend)
      continue;
    std::string whyNone;
    std::vector<DeviceInfo> devices = enumerateUnlessForked(*factory, whyNone);
    if (devices.empty() && absent)
      absent->emplace_back(factory->backend(), whyNone);
    for (DeviceInfo &info : devices)
      found.push_back({factory, std::move(info)});
  }
  return found;
}

std::unique_ptr<Driver> guarded(const DriverFactory &factory, std::unique_ptr<Driver> driver) {
  return factory.survivesFork() ? std::move(driver) : guardedDriver(std::move(driver));
}

/// Finds a device by its name, or a backend's first device by the backend's name. If `name` is empty, finds the first
/// real GPU, or the first device if there is no GPU. Null if no device is found.
const Found *choose(const std::vector<Found> &found, std::string_view name) {
  for (const Found &device : found)
    if (name.empty() ? device.info.isRealGpu : device.info.name == name)
      return &device;
  for (const Found &device : found)
    if (name.empty() || device.factory->backend() == name)
      return &device;
  return nullptr;
}

using Absent = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> namesOf(const std::vector<Found> &found, const std::function<bool(const Found &)> &chosen) {
  std::vector<std::string> names;
  for (const Found &device : found)
    if (chosen(device))
      names.push_back(device.info.name);
  return names;
}

/// The end of the message for an unknown device name, if the name is `gpu` or begins with a backend's name: the names
/// of the GPUs, or of the backend's devices, or why there are none. Empty for other names.
std::string adviceOn(std::string_view name, const std::vector<Found> &found, const Absent &absent) {
  std::string_view base = name.substr(0, name.find(':'));
  if (base == "gpu" || base == "GPU") {
    std::vector<std::string> gpus = namesOf(found, [](const Found &device) { return device.info.isRealGpu; });
    return gpus.empty() ? "; no GPU was found, and `tegula doctor` says why" : "; the GPUs are " + listed(gpus);
  }
  const BackendNames *known = backendCalled(base);
  std::string_view backend = known ? known->name : base;
  for (const auto &[missing, why] : absent)
    if (missing == backend)
      return "; the " + missing + " backend finds no device: " + why;
  std::vector<std::string> devices =
      namesOf(found, [&](const Found &device) { return device.factory->backend() == backend; });
  if (!devices.empty())
    return "; devices of the " + std::string(backend) + " backend are " + listed(devices);
  return known ? "; " + missingBackend(backend, session::backends()) : std::string();
}

[[noreturn]] void failUnknown(std::string_view name, const std::vector<Found> &found, const Absent &absent,
                              bool fromEnvironment) {
  std::string message = "unknown device '" + std::string(name) + "'";
  if (fromEnvironment)
    message += " in $TEGULA_DEVICE";
  std::vector<std::string> names = namesOf(found, [](const Found &) { return true; });
  std::string advice = adviceOn(name, found, absent);
  if (advice.empty())
    advice = (names.empty() ? "; there is no device" : "; found: " + listed(names)) + suggestion(name, names);
  throw Error(message + advice);
}

/// The devices that are open, by name. Opening a device again returns the same object, so that buffers made with one
/// handle can be used with the other. The map is never destroyed, because devices may be closed during process exit.
struct OpenDevices {
  ForkSafeMutex mutex;
  std::map<std::string, std::weak_ptr<Device::Impl>> byName;
};
OpenDevices &openDevices() {
  static auto *devices = new OpenDevices;
  return *devices;
}

} // namespace

std::string_view name(DType type) { return name(toScalarType(type)); }
size_t byteSize(DType type) { return byteSize(toScalarType(type)); }

DType parseDType(std::string_view text) {
  if (std::optional<ScalarType> type = parseScalarType(text))
    return toDType(*type);
  throw ApiError(ApiError::Kind::BadUse, unknownType(std::string(text)));
}

std::vector<Device::Info> Device::list(std::vector<std::pair<std::string, std::string>> *absent) {
  return translated(ApiError::Kind::Device, [&] {
    std::vector<Info> infos;
    for (const Found &device : findAll(absent))
      infos.push_back(toInfo(device.info));
    return infos;
  });
}

Device Device::open(std::string_view name) {
  return translated(ApiError::Kind::BadUse, [&] {
    const char *chosen = name.empty() ? environmentValue(Variable::Device) : nullptr;
    std::string_view wanted = chosen ? chosen : name;
    OpenDevices &devices = openDevices();
    std::lock_guard lock(devices.mutex);
    if (auto open = devices.byName.find(std::string(wanted)); open != devices.byName.end())
      if (std::shared_ptr<Impl> impl = open->second.lock())
        return Device(std::move(impl));
    std::vector<std::pair<std::string, std::string>> absent;
    std::string_view base = wanted.substr(0, wanted.find('/'));
    std::vector<Found> found = findAll(nullptr, base.substr(0, base.find(':')));
    const Found *device = choose(found, base);
    if (!device) {
      found = findAll(&absent);
      device = choose(found, base);
    }
    if (!device)
      failUnknown(base, found, absent, chosen != nullptr);
    std::string opened = device->info.name + std::string(wanted.substr(base.size()));
    std::weak_ptr<Impl> &known = devices.byName[opened];
    if (std::shared_ptr<Impl> impl = known.lock())
      return Device(std::move(impl));
    auto impl = std::make_shared<Impl>();
    translated(ApiError::Kind::Device,
               [&] { impl->driver = guarded(*device->factory, device->factory->open(opened)); });
    impl->info = toInfo(impl->driver->info());
    known = impl;
    return Device(std::move(impl));
  });
}

Device Device::adopt(const ForeignDevice &device) {
  return translated(ApiError::Kind::BadUse, [&] {
    for (DriverFactory *factory : driverFactories()) {
      if (factory->backend() != device.backend)
        continue;
      NativeDevice native = {device.instance,    device.physicalDevice, device.device,   device.queue,
                             device.queueFamily, device.version,        device.features, device.extensions,
                             device.lock,        device.unlock};
      auto impl = std::make_shared<Impl>();
      translated(ApiError::Kind::Device, [&] { impl->driver = guarded(*factory, factory->adopt(native)); });
      impl->info = toInfo(impl->driver->info());
      return Device(std::move(impl));
    }
    std::vector<std::string> names = session::backends();
    throw Error("unknown backend '" + device.backend + "'; there are " + listed(names) +
                suggestion(device.backend, names));
  });
}

const Device::Info &Device::info() const { return impl_->info; }

} // namespace tegula
