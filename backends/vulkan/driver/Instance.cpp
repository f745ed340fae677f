#include "backends/vulkan/driver/Instance.h"
#include "backends/vulkan/driver/Result.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

namespace tegula::vulkan {
namespace {

constexpr const char *kDefaultLibrary = "libvulkan.so.1";
constexpr const char *kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::string libraryName() {
  const char *chosen = environmentValue(Variable::VulkanLibrary);
  return chosen ? chosen : kDefaultLibrary;
}

PFN_vkGetInstanceProcAddr openLibrary(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Error("the Vulkan library cannot be opened: " + std::string(dlerror()) +
                "; install a Vulkan loader and driver (Debian: libvulkan1, and for machines without a GPU "
                "mesa-vulkan-drivers)");
  auto getAddress = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(handle, "vkGetInstanceProcAddr"));
  if (!getAddress)
    throw Error(library + " is not a Vulkan library: it has no vkGetInstanceProcAddr");
  return getAddress;
}

} // namespace

std::string versionText(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version));
}

const Instance &Instance::get(bool validated) {
  // One instance for each library path and value of `validated`: tests change $TEGULA_VULKAN_LIBRARY. Instances are
  // never destroyed.
  static auto *mutex = new std::mutex;
  static auto *instances = new std::map<std::pair<std::string, bool>, std::unique_ptr<const Instance>>;
  std::string library = libraryName();
  std::lock_guard lock(*mutex);
  std::unique_ptr<const Instance> &instance = (*instances)[{library, validated}];
  if (!instance)
    instance.reset(new Instance(library, validated));
  return *instance;
}

std::unique_ptr<const Instance> Instance::of(VkInstance handle, uint32_t version) {
  if (version < VK_API_VERSION_1_2)
    throw Error("the instance was made for Vulkan " + versionText(version) + "; at least 1.2 is needed");
  std::string library = libraryName();
  std::unique_ptr<Instance> instance(new Instance);
  instance->handle_ = handle;
  instance->version_ = std::min<uint32_t>(version, VK_API_VERSION_1_3);
  instance->fill(openLibrary(library), library);
  return instance;
}

Instance::Instance(const std::string &library, bool validated) {
  PFN_vkGetInstanceProcAddr getAddress = openLibrary(library);
  auto createInstance = reinterpret_cast<PFN_vkCreateInstance>(getAddress(nullptr, "vkCreateInstance"));
  auto enumerateVersion =
      reinterpret_cast<PFN_vkEnumerateInstanceVersion>(getAddress(nullptr, "vkEnumerateInstanceVersion"));
  if (!createInstance)
    throw Error(library + " is not a Vulkan library: it has no vkCreateInstance");
  uint32_t available = VK_API_VERSION_1_0;
  if (enumerateVersion)
    check(enumerateVersion(&available), "vkEnumerateInstanceVersion", "ask for the version of the Vulkan library");
  if (available < VK_API_VERSION_1_2)
    throw Error(library + " offers Vulkan " + versionText(available) + "; at least 1.2 is needed");
  version_ = std::min<uint32_t>(available, VK_API_VERSION_1_3);

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "tegula";
  application.apiVersion = version_;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  if (validated) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
  }
  VkResult result = createInstance(&info, nullptr, &handle_);
  if (validated && result == VK_ERROR_LAYER_NOT_PRESENT)
    throw Error(std::string(kValidationLayer) +
                " is not installed, which the variant 'validated' needs (Debian: vulkan-validationlayers)");
  check(result, "vkCreateInstance", "open the Vulkan library");
  fill(getAddress, library);
}

void Instance::fill(PFN_vkGetInstanceProcAddr getAddress, const std::string &library) {
#define TEGULA_VULKAN_FILL(function)                                                                                   \
  api_.function = reinterpret_cast<PFN_vk##function>(getAddress(handle_, "vk" #function));                             \
  if (!api_.function)                                                                                                  \
    throw Error(library + " lacks the function vk" #function);
  TEGULA_VULKAN_INSTANCE_FUNCTIONS(TEGULA_VULKAN_FILL)
#undef TEGULA_VULKAN_FILL
  api_.GetCooperativeMatrixRows = reinterpret_cast<newer::GetCooperativeMatrixRows>(
      getAddress(handle_, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  api_.GetFlexibleMatrixRows = reinterpret_cast<newer::GetFlexibleMatrixRows>(
      getAddress(handle_, "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV"));
  // The EXT function is looked up, not that of Vulkan 1.3, because Debian 12's validation layer does not answer the
  // latter.
  api_.GetPhysicalDeviceToolProperties = reinterpret_cast<PFN_vkGetPhysicalDeviceToolPropertiesEXT>(
      getAddress(handle_, "vkGetPhysicalDeviceToolPropertiesEXT"));
}

std::vector<VkPhysicalDevice> Instance::physicalDevices() const {
  uint32_t count = 0;
  check(api_.EnumeratePhysicalDevices(handle_, &count, nullptr), "vkEnumeratePhysicalDevices", "count the devices");
  std::vector<VkPhysicalDevice> devices(count);
  check(api_.EnumeratePhysicalDevices(handle_, &count, devices.data()), "vkEnumeratePhysicalDevices",
        "list the devices");
  devices.resize(count);
  return devices;
}

} // namespace tegula::vulkan
