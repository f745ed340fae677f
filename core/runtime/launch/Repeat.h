// Remembers a thread's last launch of a kernel, so that the kernel's next launch with arguments of the same types and
// facts needs no look-up (docs/tuning.md, "Repeated launches").
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// What the last launch selected (the configuration, and the compiled variant that runs), with the types and facts of
/// its arguments: a launch whose arguments have the same types and facts skips the selection. Refers to the Binding
/// object of the last launch; the next launch replaces the values of the arguments in it.
class Repeat {
public:
  /// Forgets the last launch, so that the next one binds and selects again.
  void forget() { kernel_ = 0; }
  /// Must be called after `forget`. Stores the selection made for the binding, provided that only types and facts of
  /// the arguments decided it, all arguments were given, and no argument is a constant. Otherwise stores nothing.
  void remember(const Kernel::Impl &kernel, const Binding &binding, const Selection &selection);
  /// Binds `values`, the arguments by position, and returns the previous launch's selection, which also becomes
  /// launchTrace(). Returns null if an argument has another type or other facts, or if the options require another
  /// specialization: then the caller binds and selects. Takes no lock and allocates nothing. Throws tegula::Error for a
  /// value that the kernel does not accept, as Binding::resolve does.
  const Selection *rebind(const Kernel::Impl &kernel, const Device::Impl &device, Binding &binding,
                          const std::vector<Argument> &values, const LaunchOptions &options) const;

private:
  /// The form of an argument of the previous launch: a buffer for a parameter without annotation, an integer passed as
  /// i32, a tensor descriptor, or any other, which is bound in the general way.
  enum class Kind : uint8_t { Buffer, I32, Descriptor, Other };
  struct Expected {
    Kind kind = Kind::Other;
    ArgumentFacts mask = 0, facts = 0;
    uint32_t param = 0; // index in KernelInfo::params
  };
  const Variant *bindAll(const Kernel::Impl &kernel, const Device::Impl &device, Binding &binding,
                         const std::vector<Argument> &values) const;

  uint64_t kernel_ = 0; // Kernel::Impl::serial; 0: nothing is remembered
  Selection selection_;
  std::vector<Expected> expected_; // one for each argument
};

} // namespace tegula
