#include "core/runtime/Memory.h"
#include "core/runtime/Translate.h"
#include "core/runtime/api/DriverGuard.h"
#include "core/support/Environment.h"
#include "core/support/ScalarType.h"
#include "core/support/Suggest.h"
#include "core/support/process/Fork.h"

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

/// The devices of one backend, or of all where `backend` is empty. Looking for devices takes some drivers 100 ms.
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

/// A name, a backend's name (its first device), or the best where `name` is empty.
const Found *choose(const std::vector<Found> &found, std::string_view name) {
  for (const Found &device : found)
    if (name.empty() ? device.info.isRealGpu : device.info.name == name)
      return &device;
  for (const Found &device : found)
    if (name.empty() || device.factory->backend() == name)
      return &device;
  return nullptr;
}

[[noreturn]] void failUnknown(std::string_view name, const std::vector<Found> &found,
                              const std::vector<std::pair<std::string, std::string>> &absent, bool fromEnvironment) {
  std::string message = "unknown device '" + std::string(name) + "'";
  if (fromEnvironment)
    message += " in $TEGULA_DEVICE";
  std::vector<std::string> names;
  for (const Found &device : found)
    names.push_back(device.info.name);
  for (const auto &[backend, why] : absent)
    if (name.starts_with(backend))
      throw Error(message + "; the " + backend + " backend finds no device: " + why);
  throw Error(message + (names.empty() ? "; there is no device" : "; found: " + listed(names)) +
              suggestion(name, names));
}

/// Devices that are open now: opening one again shares it, so that its buffers can be used with both handles.
/// Never destroyed: devices may be closed while the process exits.
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
  std::vector<std::string> names;
  for (unsigned i = 0; i < kScalarTypeCount; ++i)
    names.emplace_back(name(static_cast<ScalarType>(i)));
  throw ApiError(ApiError::Kind::BadUse,
                 "unknown type '" + std::string(text) + "'" +
                     (nearestName(text, names).empty() ? "; known: " + listed(names) : suggestion(text, names)));
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
    std::vector<std::string> names;
    for (DriverFactory *factory : driverFactories()) {
      names.emplace_back(factory->backend());
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
    throw Error("unknown backend '" + device.backend + "'; there are " + listed(names) +
                suggestion(device.backend, names));
  });
}

const Device::Info &Device::info() const { return impl_->info; }

} // namespace tegula
