// What a thread keeps of its last launch of a kernel, so that the next launch of the kernel with arguments of the same
// types and facts needs no look-up (docs/tuning.md, "Repeated launches").
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// The selection of a launch, and what its arguments were. It belongs to the binding of that launch, which the next
/// launch changes in place.
class Repeat {
public:
  /// The next launch binds and selects anew.
  void forget() { kernel_ = 0; }
  /// To be called after `forget`. Keeps the selection that was made for the binding, if types and facts of the
  /// arguments alone decided it, all arguments were given, and none of the constants is among them. Else keeps nothing.
  void remember(const Kernel::Impl &kernel, const Binding &binding, const Selection &selection);
  /// Binds `values`, the arguments by position, and returns the selection of the launch before, which also becomes
  /// launchTrace(). Null if an argument has another type or other facts than before, or if the options ask for another
  /// specialization: then the caller binds and selects. Takes no lock and allocates nothing. Throws tegula::Error for
  /// a value that the kernel does not take, as Binding::resolve does.
  const Selection *rebind(const Kernel::Impl &kernel, const Device::Impl &device, Binding &binding,
                          const std::vector<Argument> &values, const LaunchOptions &options) const;

private:
  /// How the last launch's argument was given: a buffer for a parameter without an annotation, an integer that became
  /// an i32, a tensor descriptor, or something else, which is bound as in any launch.
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
  std::vector<Expected> expected_; // one an argument
};

} // namespace tegula
