#include "backends/vulkan/FloatControls.h"
#include "backends/vulkan/driver/Driver.h"
#include "core/support/Diagnostic.h"

namespace tegula::vulkan {

std::vector<std::pair<std::string, DeviceFacts>> findDevices(std::string &whyNone, const DeviceVariant &variant) {
  std::vector<std::pair<std::string, DeviceFacts>> found;
  try {
    std::vector<DeviceFacts> all = askDevices(Instance::get(variant.validated));
    for (DeviceFacts &facts : all) {
      facts.validated = variant.validated;
      for (const FeatureRow &row : featureTable())
        if (variant.without.has(row.feature))
          facts.capacity.features.remove(row.feature);
      keepDeclarable(facts.capacity.features, facts.rounding, facts.denormals);
      if (facts.unsuitable.empty())
        found.emplace_back("vulkan:" + std::to_string(found.size()), std::move(facts));
      else
        whyNone += (whyNone.empty() ? "" : "; ") + facts.name + " cannot be used: " + facts.unsuitable;
    }
    if (all.empty())
      whyNone = "the Vulkan library finds no device; install a driver (Debian, for machines without a GPU: "
                "mesa-vulkan-drivers)";
  } catch (const std::exception &error) {
    whyNone = error.what();
  }
  if (!found.empty())
    whyNone.clear();
  return found;
}

DeviceInfo describe(const std::string &name, const DeviceFacts &facts) {
  DeviceInfo info;
  info.name = name;
  const Capacity &capacity = facts.capacity;
  info.description = facts.name + ", subgroups of " + std::to_string(facts.subgroupSize) + ", " +
                     std::to_string(capacity.sharedBytes / 1024) + " KiB shared";
  for (auto [feature, text] : {std::pair(Feature::Float16, "f16"), std::pair(Feature::BFloat16, "bf16"),
                               std::pair(Feature::Float64, "f64"), std::pair(Feature::CooperativeMatrix, "matrices"),
                               std::pair(Feature::MatrixFlexibleDimensions, "flexible matrices")})
    if (capacity.features.has(feature))
      info.description += ", " + std::string(text);
  info.target = targetName(bestProfile(capacity));
  info.memoryBytes = facts.memoryBytes;
  info.properties = describeFacts(facts);
  info.isRealGpu = facts.isRealGpu();
  return info;
}

namespace {

class VulkanFactory final : public DriverFactory {
public:
  std::string_view backend() const override { return "vulkan"; }
  // Ranks below the CPU: a real GPU is preferred regardless of priorities, and a software device must never be
  // preferred.
  int priority() const override { return -1; }
  std::vector<DeviceInfo> enumerate(std::string &whyNone) override {
    std::vector<DeviceInfo> infos;
    for (const auto &[name, facts] : findDevices(whyNone))
      infos.push_back(vulkan::describe(name, facts));
    return infos;
  }
  std::unique_ptr<Driver> open(const std::string &deviceName) override {
    size_t slash = deviceName.find('/');
    DeviceVariant variant;
    if (slash != std::string::npos)
      variant = parseVariant(std::string_view(deviceName).substr(slash + 1));
    std::string whyNone;
    auto devices = findDevices(whyNone, variant);
    for (auto &[name, facts] : devices)
      if (name == deviceName.substr(0, slash))
        return std::make_unique<VulkanDriver>(deviceName, std::move(facts));
    throw Error("unknown device '" + deviceName + "'; the vulkan backend finds " +
                (devices.empty() ? "none: " + whyNone : std::to_string(devices.size()) + ", vulkan:0 and so on"));
  }
  std::unique_ptr<Driver> adopt(const NativeDevice &native) override {
    if (!native.instance || !native.physicalDevice || !native.device || !native.queue || !native.features)
      throw Error("to use a Vulkan device of the caller's, its instance, physical device, device and queue are needed, "
                  "and the features that it was opened with");
    std::unique_ptr<const Instance> instance = Instance::of(static_cast<VkInstance>(native.instance), native.version);
    DeviceFacts facts = askAdopted(*instance, native);
    keepDeclarable(facts.capacity.features, facts.rounding, facts.denormals);
    return std::make_unique<VulkanDriver>(std::move(facts), std::move(instance), native);
  }
};

} // namespace
} // namespace tegula::vulkan

tegula::DriverFactory *tegula::vulkanDriverFactory() {
  static vulkan::VulkanFactory factory;
  return &factory;
}
