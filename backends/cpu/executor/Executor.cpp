#include "backends/cpu/executor/Executor.h"

#include "backends/cpu/executor/Machine.h"
#include "core/support/ThreadPool.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>

namespace tegula::cpu {

struct Program::Impl {
  Module module;
  std::vector<PreparedFunction> functions;

  explicit Impl(Module m) : module(std::move(m)) {
    verify(module);
    for (const Function &f : module.functions)
      functions.emplace_back(f);
  }
};

namespace {

std::string parameterName(const Module &module, size_t i) {
  return i < module.paramNames.size() ? "'" + module.paramNames[i] + "'" : std::to_string(i);
}

void checkArguments(const Module &module, std::span<const ArgumentValue> arguments) {
  const Function &kernel = module.functions[0];
  if (arguments.size() != kernel.params.size())
    throw Error("kernel '" + kernel.name + "' takes " + std::to_string(kernel.params.size()) + " arguments, got " +
                std::to_string(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TileType &type = kernel.type(kernel.params[i]);
    if (type.element != ElementKind::Descriptor)
      continue;
    const DescriptorArgument *d = arguments[i].descriptor;
    if (!d)
      throw Error("parameter " + parameterName(module, i) + " is a tensor descriptor, got a plain value");
    if (d->shape.size() != type.shape.size() || d->strides.size() != type.shape.size())
      throw Error("parameter " + parameterName(module, i) + " is a tensor descriptor of rank " +
                  std::to_string(type.shape.size()) + ", got " + std::to_string(d->shape.size()) + " extents and " +
                  std::to_string(d->strides.size()) + " strides");
    for (int64_t extent : d->shape)
      if (extent < 0)
        throw Error("parameter " + parameterName(module, i) + " has extent " + std::to_string(extent) +
                    ", expected at least 0");
  }
}

/// The failure of the lowest-numbered failing program so far. Programs with higher numbers need not run any more.
class FirstFailure {
public:
  bool beyond(uint64_t program) const { return program > lowest_.load(std::memory_order_relaxed); }

  void record(uint64_t program) {
    std::lock_guard lock(mutex_);
    if (program >= lowest_.load())
      return;
    lowest_ = program;
    failure_ = std::current_exception();
  }
  void rethrow() const {
    if (failure_)
      std::rethrow_exception(failure_);
  }

private:
  std::mutex mutex_;
  std::atomic<uint64_t> lowest_{UINT64_MAX};
  std::exception_ptr failure_;
};

} // namespace

void Interruption::poll() {
  if (!isInterrupted_ || std::this_thread::get_id() != launcher_ || isStopped())
    return;
  const Clock::time_point now = Clock::now();
  if (next_ == Clock::time_point())
    next_ = now + kInterval;
  if (now < next_)
    return;
  next_ = now + kInterval;
  const CrashScope callback(nullptr);
  stopped_ = isInterrupted_();
}

Program::Program(Module module) : impl_(std::make_unique<Impl>(std::move(module))) {}
Program::~Program() = default;
const Module &Program::module() const { return impl_->module; }

void Program::run(std::span<const ArgumentValue> arguments, const LaunchOptions &options) const {
  checkArguments(impl_->module, arguments);
  const auto [x, y, z] = options.grid;
  uint64_t programs = uint64_t{x} * y;
  if (__builtin_mul_overflow(programs, uint64_t{z}, &programs))
    throw Error("the grid (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
                ") has too many programs");
  std::optional<Buffers> buffers;
  if (options.checked)
    buffers.emplace(options.buffers);
  std::mutex printing;
  Interruption interruption(options.isInterrupted);
  const Launch launch{impl_->module, impl_->functions, arguments, options, buffers ? &*buffers : nullptr,
                      printing,      interruption};
  FirstFailure failure;
  auto runRange = [&](size_t begin, size_t end) {
    Machine machine(launch);
    const ExecutionPoint point = machine.executionPoint();
    const CrashScope scope(&point);
    for (uint64_t i = begin; i < end && !failure.beyond(i); ++i) {
      try {
        machine.run({static_cast<uint32_t>(i % x), static_cast<uint32_t>(i / x % y), static_cast<uint32_t>(i / x / y)});
      } catch (const std::bad_alloc &) {
        try {
          throw Error("out of memory for the tiles of kernel '" + impl_->module.functions[0].name +
                      "'; use smaller blocks");
        } catch (...) {
          failure.record(i);
        }
      } catch (...) {
        failure.record(i);
      }
    }
  };
  if (options.checked)
    runRange(0, programs);
  else
    ThreadPool::shared().parallelFor(programs, options.threads, runRange, [&] { interruption.poll(); });
  if (interruption.isStopped())
    throw Interrupted("the launch of kernel '" + impl_->module.functions[0].name + "' was interrupted");
  failure.rethrow();
}

} // namespace tegula::cpu
