// The choice of the configuration and the variant that a launch runs (docs/tuning.md).
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Choice.h"
#include "core/runtime/launch/Configure.h"
#include "core/runtime/launch/Specialize.h"

#include <algorithm>

namespace tegula {
namespace {

Specialization *find(const Kernel::Impl &kernel, const Device::Impl *device, const Binding &binding,
                     const LaunchOptions &options) {
  for (Specialization *item = kernel.specializations.load(std::memory_order_acquire); item; item = item->next)
    if (item->matches(device, binding, options))
      return item;
  return nullptr;
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
                 const LaunchOptions &options, Trial *trial) {
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

  Constants constants = toConstants(given);
  std::unique_ptr<Configured> newConfigured =
      chooseConfiguration({kernel, *specialization, binding, constants, options}, trial);
  bool isSettled = newConfigured->isSettled;
  Configured *configured = findConfigured(*specialization, newConfigured->configuration);
  bool isNew = !configured;
  if (isNew)
    configured = newConfigured.get();
  size_t before = configured->count();
  bool better = false;
  Instance instance{kernel, *specialization, *configured};
  const Variant *variant = chooseVariant(instance, binding, !options.background, better);
  if (isNew)
    publish(specialization->configured, std::move(newConfigured));
  if (newSpecialization)
    publish(kernel.specializations, std::move(newSpecialization));
  Pick *pick = known ? known : !isSettled ? nullptr : specialization->picks.add(binding.key, *configured, *variant);
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
                 const LaunchOptions &options, Trial *trial) {
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
    return trace = choose(kernel, device, binding, options, trial);
  });
}

Artifact compileFor(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                    const LaunchOptions &options) {
  return translated(ApiError::Kind::BadUse, [&] {
    ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
    std::unique_ptr<Specialization> made = specialize(kernel, device, binding, given, options);
    std::unique_ptr<Configured> configured =
        chooseConfiguration({kernel, *made, binding, toConstants(given), options}, nullptr);
    return std::move(compileFitting({kernel, *made, *configured}, binding)->compiled.artifact);
  });
}

} // namespace tegula
