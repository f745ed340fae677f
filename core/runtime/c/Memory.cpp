// C interface: devices and buffers.
#include "core/runtime/Memory.h"
#include "core/runtime/c/Handles.h"

using namespace tegula;
using namespace tegula::c;

namespace {

tegula_device_info toInfo(const Device::Info &info) {
  tegula_device_info result TEGULA_DEVICE_INFO_INIT;
  result.name = info.name.c_str();
  result.description = info.description.c_str();
  result.target = info.target.c_str();
  result.memory_bytes = info.memoryBytes;
  result.is_real_gpu = info.isRealGpu;
  return result;
}

} // namespace

tegula_status tegula_devices(tegula_device_callback each, void *user) {
  return guarded([&] {
    required(each, "each");
    std::vector<std::pair<std::string, std::string>> absent;
    for (const Device::Info &device : Device::list(&absent)) {
      tegula_device_info info = toInfo(device);
      each(user, &info);
    }
    for (const auto &[backend, why] : absent) {
      tegula_device_info info TEGULA_DEVICE_INFO_INIT;
      info.name = backend.c_str();
      info.description = info.target = "";
      info.absent = why.c_str();
      each(user, &info);
    }
  });
}

tegula_status tegula_device_open(const char *name, tegula_device **out) {
  return guarded([&] { make(out, Device::open(name ? name : "")); });
}

tegula_status tegula_device_adopt(const tegula_native_device *native, tegula_device **out) {
  return guarded([&] {
    tegula_native_device given = received(&required(native, "native"), "native");
    ForeignDevice device;
    device.backend = text(given.backend, "native.backend");
    device.instance = given.instance;
    device.physicalDevice = given.physical_device;
    device.device = given.device;
    device.queue = given.queue;
    device.queueFamily = given.queue_family;
    device.version = given.version;
    device.features = given.features;
    if (given.extension_count)
      required(given.extensions, "native.extensions");
    for (size_t i = 0; i < given.extension_count; ++i)
      device.extensions.push_back(text(given.extensions[i], "an extension of native.extensions"));
    if (!given.lock != !given.unlock)
      badUse("native.lock and native.unlock are set both or neither");
    if (given.lock) {
      device.lock = [lock = given.lock, user = given.user] { lock(user); };
      device.unlock = [unlock = given.unlock, user = given.user] { unlock(user); };
    }
    make(out, Device::adopt(device));
  });
}

tegula_status tegula_device_get_info(const tegula_device *device, tegula_device_info *info) {
  return guarded([&] {
    const Device &opened = required(device, "device").value;
    tegula_device_info known = toInfo(opened.info());
    known.supports_checked = opened.impl()->driver->supportsChecked();
    known.supports_capture = opened.impl()->driver->supportsCapture();
    give(info, known, "info");
  });
}

tegula_status tegula_device_get_property(const tegula_device *device, size_t index, const char **name,
                                         const char **value) {
  return guarded([&] {
    const auto &properties = required(device, "device").value.info().properties;
    required(value, "value");
    if (index >= properties.size()) {
      required(name, "name") = nullptr;
      return;
    }
    required(name, "name") = properties[index].first.c_str();
    *value = properties[index].second.c_str();
  });
}

void tegula_device_release(tegula_device *device) { delete device; }

tegula_status tegula_buffer_create(tegula_device *device, tegula_dtype type, size_t rank, const int64_t *shape,
                                   tegula_buffer **out) {
  return guarded(
      [&] { make(out, Buffer(required(device, "device").value, dtype(type), extents(shape, rank, "shape"))); });
}

tegula_status tegula_buffer_wrap(tegula_device *device, const tegula_memory *memory, tegula_buffer **out) {
  return guarded([&] {
    tegula_memory given = received(&required(memory, "memory"), "memory");
    ForeignMemory foreign;
    foreign.address = given.address;
    foreign.bytes = given.bytes;
    foreign.handle = given.handle;
    foreign.handleOffset = given.handle_offset;
    foreign.type = dtype(given.type);
    foreign.shape = extents(given.shape, given.rank, "memory.shape");
    if (given.strides)
      foreign.strides = extents(given.strides, given.rank, "memory.strides");
    if (given.release)
      foreign.release = [release = given.release, user = given.user] { release(user); };
    required(out, "out");
    make(out, Buffer::wrap(required(device, "device").value, foreign));
  });
}

tegula_status tegula_buffer_view(const tegula_buffer *buffer, size_t rank, const int64_t *shape, const int64_t *strides,
                                 int64_t offset, tegula_buffer **out) {
  return guarded([&] {
    make(out, required(buffer, "buffer")
                  .value.view(extents(shape, rank, "shape"), extents(strides, rank, "strides"), offset));
  });
}

tegula_status tegula_buffer_read_only(const tegula_buffer *buffer, tegula_buffer **out) {
  return guarded([&] { make(out, required(buffer, "buffer").value.readOnly()); });
}

tegula_status tegula_buffer_get_info(const tegula_buffer *buffer, tegula_buffer_info *info) {
  return guarded([&] {
    const Buffer &known = required(buffer, "buffer").value;
    give(info,
         {0, known.address(), known.bytes(), known.elements(), static_cast<tegula_dtype>(known.type()),
          known.shape().size(), known.shape().data(), known.strides().data()},
         "info");
  });
}

void tegula_buffer_release(tegula_buffer *buffer) { delete buffer; }
