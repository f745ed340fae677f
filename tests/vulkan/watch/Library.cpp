// The library's entry points: those that tests watch or make fail; for all others it returns the real library's.
#include "backends/vulkan/driver/Api.h"
#include "tests/vulkan/watch/Seen.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>

namespace tegula::vulkan::test {
namespace {

VkInstance instanceMade = VK_NULL_HANDLE; // the last of several; the loader finds any object's functions by it

PFN_vkVoidFunction realFunction(VkInstance instance, const char *name) {
  static const auto ask = [] {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr")) : nullptr;
  }();
  return ask ? ask(instance, name) : nullptr;
}

/// A function of the real loader, which dispatches to an object's device.
template <class Function> Function real(const char *name) {
  auto function = reinterpret_cast<Function>(realFunction(instanceMade, name));
  if (!function) {
    std::fprintf(stderr, "the Vulkan loader lacks %s\n", name);
    std::abort();
  }
  return function;
}

VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT *data, void *) {
  Seen::get().addMessage(data->pMessage);
  return VK_FALSE;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo *asked, const VkAllocationCallbacks *memory,
                                              VkInstance *instance) {
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Without the loader's general messages, for example about another driver's missing library.
  messenger.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  messenger.pfnUserCallback = hear;
  VkInstanceCreateInfo info = *asked;
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  bool isValidated = asked->enabledLayerCount > 0; // the driver asks for the validation layer or for none
  if (isValidated) {
    messenger.pNext = info.pNext;
    info.pNext = &messenger; // for messages while the instance is made
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  auto create = reinterpret_cast<PFN_vkCreateInstance>(realFunction(VK_NULL_HANDLE, "vkCreateInstance"));
  VkResult result = create ? create(&info, memory, instance) : VK_ERROR_INITIALIZATION_FAILED;
  if (result != VK_SUCCESS)
    return result;
  instanceMade = *instance;
  if (!isValidated)
    return result;
  messenger.pNext = nullptr;
  VkDebugUtilsMessengerEXT made = VK_NULL_HANDLE; // lives as long as the instance
  return real<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(*instance, &messenger, nullptr,
                                                                                    &made);
}

VKAPI_ATTR VkResult VKAPI_CALL enumeratePhysicalDevices(VkInstance instance, uint32_t *count,
                                                        VkPhysicalDevice *devices) {
  static const auto next = real<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
  if (!Seen::get().isTwice())
    return next(instance, count, devices);
  uint32_t own = *count / 2;
  VkResult result = next(instance, &own, devices);
  if (devices)
    std::copy_n(devices, own, devices + own);
  *count = 2 * own;
  return result;
}

bool isLost() { return Seen::get().has(Fault::DeviceLost); }

/// A lost device runs nothing, so running work is waited for before the loss is reported.
VkResult lose(VkDevice device) {
  static const auto wait = real<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle");
  wait(device);
  return VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL queueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
  static const auto next = real<PFN_vkQueueSubmit>("vkQueueSubmit");
  static const auto wait = real<PFN_vkQueueWaitIdle>("vkQueueWaitIdle");
  if (!isLost())
    return next(queue, count, infos, fence);
  wait(queue);
  return VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
  static const auto next = real<PFN_vkWaitSemaphores>("vkWaitSemaphores");
  return isLost() ? lose(device) : next(device, info, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL getSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *value) {
  static const auto next = real<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue");
  return isLost() ? lose(device) : next(device, semaphore, value);
}

VKAPI_ATTR VkResult VKAPI_CALL allocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                              const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
  static const auto next = real<PFN_vkAllocateMemory>("vkAllocateMemory");
  return Seen::get().has(Fault::OutOfMemory) ? VK_ERROR_OUT_OF_DEVICE_MEMORY : next(device, info, callbacks, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL createBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                            const VkAllocationCallbacks *callbacks, VkBuffer *buffer) {
  static const auto next = real<PFN_vkCreateBuffer>("vkCreateBuffer");
  VkBufferCreateInfo changed = *info;
  if (Seen::get().has(Fault::BufferLacksAddress))
    changed.usage &= ~static_cast<VkBufferUsageFlags>(VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  return next(device, &changed, callbacks, buffer);
}

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                  const VkAllocationCallbacks *callbacks, VkShaderModule *module) {
  static const auto next = real<PFN_vkCreateShaderModule>("vkCreateShaderModule");
  std::vector<uint32_t> words(info->pCode, info->pCode + info->codeSize / sizeof(uint32_t));
  constexpr std::array<uint32_t, 2> kInt64 = {2u << 16 | 17, 11}; // OpCapability Int64
  if (Seen::get().has(Fault::ModuleLacksInt64))
    if (auto at = std::search(words.begin(), words.end(), kInt64.begin(), kInt64.end()); at != words.end())
      words.erase(at, at + kInt64.size());
  Seen::get().addModule(words);
  VkShaderModuleCreateInfo changed = *info;
  changed.pCode = words.data();
  changed.codeSize = words.size() * sizeof(uint32_t);
  return next(device, &changed, callbacks, module);
}

/// Appended to a device's own cache data, so that a cache has content even where the device adds none.
constexpr std::array<uint8_t, 8> kMark = {'w', 'a', 't', 'c', 'h', 'e', 'd', '\n'};

VKAPI_ATTR VkResult VKAPI_CALL createPipelineCache(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                                   const VkAllocationCallbacks *callbacks, VkPipelineCache *cache) {
  static const auto next = real<PFN_vkCreatePipelineCache>("vkCreatePipelineCache");
  VkPipelineCacheCreateInfo own = *info;
  const auto *bytes = static_cast<const uint8_t *>(info->pInitialData);
  bool isFilled = info->initialDataSize >= kMark.size() &&
                  std::equal(kMark.begin(), kMark.end(), bytes + info->initialDataSize - kMark.size());
  if (isFilled)
    own.initialDataSize -= kMark.size();
  Seen::get().addCache(isFilled);
  return next(device, &own, callbacks, cache);
}

VKAPI_ATTR VkResult VKAPI_CALL getPipelineCacheData(VkDevice device, VkPipelineCache cache, size_t *size, void *data) {
  static const auto next = real<PFN_vkGetPipelineCacheData>("vkGetPipelineCacheData");
  size_t own = data ? *size - std::min(*size, kMark.size()) : 0;
  VkResult result = next(device, cache, &own, data);
  if (data)
    std::memcpy(static_cast<uint8_t *>(data) + own, kMark.data(), std::min(*size - own, kMark.size()));
  *size = own + kMark.size();
  return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char *name);

PFN_vkVoidFunction watched(std::string_view name) {
  struct Row {
    std::string_view name;
    PFN_vkVoidFunction function;
  };
#define TEGULA_WATCHED(api, ours)                                                                                      \
  Row { #api, reinterpret_cast<PFN_vkVoidFunction>(static_cast<PFN_##api>(ours)) }
  static const Row kRows[] = {
      TEGULA_WATCHED(vkGetInstanceProcAddr, getInstanceProcAddr),
      TEGULA_WATCHED(vkGetDeviceProcAddr, getDeviceProcAddr),
      TEGULA_WATCHED(vkCreateInstance, createInstance),
      TEGULA_WATCHED(vkEnumeratePhysicalDevices, enumeratePhysicalDevices),
      TEGULA_WATCHED(vkQueueSubmit, queueSubmit),
      TEGULA_WATCHED(vkWaitSemaphores, waitSemaphores),
      TEGULA_WATCHED(vkGetSemaphoreCounterValue, getSemaphoreCounterValue),
      TEGULA_WATCHED(vkAllocateMemory, allocateMemory),
      TEGULA_WATCHED(vkCreateBuffer, createBuffer),
      TEGULA_WATCHED(vkCreateShaderModule, createShaderModule),
      TEGULA_WATCHED(vkCreatePipelineCache, createPipelineCache),
      TEGULA_WATCHED(vkGetPipelineCacheData, getPipelineCacheData),
  };
#undef TEGULA_WATCHED
  for (const Row &row : kRows)
    if (row.name == name)
      return row.function;
  return nullptr;
}

PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char *name) {
  static const auto next = real<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
  PFN_vkVoidFunction ours = watched(name);
  return ours ? ours : next(device, name);
}

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char *name) {
  PFN_vkVoidFunction ours = watched(name);
  return ours ? ours : realFunction(instance, name);
}

} // namespace
} // namespace tegula::vulkan::test

extern "C" {
__attribute__((visibility("default"))) tegula::vulkan::test::Watch *tegulaWatch = &tegula::vulkan::test::Seen::get();

__attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name) {
  return tegula::vulkan::test::getInstanceProcAddr(instance, name);
}
}
