#include "core/runtime/launch/Variants.h"
#include "core/contracts/KernelOptions.h"
#include "core/runtime/ConstantText.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Background.h"
#include "core/runtime/launch/Derived.h"
#include "core/support/Log.h"

namespace tegula {
namespace {

/// The greatest number of variants with guards that a configuration gets. Once it has that many, a launch whose
/// arguments fit the guards of none runs the variant that serves all arguments.
constexpr size_t kMaxGuardedVariants = 8;

/// The instance for messages: `add_kernel(x_ptr: *f32, n: i32, BLOCK_SIZE=1024)`
std::string describeInstance(const Instance &instance) {
  const KernelInfo &info = instance.kernel.prototype.info;
  const Constants &constants = instance.configured.configuration.constants;
  std::string text = info.name + "(";
  size_t next = 0;
  for (const KernelInfo::Param &param : info.params) {
    text += (&param == &info.params.front() ? "" : ", ") + param.name;
    auto constant = constants.find(param.name);
    if (!param.isConstexpr)
      text += ": " + describe(instance.specialization.types[next++]);
    else if (constant != constants.end())
      text += "=" + describe(constant->second);
  }
  return text + ")";
}

/// Runs `step`; adds a description of the compiled instance to the compiler's messages.
template <class Step> auto withInstance(const Instance &instance, Step &&step) {
  try {
    return step();
  } catch (const ApiError &e) {
    std::string text = e.what() + std::string("\nnote: while compiling ") + describeInstance(instance);
    if (e.kind() == ApiError::Kind::OutOfResources)
      throw ApiError(e.shortage(), text, e.place());
    if (e.kind() == ApiError::Kind::BadKernel)
      throw ApiError(e.kind(), text, e.place());
    throw;
  }
}

void addSubstitute(const Instance &instance, Variant &variant, const std::vector<ArgumentFacts> &facts) {
  auto substitute = std::make_unique<Variant::Substitute>();
  substitute->request = requestFor(instance, facts);
  substitute->request.conditional = false;
  substitute->facts = facts;
  variant.substitutes.push_back(std::move(substitute));
}

std::unique_ptr<Variant> compileVariant(const Instance &instance, std::vector<ArgumentFacts> facts, bool conditional) {
  auto variant = std::make_unique<Variant>();
  CompileRequest request = requestFor(instance, facts);
  variant->conditional = request.conditional = conditional;
  variant->compiled = withInstance(instance, [&] { return compileCached(request); });
  variant->facts = std::move(facts);
  translated(ApiError::Kind::Internal, [&] {
    variant->sources = matchParams(instance.kernel, instance.specialization.types, variant->compiled.artifact);
  });
  if (variant->compiled.artifact.conditions) {
    const std::vector<ArgumentFacts> none(variant->facts.size());
    addSubstitute(instance, *variant, variant->facts);
    if (variant->facts != none)
      addSubstitute(instance, *variant, none);
  }
  return variant;
}

DerivingValues valuesOf(const Binding &binding) {
  DerivingValues values;
  values.assign(binding.arguments);
  return values;
}

/// A message that says why the variant cannot run with these arguments: the first guard that an argument breaks, else
/// the conditions of the code.
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
  for (const ArtifactParam &param : variant.compiled.artifact.params)
    if (param.tensor)
      return kernel.prototype.info.name + " was written for a descriptor '" + param.name +
             "' that the launch derives, and the arguments passed do not allow that";
  const std::optional<LaunchConditions> &conditions = variant.compiled.artifact.conditions;
  if (conditions && conditions->nonNegative && valuesOf(binding).anyNegative)
    return kernel.prototype.info.name +
           " was written for integers that are not negative, which the arguments passed are";
  if (conditions)
    return kernel.prototype.info.name +
           " was written for arguments whose memory does not overlap, which is not known of the arguments passed";
  throw InternalError("no guard of " + kernel.prototype.info.name + " is broken");
}

/// Compiles a variant for arguments with these facts: conditional code, or, if `values` do not meet the conditions of
/// that code, code without conditions.
std::unique_ptr<Variant> compileForFacts(const Instance &instance, const std::vector<ArgumentFacts> &facts,
                                         const DerivingValues &values) {
  std::unique_ptr<Variant> variant = compileVariant(instance, facts, /*conditional=*/true);
  if (meetsConditions(variant->compiled.artifact, variant->sources, values))
    return variant;
  std::unique_ptr<Variant> instead = compileVariant(instance, facts, /*conditional=*/false);
  instead->declined = std::move(variant->compiled.artifact);
  instead->declined->binary.clear();
  return instead;
}

/// Loads the variant. If the driver refuses the descriptors that it derives from these values, `variant` is replaced by
/// one for the same facts without conditions.
void loadAccepted(const Instance &instance, std::unique_ptr<Variant> &variant, const DerivingValues &values) {
  loadVariant(instance, *variant);
  if (areAccepted(*variant, values))
    return;
  variant = compileVariant(instance, variant->facts, /*conditional=*/false);
  loadVariant(instance, *variant);
}

/// Compiles a variant for any arguments of these types.
std::unique_ptr<Variant> compileForAny(const Instance &instance, const Binding &binding) {
  std::unique_ptr<Variant> variant =
      compileVariant(instance, std::vector<ArgumentFacts>(binding.arguments.size()), /*conditional=*/false);
  if (!variant->holds(binding.arguments)) // the kernel is IR with guards of its own
    throw ApiError(ApiError::Kind::BadUse, whatBreaks(instance.kernel, *variant, binding));
  return variant;
}

/// Loads an artifact. An error of the driver that has a place in the source becomes an ApiError of kind BadKernel: the
/// kernel does not compile for this device.
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

/// The variant of a substitute, which the first call compiles and loads. `of`: the conditional variant that it
/// replaces.
const Variant &codeOf(Variant::Substitute &substitute, const Variant &of, Driver &driver) {
  if (const Variant *variant = substitute.variant.load(std::memory_order_acquire))
    return *variant;
  std::lock_guard lock(substitute.mutex);
  if (!substitute.made) {
    auto made = std::make_unique<Variant>();
    made->conditional = false;
    made->facts = substitute.facts;
    made->sources = of.sources;
    made->compiled = compileCached(substitute.request);
    made->kernel = load(driver, made->compiled.artifact);
    substitute.made = std::move(made);
    substitute.variant.store(substitute.made.get(), std::memory_order_release);
  }
  return *substitute.made;
}

/// Adds the variant to the configuration's list. The caller holds the kernel's mutex.
const Variant *publish(Configured &configured, std::unique_ptr<Variant> variant) {
  variant->next = configured.variants.load(std::memory_order_relaxed);
  configured.variants.store(variant.get(), std::memory_order_release);
  return variant.release();
}

/// True if both artifacts require the same of a launch: their guards, parameters and conditions are equal.
bool askAlike(const Artifact &a, const Artifact &b) {
  return a.guards == b.guards && a.params == b.params && a.conditions == b.conditions;
}

/// A variant of the configuration that has the same code as `made` and is correct for the same launches; null if there
/// is none.
const Variant *findEqual(const Configured &configured, const Variant &made) {
  for (Variant *item = configured.variants.load(std::memory_order_acquire); item; item = item->next) {
    bool declinesAlike =
        item->declined && made.declined ? askAlike(*item->declined, *made.declined) : !item->declined && !made.declined;
    if (declinesAlike && askAlike(item->compiled.artifact, made.compiled.artifact) &&
        item->compiled.artifact.binary == made.compiled.artifact.binary)
      return item;
  }
  return nullptr;
}

/// Loads the variant and adds it to the configuration. If the configuration has an equal one, returns that one instead.
const Variant *keep(const Instance &instance, std::unique_ptr<Variant> made, const DerivingValues &values) {
  if (const Variant *equal = findEqual(instance.configured, *made))
    return equal;
  loadAccepted(instance, made, values);
  std::lock_guard lock(instance.kernel.mutex);
  if (const Variant *equal = findEqual(instance.configured, *made)) // equal to its replacement, or added meanwhile
    return equal;
  return publish(instance.configured, std::move(made));
}

/// Of the variants in the bundle for which Variant::holds is true, the one with the most demands. There is always one,
/// because a bundle has a variant that serves all arguments.
const Variant *chooseBundled(const Instance &instance, const Binding &binding) {
  if (instance.configured.count() == 0) {
    std::vector<std::unique_ptr<Variant>> loaded = loadBundled(instance, binding.arguments);
    std::lock_guard lock(instance.kernel.mutex);
    for (std::unique_ptr<Variant> &variant : loaded)
      publish(instance.configured, std::move(variant));
  }
  return instance.configured.find(binding.arguments);
}

} // namespace

std::vector<uint32_t> matchParams(const Kernel::Impl &kernel, const std::vector<ParamType> &types,
                                  const Artifact &artifact) {
  std::vector<uint32_t> sources;
  for (uint32_t i = 0; i < types.size(); ++i)
    if (types[i].kind != ParamType::Kind::Constant)
      sources.push_back(i);
  if (sources.size() != artifact.passedParams())
    throw InternalError("the artifact of " + kernel.prototype.info.name + " has " +
                        std::to_string(artifact.passedParams()) + " parameters, " + std::to_string(sources.size()) +
                        " are passed");
  return sources;
}

CompileRequest requestFor(const Instance &instance, const std::vector<ArgumentFacts> &facts) {
  CompileRequest request;
  request.path = instance.kernel.path;
  request.source = instance.kernel.source;
  request.surroundings = instance.kernel.surroundings;
  request.kernel = instance.kernel.prototype.info.name;
  request.startFrom = instance.kernel.prototype.info.level;
  request.target = instance.specialization.device->info.target;
  request.signature = instance.specialization.types;
  for (size_t i = 0; i < facts.size(); ++i)
    addFacts(request.signature[i], facts[i]);
  request.constants = instance.configured.configuration.constants;
  request.numWarps = instance.configured.configuration.numWarps;
  request.numStages = instance.configured.configuration.numStages;
  if (instance.kernel.bundled) { // the bundle has no code for this target, so its tile IR is compiled
    request.source = instance.configured.bundled.instance->tile;
    request.startFrom = "tile";
    // Removes the constants that set options: options took effect when the tile IR was made, except the register cap,
    // which later levels need. If a parameter has an option's name, the constant is the parameter's value and is
    // removed, too, because the IR contains that value.
    const KernelInfo &info = instance.kernel.prototype.info;
    for (std::string_view option : kOptions)
      if (option != kMaxRegisters || !isOption(info, option))
        request.constants.erase(std::string(option));
    std::erase_if(request.signature, [](const ParamType &type) { return type.kind == ParamType::Kind::Constant; });
  }
  return request;
}

void loadVariant(const Instance &instance, Variant &variant) {
  variant.kernel =
      withInstance(instance, [&] { return load(*instance.specialization.device->driver, variant.compiled.artifact); });
}

void loadAccepted(const Instance &instance, std::unique_ptr<Variant> &variant, const Binding &binding) {
  loadAccepted(instance, variant, valuesOf(binding));
}

const Variant *chooseVariant(const Instance &instance, const Binding &binding, bool mayWait, bool &better) {
  Configured &configured = instance.configured;
  better = false;
  if (configured.bundled.code)
    return chooseBundled(instance, binding);
  if (const Variant *serving = configured.findServing(binding.arguments))
    return serving;
  const Variant *fitting = configured.find(binding.arguments);
  bool isFull = configured.count() >= kMaxGuardedVariants;
  if (fitting && (isFull || !mayWait)) {
    better = !isFull;
    return fitting;
  }
  return keep(instance, compileFitting(instance, binding), valuesOf(binding));
}

std::unique_ptr<Variant> compileFitting(const Instance &instance, const Binding &binding) {
  if (instance.configured.count() < kMaxGuardedVariants) {
    std::unique_ptr<Variant> variant = compileForFacts(instance, factsOf(binding.arguments), valuesOf(binding));
    if (variant->holds(binding.arguments))
      return variant;
  }
  return compileForAny(instance, binding);
}

const Variant &unconditionalVariant(const Variant &variant, Driver &driver,
                                    const std::vector<BoundArgument> &arguments) {
  for (const std::unique_ptr<Variant::Substitute> &substitute : variant.substitutes) {
    const Variant &made = codeOf(*substitute, variant, driver);
    if (!made.compiled.artifact.conditions && made.holds(arguments))
      return made;
  }
  // No substitute holds: the kernel was written as IR, with conditions or guards of its own that compilation cannot
  // remove.
  throw ApiError(ApiError::Kind::BadUse, variant.compiled.artifact.entry +
                                             " was written for other launches: its grid breaks a condition, or the "
                                             "device cannot describe a tensor, and there is no other code");
}

const Variant &variantForGrid(const Variant &variant, Driver &driver, const std::vector<BoundArgument> &arguments,
                              const std::array<uint32_t, 3> &grid) {
  return fitsGrid(variant, arguments, grid) ? variant : unconditionalVariant(variant, driver, arguments);
}

void improveInBackground(const Instance &instance, const Binding &binding, Pick &pick) {
  // The task keeps the kernel alive, and the kernel owns all objects that the task refers to.
  auto task = [kernel = instance.kernel.shared_from_this(), &specialization = instance.specialization,
               &configured = instance.configured, &pick, facts = factsOf(binding.arguments),
               values = valuesOf(binding)] {
    Instance same{*kernel, specialization, configured};
    try {
      pick.variant.store(keep(same, compileForFacts(same, facts, values), values), std::memory_order_release);
    } catch (const std::exception &e) {
      logLine("cache", "a better variant of " + kernel->prototype.info.name + " is not made: " + e.what());
    }
    pick.awaits = false;
  };
  pick.awaits = true;
  Background::shared().post(std::move(task));
}

bool Variant::suits(const std::vector<BoundArgument> &arguments) const {
  return holds(arguments) && (!declined || !meetsConditions(*declined, sources, arguments));
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
    case Guard::Kind::DivisibleBy: // two's complement: a negative number has the same trailing zeros as its magnitude
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
  return meetsConditions(compiled.artifact, sources, arguments);
}

bool Variant::serves(const std::vector<BoundArgument> &arguments) const {
  if (!suits(arguments))
    return false;
  if (compiled.artifact.ignoresFacts)
    return true;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!includes(facts[i], factsOf(arguments[i])))
      return false;
  return true;
}

Configured::~Configured() {
  for (Variant *item = variants.load(); item;)
    delete std::exchange(item, item->next);
}

const Variant *Configured::find(const std::vector<BoundArgument> &arguments) const {
  const Variant *best = nullptr;
  for (Variant *item = variants.load(std::memory_order_acquire); item; item = item->next)
    if ((!best || item->demands() > best->demands()) && item->holds(arguments))
      best = item;
  return best;
}

const Variant *Configured::findServing(const std::vector<BoundArgument> &arguments) const {
  for (Variant *item = variants.load(std::memory_order_acquire); item; item = item->next)
    if (item->serves(arguments))
      return item;
  return nullptr;
}

size_t Configured::count() const {
  size_t n = 0;
  for (Variant *item = variants.load(std::memory_order_acquire); item; item = item->next)
    ++n;
  return n;
}

} // namespace tegula
