// The short way of a launch that repeats the thread's last launch of its kernel (docs/tuning.md, "Repeated launches").
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// The choice of a launch, for the next launch whose arguments have the same types and facts. Belongs to the binding
/// of that launch: the next one changes the binding in place.
class Repeat {
public:
  /// The next launch chooses anew.
  void forget() { kernel_ = 0; }
  /// Nothing is remembered before. Remembers the selection that was made for the binding, where a repeated launch may
  /// rest on it: all arguments were given, by position, constants apart from them, and types and facts alone decide.
  void remember(const Kernel::Impl &kernel, const Binding &binding, const Selection &selection);
  /// Binds the values and returns the selection for them, which is launchTrace() then; null where the launch must bind
  /// and select anew. Takes no lock, and allocates nothing. Throws tegula::Error for values that the kernel cannot
  /// take, as Binding::resolve does.
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
