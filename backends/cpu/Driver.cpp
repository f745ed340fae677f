#include "backends/cpu/Driver.h"
#include "backends/cpu/DriverInfo.h"
#include "backends/cpu/executor/Executor.h"
#include "core/support/Diagnostic.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace tegula::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kAlignment = 64; // bytes, of every allocation: a cache line, and the widest vector

/// Every call finishes its work before it returns, so a stream needs no state.
struct CpuStream {};

struct CpuKernel final : DriverKernel {
  explicit CpuKernel(Module module) : program(std::move(module)) {}
  Program program;
};

ElementKind elementKind(ScalarType type) {
  switch (type) {
  case ScalarType::I1: return ElementKind::I1;
  case ScalarType::I8:
  case ScalarType::U8: return ElementKind::I8;
  case ScalarType::I16:
  case ScalarType::U16: return ElementKind::I16;
  case ScalarType::I32:
  case ScalarType::U32: return ElementKind::I32;
  case ScalarType::I64:
  case ScalarType::U64: return ElementKind::I64;
  case ScalarType::F16: return ElementKind::F16;
  case ScalarType::BF16: return ElementKind::BF16;
  case ScalarType::F32: return ElementKind::F32;
  case ScalarType::F64: return ElementKind::F64;
  case ScalarType::F8E4M3: return ElementKind::F8E4M3;
  case ScalarType::F8E5M2: return ElementKind::F8E5M2;
  case ScalarType::F8E4M3FNUZ: return ElementKind::F8E4M3FNUZ;
  case ScalarType::F8E5M2FNUZ: return ElementKind::F8E5M2FNUZ;
  }
  throw InternalError("unknown scalar type");
}

std::byte *at(const DeviceMemory &memory, size_t offset) { return static_cast<std::byte *>(memory.handle) + offset; }

/// Converts a launch's arguments to the executor's form. Up to 32 arguments are stored in the object itself; memory is
/// allocated only for more of them and for descriptors.
class Arguments {
public:
  explicit Arguments(const std::vector<LaunchArgument> &arguments) {
    size_t descriptors = 0;
    for (const LaunchArgument &argument : arguments)
      descriptors += argument.descriptor != nullptr;
    descriptors_.reserve(descriptors); // no reallocation: values point to the elements
    if (arguments.size() > few_.size())
      many_.resize(arguments.size());
    ArgumentValue *values = many_.empty() ? few_.data() : many_.data();
    for (size_t i = 0; i < arguments.size(); ++i) {
      values[i].bits = arguments[i].bits;
      if (const DescriptorValue *d = arguments[i].descriptor) {
        descriptors_.push_back({reinterpret_cast<void *>(d->address),
                                {d->shape.begin(), d->shape.end()},
                                {d->strides.begin(), d->strides.end()},
                                d->paddingNaN});
        values[i].descriptor = &descriptors_.back();
      }
    }
    values_ = {values, arguments.size()};
  }
  Arguments(const Arguments &) = delete;
  std::span<const ArgumentValue> values() const { return values_; }

private:
  std::array<ArgumentValue, 32> few_ = {};
  std::vector<ArgumentValue> many_;
  std::vector<DescriptorArgument> descriptors_;
  std::span<const ArgumentValue> values_;
};

class CpuDriver final : public Driver {
public:
  const DeviceInfo &info() const override { return info_; }
  bool supportsChecked() const override { return true; }

  DeviceMemory allocate(size_t bytes) override {
    size_t rounded = 0;
    void *memory = nullptr;
    if (!__builtin_add_overflow(bytes, kAlignment - 1, &rounded))
      memory = std::aligned_alloc(kAlignment, rounded / kAlignment * kAlignment);
    if (!memory)
      throw Error("out of memory: " + std::to_string(bytes) + " bytes cannot be allocated on device cpu");
    return {memory, reinterpret_cast<uintptr_t>(memory), bytes};
  }
  void free(const DeviceMemory &memory) override { std::free(memory.handle); }

  void *createStream() override { return new CpuStream; }
  void destroyStream(void *stream) override { delete static_cast<CpuStream *>(stream); }
  void synchronize(void *) override {}

  void copyToDevice(void *, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) override {
    std::memcpy(at(to, offset), from, bytes);
  }
  void copyToHost(void *, void *to, const DeviceMemory &from, size_t offset, size_t bytes) override {
    std::memcpy(to, at(from, offset), bytes);
  }
  void copyOnDevice(void *, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from, size_t fromOffset,
                    size_t bytes) override {
    std::memcpy(at(to, toOffset), at(from, fromOffset), bytes);
  }
  void fill(void *, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) override {
    std::memset(at(to, offset), value, bytes);
  }

  DeviceMemory wrapMemory(const NativeMemory &memory) override {
    return {reinterpret_cast<void *>(memory.address), memory.address, memory.bytes};
  }

  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    if (artifact.target != info_.target)
      throw Error("an artifact for target " + artifact.target + " cannot be loaded on device cpu");
    Module module = deserialize(artifact.binary);
    if (module.functions.empty() || module.functions[0].params.size() != artifact.params.size())
      throw Error("damaged artifact: it announces " + std::to_string(artifact.params.size()) +
                  " parameters, its code takes others");
    return std::make_unique<CpuKernel>(std::move(module));
  }

  void launch(void *, const DriverKernel &kernel, const LaunchRequest &request) override {
    const Program &program = static_cast<const CpuKernel &>(kernel).program;
    size_t expected = program.module().functions[0].params.size();
    if (request.arguments.size() != expected)
      throw InternalError(std::to_string(request.arguments.size()) + " arguments for a kernel of " +
                          std::to_string(expected));
    Arguments arguments(request.arguments);
    std::vector<BufferRange> ranges;
    for (const CheckedBuffer &buffer : request.buffers)
      ranges.push_back(
          {buffer.memory.handle, buffer.memory.size, buffer.name, elementKind(buffer.type), buffer.written});
    LaunchOptions options;
    options.grid = request.grid;
    options.checked = request.checked;
    options.buffers = ranges;
    options.print = request.print;
    options.sourceLine = request.sourceLine;
    options.isInterrupted = request.isInterrupted;
    program.run(arguments.values(), options);
  }

  void *recordEvent(void *) override { return new Clock::time_point(Clock::now()); }
  void destroyEvent(void *event) override { delete static_cast<Clock::time_point *>(event); }
  void waitEvent(void *) override {}
  double elapsed(void *start, void *end) override {
    return std::chrono::duration<double>(*static_cast<Clock::time_point *>(end) -
                                         *static_cast<Clock::time_point *>(start))
        .count();
  }

private:
  DeviceInfo info_ = describeHost();
};

class CpuFactory final : public DriverFactory {
public:
  std::string_view backend() const override { return "cpu"; }
  int priority() const override { return 0; }
  std::vector<DeviceInfo> enumerate(std::string &) override { return {describeHost()}; }
  bool survivesFork() const override { return true; }
  std::unique_ptr<Driver> open(const std::string &deviceName) override {
    if (deviceName != "cpu")
      throw Error("unknown device '" + deviceName + "'; the cpu backend has one, cpu");
    return std::make_unique<CpuDriver>();
  }
};

} // namespace

DriverFactory *devices() {
  static CpuFactory factory;
  return &factory;
}

} // namespace tegula::cpu
