#include "backends/vulkan/driver/Driver.h"
#include "backends/vulkan/driver/Launch.h"
#include "backends/vulkan/driver/Result.h"
#include "core/contracts/DeviceOutputStream.h"
#include "core/support/Diagnostic.h"

#include <cstring>

namespace tegula::vulkan {
namespace {

constexpr VkDeviceSize kSafeBytes = 256; // no single access is larger

struct Event {
  std::shared_ptr<Timeline> timeline;
  uint64_t value = 0;
  Timestamp time;
};

/// A stream handle of the runtime, with a print buffer and scratch memory for its kernels. Kernels of one stream run
/// one after another, so they share both.
struct OpenStream {
  explicit OpenStream(Context &context) : stream(context) {}
  Stream stream;
  Allocation *scratch = nullptr;
  Allocation *printBuffer = nullptr; // allocated by the first printing launch
  DeviceOutputStream output;

  /// If a printing launch is pending, waits for it and prints its output. Here and below, `lock` holds the stream's
  /// mutex; it is released while the receiver of the output runs, which may launch kernels.
  void print(std::unique_lock<std::mutex> &lock) {
    while (output.isPending()) {
      DeviceOutputStream::Text text = output.finish(printBuffer->size, [&](size_t first, uint32_t *to, size_t words) {
        stream.copyToHost(to, *printBuffer, first * 4, words * 4);
      });
      lock.unlock();
      text.print();
      lock.lock();
    }
  }
  /// Called after the host has waited for the stream: prints the kernels' output, and throws an error if one of their
  /// assertions failed.
  void deliver(std::unique_lock<std::mutex> &lock) {
    print(lock);
    output.throwFailure();
  }
};

Stream &streamOf(void *stream) { return static_cast<OpenStream *>(stream)->stream; }
const Allocation &allocationOf(const DeviceMemory &memory) { return *static_cast<Allocation *>(memory.handle); }

} // namespace

VulkanDriver::VulkanDriver(std::string name, DeviceFacts facts)
    : info_(vulkan::describe(name, facts)),
      context_(std::make_shared<Context>(std::move(facts), Instance::get(facts.validated).api())),
      heap_(std::make_unique<Heap>(*context_)) {}

VulkanDriver::~VulkanDriver() {
  context_->collectAll(); // retired resources refer to the heap
  if (!context_->isStuck())
    return;
  for (const std::shared_ptr<void> &used : {std::shared_ptr<void>(context_), std::shared_ptr<void>(std::move(heap_)),
                                            std::shared_ptr<void>(std::move(safe_))})
    Context::keepForever(used);
}

int VulkanDriver::suitability(const std::string &target) const {
  const Profile *profile = findProfile(target);
  if (!profile || !whyNot(*profile, facts().capacity).empty())
    return 0;
  return static_cast<int>(&profiles().back() - profile) + 1; // the most demanding profile stands first
}

DeviceMemory VulkanDriver::allocate(size_t bytes) {
  context_->expectWorking();
  Allocation *allocation = heap_->allocate(bytes);
  return {allocation, allocation->address(), bytes};
}

void VulkanDriver::free(const DeviceMemory &memory) { heap_->free(static_cast<Allocation *>(memory.handle)); }

void *VulkanDriver::createStream() {
  context_->expectWorking();
  return new OpenStream(*context_);
}

void VulkanDriver::destroyStream(void *stream) {
  std::unique_ptr<OpenStream> open(static_cast<OpenStream *>(stream));
  try {
    std::unique_lock lock(open->stream.mutex());
    open->print(lock);
  } catch (const std::exception &) {
    // The device is lost or stuck, and the output of the stream's kernels is lost with it.
  }
  if (open->printBuffer)
    heap_->free(open->printBuffer);
  if (open->scratch)
    heap_->free(open->scratch);
}

void VulkanDriver::copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) {
  context_->expectWorking();
  Stream &target = streamOf(stream);
  std::lock_guard lock(target.mutex());
  if (bytes > 0) // if 0, `from` may be null
    target.copyToDevice(allocationOf(to), offset, from, bytes);
}

void VulkanDriver::copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) {
  context_->expectWorking();
  Stream &source = streamOf(stream);
  std::unique_lock lock(source.mutex());
  if (bytes > 0)
    source.copyToHost(to, allocationOf(from), offset, bytes);
  static_cast<OpenStream *>(stream)->deliver(lock);
}

void VulkanDriver::copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from,
                                size_t fromOffset, size_t bytes) {
  context_->expectWorking();
  Stream &target = streamOf(stream);
  std::lock_guard lock(target.mutex());
  target.copyOnDevice(allocationOf(to), toOffset, allocationOf(from), fromOffset, bytes);
}

void VulkanDriver::fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) {
  context_->expectWorking();
  Stream &target = streamOf(stream);
  std::lock_guard lock(target.mutex());
  target.fill(allocationOf(to), offset, value, bytes);
}

std::unique_ptr<DriverKernel> VulkanDriver::load(const Artifact &artifact) {
  context_->expectWorking();
  return std::make_unique<Kernel>(context_, artifact);
}

uint64_t VulkanDriver::safeAddress() {
  std::call_once(safeOnce_, [this] {
    safe_ = std::make_unique<Block>(*context_, Block::Where::Host, kSafeBytes);
    std::memset(safe_->mapped(), 0, kSafeBytes);
  });
  return safe_->address();
}

void VulkanDriver::launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) {
  context_->expectWorking();
  const auto &loaded = static_cast<const Kernel &>(kernel);
  if (request.checked)
    throw Error("device " + info_.name + " cannot check launches");
  if (request.arguments.size() != loaded.params().size())
    throw InternalError("kernel " + loaded.entry() + " takes " + std::to_string(loaded.params().size()) +
                        " arguments, " + std::to_string(request.arguments.size()) + " arrived");
  auto *open = static_cast<OpenStream *>(stream);
  std::unique_lock lock(open->stream.mutex());
  bool prints = loaded.messages() && !open->output.continues(loaded.messages());
  if (prints)
    open->print(lock); // prints the previous launch's output before the buffer is reused; may launch kernels
  HiddenAddresses addresses;
  if (loaded.has(HiddenArgument::SafeAddress))
    addresses.safe = safeAddress();
  if (loaded.has(HiddenArgument::Scratch)) {
    uint64_t bytes = loaded.scratchBytesPerProgram();
    for (uint32_t extent : request.grid)
      if (__builtin_mul_overflow(bytes, extent, &bytes))
        throw Error("the scratch memory of kernel '" + loaded.entry() + "' exceeds 2^64 bytes");
    if (!open->scratch || open->scratch->size < bytes) {
      Allocation *larger = heap_->allocate(bytes);
      if (open->scratch)
        heap_->free(open->scratch);
      open->scratch = larger;
    }
    addresses.scratch = open->scratch->address();
  }
  if (!prints) {
    addresses.print = loaded.messages() ? open->printBuffer->address() : 0;
    vulkan::launch(*context_, open->stream, loaded, request, addresses);
    return;
  }
  if (!open->printBuffer)
    open->printBuffer = heap_->allocate(outputBytes());
  auto empty = emptyOutput(open->printBuffer->size);
  open->stream.copyToDevice(*open->printBuffer, 0, empty.data(), sizeof empty);
  addresses.print = open->printBuffer->address();
  vulkan::launch(*context_, open->stream, loaded, request, addresses);
  open->output.begin(loaded.messages(), request);
}

void VulkanDriver::synchronize(void *stream) {
  std::unique_lock lock(streamOf(stream).mutex());
  streamOf(stream).waitIdle();
  static_cast<OpenStream *>(stream)->deliver(lock);
}

void *VulkanDriver::recordEvent(void *stream) {
  context_->expectWorking();
  Stream &target = streamOf(stream);
  std::lock_guard lock(target.mutex());
  auto [value, time] = target.mark();
  return new Event{target.timeline(), value, std::move(time)};
}

void VulkanDriver::destroyEvent(void *event) { delete static_cast<Event *>(event); }

void VulkanDriver::waitEvent(void *event) {
  auto *waited = static_cast<Event *>(event);
  context_->wait(*waited->timeline, waited->value);
}

double VulkanDriver::elapsed(void *start, void *end) {
  auto *from = static_cast<Event *>(start), *to = static_cast<Event *>(end);
  waitEvent(from);
  waitEvent(to);
  uint64_t begin = readTimestamp(*context_, *from->time), finish = readTimestamp(*context_, *to->time);
  auto ticks = static_cast<int64_t>(finish - begin);
  if (uint32_t bits = facts().timestampBits; bits < 64) // the counter of the device's clock wraps
    ticks = static_cast<int64_t>((finish - begin) << (64 - bits)) >> (64 - bits);
  return static_cast<double>(ticks) * facts().limits.timestampPeriod * 1e-9;
}

} // namespace tegula::vulkan
