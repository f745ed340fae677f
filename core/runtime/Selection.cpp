// The choice of the configuration and the variant that a launch runs (docs/tuning.md).
#include "core/runtime/ConstantText.h"
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Variants.h"
#include "core/support/Environment.h"

#include <algorithm>
#include <cstdio>

namespace tegula {
namespace {

Specialization *find(const Kernel::Impl &kernel, const Device::Impl *device, const Binding &binding,
                     const LaunchOptions &options) {
  for (Specialization *item = kernel.specializations.load(std::memory_order_acquire); item; item = item->next)
    if (item->matches(device, binding, options))
      return item;
  return nullptr;
}

ApiConstants toApi(const Constants &constants) {
  ApiConstants result;
  for (const auto &[name, value] : constants)
    result.emplace(name, toConstant(value));
  return result;
}

/// Whether a name stands in an expression, as a whole word.
bool mentions(std::string_view text, std::string_view name) {
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
    if ((at == 0 || !isWord(text[at - 1])) && (at + name.size() == text.size() || !isWord(text[at + name.size()])))
      return true;
  return false;
}

/// Heuristics see the scalars that they name; buffers are opaque to them.
Deciding decidingOf(const Prototype &prototype, const Binding &binding) {
  Deciding deciding;
  for (uint32_t i = 0; i < binding.arguments.size(); ++i) {
    deciding.masks.push_back(factMask(binding.arguments[i]));
    const std::string &name = prototype.info.params[prototype.runtime[i]].name;
    if (binding.arguments[i].kind == ParamType::Kind::Scalar &&
        std::ranges::any_of(prototype.info.heuristics,
                            [&](const KernelHeuristic &heuristic) { return mentions(heuristic.expression, name); }))
      deciding.exact.push_back(i);
  }
  return deciding;
}

/// The specialization that a launch belongs to, without configurations.
std::unique_ptr<Specialization> specialize(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device,
                                           const Binding &binding, const ApiConstants &given,
                                           const LaunchOptions &options) {
  auto made = std::make_unique<Specialization>();
  made->device = device;
  made->numWarps = options.numWarps;
  made->numStages = options.numStages;
  made->given = GivenConstants(kernel.prototype, given);
  for (const BoundArgument &argument : binding.arguments) {
    made->types.push_back(argument.paramType(false));
    made->codes.push_back(argument.typeCode());
    made->codesTellAll &= argument.kind != ParamType::Kind::Descriptor && argument.kind != ParamType::Kind::Constant;
  }
  made->deciding = decidingOf(kernel.prototype, binding);
  return made;
}

std::unique_ptr<Configured> configure(const Kernel::Impl &kernel, const Binding &binding, const ApiConstants &given,
                                      const LaunchOptions &options) {
  Constants constants;
  for (const auto &[name, value] : given)
    constants[name] = toConstantValue(value);
  auto made = std::make_unique<Configured>();
  made->configuration = tegula::configure(kernel.prototype.info, constants, options.numWarps, options.numStages,
                                          [&](std::string_view name) { return binding.find(kernel.prototype, name); });
  made->resolved = toApi(made->configuration.constants);
  return made;
}

bool isSame(const Configuration &a, const Configuration &b) {
  auto sameConstants = [](const auto &x, const auto &y) {
    return x.first == y.first && sameConstant(toConstant(x.second), toConstant(y.second));
  };
  return a.numWarps == b.numWarps && a.numStages == b.numStages &&
         std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end(), sameConstants);
}

/// The specialization's own object for this configuration; null if it is new.
Configured *findConfigured(const Specialization &specialization, const Configuration &wanted) {
  for (Configured *item = specialization.configured.load(std::memory_order_acquire); item; item = item->next)
    if (isSame(item->configuration, wanted))
      return item;
  return nullptr;
}

template <class T> T *publish(std::atomic<T *> &list, std::unique_ptr<T> item) {
  item->next = list.load(std::memory_order_relaxed);
  list.store(item.get(), std::memory_order_release);
  return item.release();
}

/// The kernel's mutex is held. What is compiled for a launch that then fails is kept only where it is complete.
Selection choose(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options) {
  ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
  Specialization *specialization = find(kernel, device.get(), binding, options);
  std::unique_ptr<Specialization> newSpecialization;
  if (!specialization) {
    newSpecialization = specialize(kernel, device, binding, given, options);
    specialization = newSpecialization.get();
  }
  makePickKey(binding.key, kernel.prototype, binding, specialization->deciding);
  Pick *known = specialization->picks.find(binding.key); // another thread may have made it meanwhile
  if (known && known->variant.load()->holds(binding.arguments))
    return {known->configured, known->variant, true};

  std::unique_ptr<Configured> newConfigured = configure(kernel, binding, given, options);
  Configured *configured = findConfigured(*specialization, newConfigured->configuration);
  bool isNew = !configured;
  if (isNew)
    configured = newConfigured.get();
  if (isNew && configured->configuration.configIndex >= 0 && environmentFlag(Variable::PrintAutotuning))
    std::fprintf(stderr, "%s\n", describeChoice(kernel.prototype.info, configured->configuration).c_str());
  size_t before = configured->count();
  bool better = false;
  Instance instance{kernel, *specialization, *configured};
  const Variant *variant = chooseVariant(instance, binding, !options.background, better);
  if (isNew)
    publish(specialization->configured, std::move(newConfigured));
  if (newSpecialization)
    publish(kernel.specializations, std::move(newSpecialization));
  Pick *pick = known ? known : specialization->picks.add(binding.key, *configured, *variant);
  if (better && pick && !pick->awaits)
    improveInBackground(instance, binding, *pick);
  return {configured, variant, configured->count() == before};
}

} // namespace

Specialization::~Specialization() {
  for (Configured *item = configured.load(); item;)
    delete std::exchange(item, item->next);
}

bool Specialization::matches(const Device::Impl *other, const Binding &binding, const LaunchOptions &options) const {
  const std::vector<BoundArgument> &arguments = binding.arguments;
  return device.get() == other && numWarps == options.numWarps && numStages == options.numStages &&
         std::equal(arguments.begin(), arguments.end(), codes.begin(), codes.end(),
                    [](const BoundArgument &argument, uint16_t code) { return argument.typeCode() == code; }) &&
         (codesTellAll ||
          std::equal(arguments.begin(), arguments.end(), types.begin(), types.end(),
                     [](const BoundArgument &argument, const ParamType &type) { return argument.matches(type); })) &&
         given.matches(binding, options.constants);
}

Selection &launchTrace() {
  thread_local Selection trace;
  return trace;
}

Selection select(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options) {
  Selection &trace = launchTrace();
  if (const Specialization *known = find(kernel, device.get(), binding, options)) {
    makePickKey(binding.key, kernel.prototype, binding, known->deciding);
    const Pick *pick = known->picks.find(binding.key);
    const Variant *variant = pick ? pick->variant.load(std::memory_order_acquire) : nullptr;
    if (variant && variant->holds(binding.arguments))
      return trace = {pick->configured, variant, true};
  }
  return translated(ApiError::Kind::BadUse, [&] {
    trace = {};
    std::lock_guard lock(kernel.mutex);
    return trace = choose(kernel, device, binding, options);
  });
}

Artifact compileFor(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                    const LaunchOptions &options) {
  return translated(ApiError::Kind::BadUse, [&] {
    ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
    std::unique_ptr<Specialization> made = specialize(kernel, device, binding, given, options);
    std::unique_ptr<Configured> configured = configure(kernel, binding, given, options);
    return std::move(compileFitting({kernel, *made, *configured}, binding)->compiled.artifact);
  });
}

} // namespace tegula
