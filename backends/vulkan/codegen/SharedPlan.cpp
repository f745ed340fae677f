#include "backends/vulkan/codegen/SharedPlan.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::vulkan {

uint32_t SharedPlan::narrowestOf(const Profile &profile) {
  auto has = [&](Feature feature) { return profile.features.has(feature); };
  bool isBlock = has(Feature::SharedExplicitLayout);
  if (!has(Feature::Int16) || (isBlock && !has(Feature::SharedExplicitLayout16)))
    return 4;
  return has(Feature::Int8) && (!isBlock || has(Feature::SharedExplicitLayout8)) ? 1 : 2;
}

SharedPlan::SharedPlan(std::vector<Buffer> buffers, const Profile &profile) : narrowest_(narrowestOf(profile)) {
  if (buffers.empty())
    return;
  if (profile.features.has(Feature::SharedExplicitLayout)) {
    uint32_t end = 0;
    for (const Buffer &buffer : buffers)
      end = std::max(end, buffer.at + buffer.bytes);
    storages_.push_back({0, (end + 15) / 16 * 16, 0}); // size rounded up to whole 16-byte vectors
    return;
  }
  std::sort(buffers.begin(), buffers.end(), [](const Buffer &a, const Buffer &b) {
    return std::pair(byteSize(a.type), a.at) < std::pair(byteSize(b.type), b.at);
  });
  for (const Buffer &buffer : buffers) {
    uint32_t width = byteSize(buffer.type), end = buffer.at + buffer.bytes;
    if (storages_.empty() || storages_.back().width != width || storages_.back().end <= buffer.at) {
      storages_.push_back({buffer.at, end, width, buffer.type});
      continue;
    }
    Storage &last = storages_.back();
    last.end = std::max(last.end, end);
    last.mixed |= last.type != buffer.type;
  }
}

const SharedPlan::Storage &SharedPlan::storageOf(const Buffer &buffer) const {
  for (const Storage &storage : storages_)
    if ((storage.isBlock() || storage.width == byteSize(buffer.type)) && storage.begin <= buffer.at &&
        buffer.at < storage.end)
      return storage;
  throw InternalError("a shared buffer was not planned");
}

uint32_t SharedPlan::bytes() const {
  uint32_t sum = 0;
  for (const Storage &storage : storages_) {
    uint32_t bytes = storage.end - storage.begin;
    bool isCoarse = !storage.isBlock() && storage.width < narrowest_;
    sum += isCoarse ? bytes / storage.width * 4 : bytes;
  }
  return sum;
}

} // namespace tegula::vulkan
