#include "backends/vulkan/driver/Context.h"
#include "backends/vulkan/driver/Result.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tegula::vulkan {
namespace {

constexpr uint32_t kMaxQueues = 8;

/// The value of TEGULA_TIMEOUT in nanoseconds; nothing if it is not set.
std::optional<uint64_t> waitLimit() {
  const char *text = environmentValue(Variable::Timeout);
  if (!text)
    return std::nullopt;
  double seconds = 0;
  const char *end = text + std::strlen(text);
  auto [rest, status] = std::from_chars(text, end, seconds);
  if (status != std::errc() || rest != end || !(seconds >= 0.001 && seconds <= 1e6))
    throw Error("expected TEGULA_TIMEOUT to be a number of seconds from 0.001 to 1000000, found '" + std::string(text) +
                "'");
  return static_cast<uint64_t>(seconds * 1e9);
}

} // namespace

Context::Context(DeviceFacts facts, const InstanceFunctions &instance)
    : facts_(std::move(facts)), limitNanoseconds_(waitLimit()) {
  createDevice(instance);
  chooseMemory(instance);
}

Context::Context(DeviceFacts facts, std::unique_ptr<const Instance> instance, const NativeDevice &native)
    : facts_(std::move(facts)), adoptedFrom_(std::move(instance)), device_(static_cast<VkDevice>(native.device)),
      limitNanoseconds_(waitLimit()) {
  fillFunctions(adoptedFrom_->api());
  queues_.push_back(std::make_unique<Queue>());
  queues_.back()->handle = static_cast<VkQueue>(native.queue);
  queues_.back()->onLock = native.lock;
  queues_.back()->onUnlock = native.unlock;
  chooseMemory(adoptedFrom_->api());
}

Context::~Context() {
  collectAll();
  for (const std::shared_ptr<Timeline> &timeline : timelines_)
    api_.DestroySemaphore(device_, timeline->semaphore, nullptr);
  if (!isAdopted())
    api_.DestroyDevice(device_, nullptr);
}

void Context::createDevice(const InstanceFunctions &instance) {
  // Enables every feature of featureTable() that the device has, and no other one: some features, such as hardware
  // bounds checks, cost time.
  FeatureChain chain(facts_.extensions);
  for (const FeatureRow &row : featureTable())
    if (VkBool32 *flag = chain.flag(row.feature); flag && facts_.capacity.features.has(row.feature))
      *flag = VK_TRUE;
  std::vector<const char *> extensions;
  for (const std::string &extension : facts_.extensions)
    extensions.push_back(extension.c_str());
  uint32_t queues = std::min(facts_.queueCount, kMaxQueues);
  std::vector<float> priorities(queues, 1.0f);
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = facts_.queueFamily;
  queue.queueCount = queues;
  queue.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = chain.first();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(instance.CreateDevice(facts_.handle, &info, nullptr, &device_), "vkCreateDevice",
        "open the device " + facts_.name);
  fillFunctions(instance);
  for (uint32_t i = 0; i < queues; ++i) {
    queues_.push_back(std::make_unique<Queue>());
    api_.GetDeviceQueue(device_, facts_.queueFamily, i, &queues_.back()->handle);
  }
}

void Context::fillFunctions(const InstanceFunctions &instance) {
#define TEGULA_VULKAN_FILL(function)                                                                                   \
  api_.function = reinterpret_cast<PFN_vk##function>(instance.GetDeviceProcAddr(device_, "vk" #function));             \
  if (!api_.function)                                                                                                  \
    throw Error("the driver of " + facts_.name + " lacks the function vk" #function);
  TEGULA_VULKAN_DEVICE_FUNCTIONS(TEGULA_VULKAN_FILL)
#undef TEGULA_VULKAN_FILL
}

void Context::chooseMemory(const InstanceFunctions &instance) {
  VkPhysicalDeviceMemoryProperties memory;
  instance.GetPhysicalDeviceMemoryProperties(facts_.handle, &memory);
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  auto find = [&](VkMemoryPropertyFlags wanted) -> std::optional<uint32_t> {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((memory.memoryTypes[i].propertyFlags & wanted) == wanted)
        return i;
    return std::nullopt;
  };
  std::optional<uint32_t> shared =
      find(kHost | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!shared)
    shared = find(kHost | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  unified_ =
      shared && (facts_.type == VK_PHYSICAL_DEVICE_TYPE_CPU || facts_.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  std::optional<uint32_t> local = unified_ ? shared : find(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  std::optional<uint32_t> host = find(kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!host)
    host = find(kHost);
  if (!local || !host)
    throw Error("the device " + facts_.name + " has no memory of its own, or none that the host can see");
  deviceType_ = *local;
  hostType_ = *host;
}

Queue &Context::nextQueue() { return *queues_[nextQueue_++ % queues_.size()]; }

std::shared_ptr<Timeline> Context::addTimeline() {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &type;
  auto timeline = std::make_shared<Timeline>();
  check(api_.CreateSemaphore(device_, &info, nullptr, &timeline->semaphore), "vkCreateSemaphore", "make a stream");
  std::lock_guard lock(mutex_);
  timelines_.push_back(timeline);
  return timeline;
}

void Context::removeTimeline(const std::shared_ptr<Timeline> &timeline) {
  std::lock_guard lock(mutex_);
  // Counts all work of the timeline as completed, so that threads that still wait for it return without a query of the
  // destroyed semaphore.
  timeline->completed = timeline->submitted.load();
  endedOfRemoved_ += timeline->completed;
  std::erase(timelines_, timeline);
  api_.DestroySemaphore(device_, timeline->semaphore, nullptr);
}

void Context::endUse(State state, const std::string &message) {
  std::lock_guard lock(failureMutex_);
  if (state_ == State::Lost)
    return;
  if (state_ == State::Working)
    failure_ = message; // the first failure caused all later ones
  state_.store(state, std::memory_order_release);
}

void Context::throwFailure() const {
  std::lock_guard lock(failureMutex_);
  Diagnostic failure;
  failure.message = failure_;
  failure.isDeviceFailure = true;
  throw Error(std::move(failure));
}

void Context::check(VkResult result, std::string_view function, std::string_view doing) {
  if (result == VK_ERROR_DEVICE_LOST) [[unlikely]] {
    endUse(State::Lost, failureText(result, function, doing));
    throwFailure();
  }
  vulkan::check(result, function, doing);
}

bool Context::isStuck() {
  if (state_ != State::TimedOut)
    return false;
  std::lock_guard lock(mutex_);
  return !std::all_of(timelines_.begin(), timelines_.end(),
                      [&](auto &timeline) { return reached(*timeline, timeline->submitted); });
}

void Context::keepForever(std::shared_ptr<void> used) {
  static auto *mutex = new std::mutex;
  static auto *kept = new std::vector<std::shared_ptr<void>>;
  std::lock_guard lock(*mutex);
  kept->push_back(std::move(used));
}

bool Context::reached(Timeline &timeline, uint64_t value) {
  if (timeline.completed.load(std::memory_order_acquire) >= value || state_ == State::Lost)
    return true;
  uint64_t now = 0;
  VkResult result = api_.GetSemaphoreCounterValue(device_, timeline.semaphore, &now);
  if (result == VK_ERROR_DEVICE_LOST) [[unlikely]] {
    endUse(State::Lost, failureText(result, "vkGetSemaphoreCounterValue", "ask how far a stream is"));
    return true;
  }
  vulkan::check(result, "vkGetSemaphoreCounterValue", "ask how far a stream is");
  timeline.completed.store(now, std::memory_order_release);
  return now >= value;
}

void Context::wait(Timeline &timeline, uint64_t value) {
  expectWorking();
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline.semaphore;
  info.pValues = &value;
  while (!reached(timeline, value)) {
    uint64_t before = limitNanoseconds_ ? endedWork() : 0;
    VkResult result = api_.WaitSemaphores(device_, &info, limitNanoseconds_.value_or(UINT64_MAX));
    check(result, "vkWaitSemaphores", "wait for a stream");
    // The limit applies to the time in which the device completes nothing: a stream may hold much work, and may wait
    // for the work of other streams on the same queue.
    if (result == VK_TIMEOUT && limitNanoseconds_ && !reached(timeline, value) && endedWork() == before) {
      endUse(State::TimedOut, "no work on " + facts_.name + " ended within " +
                                  std::to_string(*limitNanoseconds_ / 1000000) +
                                  " ms, the limit that TEGULA_TIMEOUT sets: the device is not used any more");
      throwFailure();
    }
  }
  expectWorking(); // `reached` is also true on a lost device
}

uint64_t Context::endedWork() {
  std::lock_guard lock(mutex_);
  uint64_t sum = endedOfRemoved_;
  for (const std::shared_ptr<Timeline> &timeline : timelines_) {
    reached(*timeline, timeline->submitted.load());
    sum += timeline->completed.load();
  }
  return sum;
}

void Context::retire(std::function<void()> destroy) {
  collect();
  Retired item{{}, std::move(destroy)};
  {
    std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Timeline> &timeline : timelines_)
      if (uint64_t value = timeline->submitted.load(); value > timeline->completed.load())
        item.after.emplace_back(timeline, value);
    if (!item.after.empty()) {
      retired_.push_back(std::move(item));
      return;
    }
  }
  item.destroy();
}

void Context::waitForAll() noexcept {
  if (!isAdopted()) {
    api_.DeviceWaitIdle(device_); // fails only if the device is lost, which then executes nothing any more
    return;
  }
  // On the caller's queue, waits only for Tegula's own work: the caller may use this and other queues at the same time.
  std::lock_guard lock(mutex_);
  try {
    for (const std::shared_ptr<Timeline> &timeline : timelines_)
      wait(*timeline, timeline->submitted);
  } catch (const std::exception &) {
    // The device is lost and executes nothing any more, so there is no work to wait for.
  }
}

void Context::collectAll() noexcept {
  if (isStuck())
    return;
  waitForAll();
  std::vector<Retired> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(retired_);
  }
  for (Retired &item : all)
    item.destroy();
}

void Context::collect(bool waiting) {
  std::vector<Retired> due;
  {
    std::lock_guard lock(mutex_);
    if (waiting)
      for (Retired &item : retired_)
        for (auto &[timeline, value] : item.after)
          wait(*timeline, value);
    auto isDue = [&](Retired &item) {
      return std::all_of(item.after.begin(), item.after.end(),
                         [&](auto &point) { return reached(*point.first, point.second); });
    };
    for (size_t i = 0; i < retired_.size();) {
      if (!isDue(retired_[i])) {
        ++i;
        continue;
      }
      due.push_back(std::move(retired_[i]));
      retired_[i] = std::move(retired_.back());
      retired_.pop_back();
    }
  }
  for (Retired &item : due)
    item.destroy();
}

} // namespace tegula::vulkan
