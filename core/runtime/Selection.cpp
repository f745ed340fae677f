// The choice of the variant that a launch runs, and its compilation if there is none yet.
#include "core/runtime/ConstantText.h"
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/support/Environment.h"

#include <algorithm>
#include <cstdio>

namespace tegula {
namespace {

/// A specialization with this many variants gets no further guarded ones: arguments that no variant's guards fit then
/// run the variant without guards.
constexpr size_t kMaxGuardedVariants = 8;

bool matches(const std::vector<BoundArgument> &arguments, const std::vector<ParamType> &types) {
  return std::equal(arguments.begin(), arguments.end(), types.begin(), types.end(),
                    [](const BoundArgument &argument, const ParamType &type) { return argument.matches(type); });
}

const Specialization *find(const Kernel::Impl &kernel, const Device::Impl *device, const Binding &binding,
                           const ApiConstants &constants, const LaunchOptions &options) {
  for (Specialization *item = kernel.specializations.load(std::memory_order_acquire); item; item = item->next)
    if (item->device.get() == device && item->numWarps == options.numWarps && item->numStages == options.numStages &&
        matches(binding.arguments, item->types) && sameConstants(item->constants, constants))
      return item;
  return nullptr;
}

Configuration configure(const Kernel::Impl &kernel, const Binding &binding, const ApiConstants &given,
                        const LaunchOptions &options) {
  Constants constants;
  for (const auto &[name, value] : given)
    constants[name] = toConstantValue(value);
  return configure(kernel.prototype.info, constants, options.numWarps, options.numStages,
                   [&](std::string_view name) { return binding.find(kernel.prototype, name); });
}

ApiConstants toApi(const Constants &constants) {
  ApiConstants result;
  for (const auto &[name, value] : constants)
    result.emplace(name, toConstant(value));
  return result;
}

/// `add_kernel(x_ptr: *f32, n: i32, BLOCK_SIZE=1024)`, for messages.
std::string describeInstance(const Kernel::Impl &kernel, const Specialization &specialization) {
  const KernelInfo &info = kernel.prototype.info;
  std::string text = info.name + "(";
  size_t next = 0;
  for (const KernelInfo::Param &param : info.params) {
    text += (&param == &info.params.front() ? "" : ", ") + param.name;
    auto constant = specialization.configuration.constants.find(param.name);
    if (!param.isConstexpr)
      text += ": " + describe(specialization.types[next++]);
    else if (constant != specialization.configuration.constants.end())
      text += "=" + describe(constant->second);
  }
  return text + ")";
}

/// Runs `step` with the instance that is compiled added to the compiler's messages.
template <class Step> auto withInstance(const Kernel::Impl &kernel, const Specialization &specialization, Step &&step) {
  try {
    return step();
  } catch (const ApiError &e) {
    if (e.kind() != ApiError::Kind::BadKernel)
      throw;
    throw ApiError(e.kind(),
                   e.what() + std::string("\nnote: while compiling ") + describeInstance(kernel, specialization),
                   e.place());
  }
}

/// Compiles for the facts that hold of these arguments, or for any arguments of their types.
std::unique_ptr<Variant> compileVariant(const Kernel::Impl &kernel, const Specialization &specialization,
                                        const Binding &binding, bool withFacts) {
  auto variant = std::make_unique<Variant>();
  for (const BoundArgument &argument : binding.arguments)
    variant->signature.push_back(argument.paramType(withFacts));
  variant->compiled = withInstance(
      kernel, specialization, [&] { return compileCached(requestFor(kernel, specialization, variant->signature)); });
  translated(ApiError::Kind::Internal,
             [&] { variant->sources = matchParams(kernel, binding.arguments, variant->compiled.artifact); });
  return variant;
}

/// A located error of the driver is the kernel's (BadKernel): the kernel does not compile for this device.
std::unique_ptr<DriverKernel> load(Driver &driver, const Artifact &artifact) {
  return translated(ApiError::Kind::Device, [&] {
    try {
      return driver.load(artifact);
    } catch (const Error &e) {
      if (e.diagnostic().location.file.empty())
        throw;
      throw toApiError(ApiError::Kind::BadKernel, e.diagnostic());
    }
  });
}

/// Text that names the first argument for which a guard of the variant does not hold.
std::string whatBreaks(const Kernel::Impl &kernel, const Variant &variant, const Binding &binding) {
  for (const Guard &guard : variant.compiled.artifact.guards) {
    Variant one;
    one.compiled.artifact.guards = {guard};
    one.sources = variant.sources;
    if (one.holds(binding.arguments))
      continue;
    const std::string &name = variant.compiled.artifact.params[guard.param].name;
    std::string operand = std::to_string(guard.operand), wanted;
    switch (guard.kind) {
    case Guard::Kind::Equals: wanted = "to be " + operand; break;
    case Guard::Kind::DivisibleBy: wanted = "to be divisible by " + operand; break;
    case Guard::Kind::AlignedTo: wanted = "to begin at a multiple of " + operand + " bytes"; break;
    case Guard::Kind::AllocationBelow: wanted = "to reach less than " + operand + " bytes"; break;
    }
    return kernel.prototype.info.name + " was written for '" + name + "' " + wanted +
           ", which the argument passed is not";
  }
  throw InternalError("no guard of " + kernel.prototype.info.name + " is broken");
}

/// A variant whose guards hold for these arguments; it is not loaded.
std::unique_ptr<Variant> compileFitting(const Kernel::Impl &kernel, const Specialization &specialization,
                                        const Binding &binding) {
  bool withFacts = specialization.count() < kMaxGuardedVariants;
  std::unique_ptr<Variant> variant = compileVariant(kernel, specialization, binding, withFacts);
  if (!variant->holds(binding.arguments) && withFacts)
    variant = compileVariant(kernel, specialization, binding, false);
  if (!variant->holds(binding.arguments)) // IR that was written for such arguments only
    throw ApiError(ApiError::Kind::BadUse, whatBreaks(kernel, *variant, binding));
  return variant;
}

void prepend(Specialization &specialization, std::unique_ptr<Variant> variant) {
  variant->next = specialization.variants.load(std::memory_order_relaxed);
  specialization.variants.store(variant.release(), std::memory_order_release);
}

const Variant *add(const Kernel::Impl &kernel, Specialization &specialization, const Binding &binding) {
  if (specialization.bundled.code) {
    for (std::unique_ptr<Variant> &variant : loadBundled(kernel, specialization, binding.arguments))
      prepend(specialization, std::move(variant));
    return specialization.find(binding.arguments);
  }
  std::unique_ptr<Variant> variant = compileFitting(kernel, specialization, binding);
  variant->kernel = withInstance(kernel, specialization,
                                 [&] { return load(*specialization.device->driver, variant->compiled.artifact); });
  const Variant *added = variant.get();
  prepend(specialization, std::move(variant));
  return added;
}

BundleChoice chooseBundled(const Kernel::Impl &kernel, const Device::Impl &device, const Binding &binding,
                           const ApiConstants &given, const LaunchOptions &options) {
  auto values = [&](std::string_view name) { return binding.find(kernel.prototype, name); };
  return choose(*kernel.bundled, *device.driver,
                {binding.arguments, given, options.numWarps, options.numStages, values});
}

/// The specialization that a launch belongs to, without variants.
std::unique_ptr<Specialization> specialize(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device,
                                           const Binding &binding, const ApiConstants &given,
                                           const std::optional<Configuration> &configuration,
                                           const LaunchOptions &options) {
  auto made = std::make_unique<Specialization>();
  made->device = device;
  made->numWarps = options.numWarps;
  made->numStages = options.numStages;
  made->constants = given;
  for (const BoundArgument &argument : binding.arguments)
    made->types.push_back(argument.paramType(false));
  if (kernel.bundled) {
    made->bundled = chooseBundled(kernel, *device, binding, given, options);
    requireCode(kernel, made->bundled, *device->driver);
    const BundleFile::Instance &instance = *made->bundled.instance;
    made->configuration = {instance.constants, instance.numWarps, instance.numStages};
  } else {
    made->configuration = configuration ? *configuration : configure(kernel, binding, given, options);
  }
  made->resolved = toApi(made->configuration.constants);
  return made;
}

} // namespace

std::vector<uint32_t> matchParams(const Kernel::Impl &kernel, const std::vector<BoundArgument> &arguments,
                                  const Artifact &artifact) {
  std::vector<uint32_t> sources;
  for (uint32_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].kind != ParamType::Kind::Constant)
      sources.push_back(i);
  if (sources.size() != artifact.params.size())
    throw InternalError("the artifact of " + kernel.prototype.info.name + " has " +
                        std::to_string(artifact.params.size()) + " parameters, " + std::to_string(sources.size()) +
                        " are passed");
  return sources;
}

CompileRequest requestFor(const Kernel::Impl &kernel, const Specialization &specialization,
                          std::vector<ParamType> signature) {
  CompileRequest request;
  request.path = kernel.path;
  request.source = kernel.source;
  request.surroundings = kernel.surroundings;
  request.kernel = kernel.prototype.info.name;
  request.startFrom = kernel.prototype.info.level;
  request.target = specialization.device->info.target;
  request.signature = std::move(signature);
  request.constants = specialization.configuration.constants;
  request.numWarps = specialization.configuration.numWarps;
  request.numStages = specialization.configuration.numStages;
  if (kernel.bundled) { // for a target that the bundle has no code for
    request.source = specialization.bundled.instance->tile;
    request.startFrom = "tile";
    std::erase_if(request.signature, [](const ParamType &type) { return type.kind == ParamType::Kind::Constant; });
  }
  return request;
}

bool Variant::holds(const std::vector<BoundArgument> &arguments) const {
  for (const Guard &guard : compiled.artifact.guards) {
    const BoundArgument &argument = arguments[sources[guard.param]];
    auto operand = static_cast<uint64_t>(guard.operand);
    bool held = false;
    switch (guard.kind) {
    case Guard::Kind::Equals: {
      unsigned width = byteSize(argument.type) * 8;
      held = width == 64 ? argument.bits == operand : argument.bits == (operand & ((uint64_t(1) << width) - 1));
      break;
    }
    case Guard::Kind::DivisibleBy: // the bits of a negative number have the same low zeros
    case Guard::Kind::AlignedTo:
      held = operand != 0 && (operand & (operand - 1)) == 0 && (argument.bits & (operand - 1)) == 0;
      break;
    case Guard::Kind::AllocationBelow:
      held = argument.buffer && argument.buffer->allocation->bytes() - argument.buffer->byteOffset() < operand;
      break;
    }
    if (!held)
      return false;
  }
  return true;
}

Specialization::~Specialization() {
  for (Variant *item = variants.load(); item;)
    delete std::exchange(item, item->next);
}

const Variant *Specialization::find(const std::vector<BoundArgument> &arguments) const {
  const Variant *best = nullptr;
  for (Variant *item = variants.load(std::memory_order_acquire); item; item = item->next)
    if ((!best || item->compiled.artifact.guards.size() > best->compiled.artifact.guards.size()) &&
        item->holds(arguments))
      best = item;
  return best;
}

size_t Specialization::count() const {
  size_t n = 0;
  for (Variant *item = variants.load(std::memory_order_acquire); item; item = item->next)
    ++n;
  return n;
}

LaunchTrace &launchTrace() {
  thread_local LaunchTrace trace;
  return trace;
}

Selection select(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options) {
  return translated(ApiError::Kind::BadUse, [&]() -> Selection {
    const ApiConstants *given = &options.constants;
    ApiConstants merged; // allocates only where a launch needs it
    if (binding.hasPositionalConstants(kernel.prototype)) {
      merged = binding.mergedConstants(kernel.prototype, options.constants);
      given = &merged;
    }
    std::optional<Configuration> configuration;
    if (kernel.bundled && !kernel.prototype.info.heuristics.empty()) {
      merged = toApi(chooseBundled(kernel, *device, binding, *given, options).instance->constants);
      given = &merged;
    } else if (!kernel.prototype.info.heuristics.empty()) {
      configuration = configure(kernel, binding, *given, options);
      merged = toApi(configuration->constants);
      given = &merged;
    }
    LaunchTrace &trace = launchTrace();
    const Specialization *known = find(kernel, device.get(), binding, *given, options);
    const Variant *variant = known ? known->find(binding.arguments) : nullptr;
    trace = {known, variant, variant != nullptr};
    if (variant)
      return {known, variant};

    std::lock_guard lock(kernel.mutex);
    auto *specialization = const_cast<Specialization *>(find(kernel, device.get(), binding, *given, options));
    std::unique_ptr<Specialization> added;
    if (!specialization) {
      added = specialize(kernel, device, binding, *given, configuration, options);
      specialization = added.get();
      if (added->configuration.configIndex >= 0 && environmentFlag(Variable::PrintAutotuning))
        std::fprintf(stderr, "%s\n", describeChoice(kernel.prototype.info, added->configuration).c_str());
    }
    variant = specialization->find(binding.arguments); // another thread may have made it meanwhile
    bool fromMemory = variant != nullptr;
    if (!variant)
      variant = add(kernel, *specialization, binding);
    if (added) {
      added->next = kernel.specializations.load(std::memory_order_relaxed);
      kernel.specializations.store(added.get(), std::memory_order_release);
      added.release();
    }
    trace = {specialization, variant, fromMemory};
    return {specialization, variant};
  });
}

const Variant *select(const Kernel::Impl &kernel, const Specialization &specialization, const Binding &binding) {
  if (const Variant *known = specialization.find(binding.arguments))
    return known;
  return translated(ApiError::Kind::BadUse, [&] {
    std::lock_guard lock(kernel.mutex);
    const Variant *made = specialization.find(binding.arguments); // by another thread meanwhile
    return made ? made : add(kernel, const_cast<Specialization &>(specialization), binding);
  });
}

Artifact compileFor(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                    const LaunchOptions &options) {
  return translated(ApiError::Kind::BadUse, [&] {
    ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
    std::unique_ptr<Specialization> made = specialize(kernel, device, binding, given, std::nullopt, options);
    return std::move(compileFitting(kernel, *made, binding)->compiled.artifact);
  });
}

} // namespace tegula
