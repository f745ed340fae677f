// Chooses the configuration and the variant that a launch runs (docs/tuning.md).
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Configure.h"
#include "core/runtime/launch/Specialize.h"
#include "core/runtime/tune/Choice.h"
#include "core/support/process/Fork.h"

#include <algorithm>

namespace tegula {
namespace {

Specialization *find(const Kernel::Impl &kernel, const Device::Impl &device, const Binding &binding,
                     const LaunchOptions &options) {
  for (Specialization *item = kernel.specializations.load(std::memory_order_acquire); item; item = item->next)
    if (item->matches(device, binding, options))
      return item;
  return nullptr;
}

thread_local unsigned measurements_ = 0; // number of measurements that this thread is inside of

bool mayMeasure(const LaunchOptions &options, const Trial *trial) {
  return trial && options.autotune.value_or(true) && !measurements_;
}

/// While an object exists, its thread measures configurations of the kernel (Kernel::Impl::measuring), and the kernel's
/// mutex is unlocked.
class Measuring {
public:
  Measuring(const Kernel::Impl &kernel, std::unique_lock<ForkSafeMutex> &lock) : kernel_(kernel), lock_(lock) {
    kernel_.measuring = forkGeneration() + 1;
    lock_.unlock();
  }
  ~Measuring() {
    lock_.lock();
    kernel_.measuring = 0;
    kernel_.measuring.notify_all();
  }
  Measuring(const Measuring &) = delete;

private:
  const Kernel::Impl &kernel_;
  std::unique_lock<ForkSafeMutex> &lock_;
  InsideMeasurement inside_;
};

/// Builds the pick key. For a tunable specialization, the key's last word is 1 if the launch may measure, else 0. A
/// configuration chosen without measuring is thus not used by launches that may measure.
void makeKey(const Kernel::Impl &kernel, const Specialization &specialization, const Binding &binding,
             const LaunchOptions &options, const Trial *trial) {
  makePickKey(binding.key, kernel.prototype, binding, specialization.deciding);
  if (specialization.isTunable)
    binding.key.push_back(mayMeasure(options, trial));
}

/// Looks up the pick. A launch that must not measure tries its own key first, then the key of launches that may, to
/// reuse their result.
Pick *findPick(const Specialization &specialization, const Binding &binding) {
  Pick *pick = specialization.picks.find(binding.key);
  if (pick || !specialization.isTunable || binding.key.back())
    return pick;
  binding.key.back() = true;
  pick = specialization.picks.find(binding.key);
  binding.key.back() = false;
  return pick;
}

/// The specialization's object for this configuration; null if there is none yet.
Configured *findConfigured(const Specialization &specialization, const Configured &wanted) {
  for (Configured *item = specialization.configured.load(std::memory_order_acquire); item; item = item->next)
    if (isSame(item->configuration, wanted.configuration) && item->bundled.instance == wanted.bundled.instance)
      return item;
  return nullptr;
}

template <class T> T *publish(std::atomic<T *> &list, std::unique_ptr<T> item) {
  item->next = list.load(std::memory_order_relaxed);
  list.store(item.get(), std::memory_order_release);
  return item.release();
}

/// The variant of `pick` that suits the arguments; null if there is none or if `pick` is null.
const Variant *remembered(const Pick *pick, const Binding &binding) {
  return pick ? pick->find(binding.arguments) : nullptr;
}

/// Moves a specialization that now has a variant from `unready` to the list that launches search without the mutex. The
/// caller holds the mutex.
void makeReady(const Kernel::Impl &kernel, const Specialization &specialization) {
  auto at = std::ranges::find(kernel.unready, &specialization, &std::unique_ptr<Specialization>::get);
  if (at == kernel.unready.end())
    return;
  publish(kernel.specializations, std::move(*at));
  kernel.unready.erase(at);
}

/// Chooses the configuration's variant for the binding's key, and compiles it if it does not exist. `pick`: the pick
/// with this key, if the caller has found one. If it is null and `table` is not, looks the key up in `table`, and adds
/// a pick if there is none. Holds the configuration's mutex `turn`: a second thread waits, and then finds the variant
/// that the first one compiled. If the first thread's compilation failed, the second thread compiles again and gets the
/// same error.
Selection chooseFor(const Instance &instance, const Binding &binding, bool mayWait, Pick *pick, PickTable *table) {
  const auto &[kernel, specialization, configured] = instance;
  std::lock_guard turn(configured.turn);
  if (!pick && table)
    pick = table->find(binding.key);
  if (const Variant *variant = remembered(pick, binding))
    return {&specialization, pick->configured, variant, true, pick};
  size_t before = configured.count();
  bool better = false;
  const Variant *variant = chooseVariant(instance, binding, mayWait, better);
  std::lock_guard lock(kernel.mutex);
  if (pick && !better && pick->configured == &configured)
    pick->otherwise.store(variant, std::memory_order_release);
  if (!pick && table && !(pick = table->find(binding.key))) // a thread with another configuration may have added it
    pick = table->add(binding.key, configured, *variant);
  if (better && pick && !pick->awaits && pick->configured == &configured)
    improveInBackground(instance, binding, *pick);
  makeReady(kernel, specialization);
  return {&specialization, &configured, variant, configured.count() == before, pick};
}

/// Finds the specialization for launches with these types and constants, or creates it. The caller holds the kernel's
/// mutex.
Specialization &findOrMake(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device,
                           const Binding &binding, const ApiConstants &given, const LaunchOptions &options) {
  if (Specialization *known = find(kernel, *device, binding, options)) // another thread may have created it meanwhile
    return *known;
  for (const std::unique_ptr<Specialization> &known : kernel.unready)
    if (known->matches(*device, binding, options))
      return *known;
  return *kernel.unready.emplace_back(specialize(kernel, device, binding, given, options));
}

/// Chooses the configuration by chooseConfiguration of tune/Choice.h. If configurations may be measured (`trial` is not
/// null), the kernel's mutex is unlocked meanwhile.
std::unique_ptr<Configured> chooseConfiguration(const MeasureRequest &request, Trial *trial,
                                                std::unique_lock<ForkSafeMutex> &lock) {
  if (!trial)
    return chooseConfiguration(request, nullptr);
  Measuring measuring(request.kernel, lock);
  return chooseConfiguration(request, trial);
}

/// The slow path of `select`, for launches whose variant is not in the lists that are read without a lock. Chooses the
/// configuration under the mutex; measures configurations and compiles the variant without it.
Selection choose(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options, Trial *trial) {
  std::unique_lock lock(kernel.mutex);
  if (mayMeasure(options, trial))
    awaitMeasured(kernel, lock);
  ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
  Specialization &specialization = findOrMake(kernel, device, binding, given, options);
  makeKey(kernel, specialization, binding, options, trial);
  if (Pick *known = findPick(specialization, binding)) {
    lock.unlock();
    return chooseFor({kernel, specialization, *known->configured}, binding, !options.background, known, nullptr);
  }
  Constants constants = toConstants(given);
  bool measures = specialization.isTunable && mayMeasure(options, trial);
  std::unique_ptr<Configured> chosen =
      chooseConfiguration({kernel, specialization, binding, constants, options}, measures ? trial : nullptr, lock);
  PickTable *table = chosen->isSettled ? &specialization.picks : nullptr;
  Configured *configured = findConfigured(specialization, *chosen);
  if (!configured)
    configured = publish(specialization.configured, std::move(chosen));
  lock.unlock();
  return chooseFor({kernel, specialization, *configured}, binding, !options.background, nullptr, table);
}

} // namespace

Specialization::~Specialization() {
  for (Configured *item = configured.load(); item;)
    delete std::exchange(item, item->next);
}

bool Specialization::takes(const Device::Impl &other, const Binding &binding, const LaunchOptions &options) const {
  return device.get() == &other && !isRetired.load(std::memory_order_relaxed) && numWarps == options.numWarps &&
         numStages == options.numStages && given.matches(binding, options.constants);
}

bool Specialization::matches(const Device::Impl &other, const Binding &binding, const LaunchOptions &options) const {
  const std::vector<BoundArgument> &arguments = binding.arguments;
  return std::equal(arguments.begin(), arguments.end(), codes.begin(), codes.end(),
                    [](const BoundArgument &argument, uint16_t code) { return argument.typeCode() == code; }) &&
         (codesTellAll ||
          std::equal(arguments.begin(), arguments.end(), types.begin(), types.end(),
                     [](const BoundArgument &argument, const ParamType &type) { return argument.matches(type); })) &&
         takes(other, binding, options);
}

InsideMeasurement::InsideMeasurement() { ++measurements_; }
InsideMeasurement::~InsideMeasurement() { --measurements_; }

void awaitMeasured(const Kernel::Impl &kernel, std::unique_lock<ForkSafeMutex> &lock) {
  const uint64_t here = forkGeneration() + 1; // a child after fork() does not have its parent's measuring thread
  while (!measurements_ && kernel.measuring == here) {
    lock.unlock();
    kernel.measuring.wait(here);
    lock.lock();
  }
}

Selection &launchTrace() {
  thread_local Selection trace;
  return trace;
}

Selection select(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options, Trial *trial) {
  Selection &trace = launchTrace();
  if (const Specialization *known = find(kernel, *device, binding, options)) {
    makeKey(kernel, *known, binding, options, trial);
    const Pick *pick = findPick(*known, binding);
    if (const Variant *variant = remembered(pick, binding))
      return trace = {known, pick->configured, variant, true, pick};
  }
  return translated(ApiError::Kind::BadUse, [&] {
    trace = {};
    return trace = choose(kernel, device, binding, options, trial);
  });
}

const Variant *selectVariant(const Kernel::Impl &kernel, const Selection &known, const Binding &binding, bool mayWait) {
  PickTable &table = known.configured->prepared;
  makeFactsKey(binding.key, binding, known.specialization->deciding.masks);
  if (const Variant *variant = remembered(table.find(binding.key), binding))
    return variant;
  return translated(ApiError::Kind::BadUse, [&] {
    return chooseFor({kernel, *known.specialization, *known.configured}, binding, mayWait, nullptr, &table).variant;
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
