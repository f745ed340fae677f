// A kernel with its constants, options and argument types fixed: what remains for a launch is eight bytes for each
// argument, and the choice of the variant for their facts (docs/tuning.md, "Prepared launches").
#pragma once

#include "core/runtime/KernelImpl.h"

#include <span>

namespace tegula {

/// A tensor as the argument of a prepared launch.
struct SlotTensor {
  uint64_t address = 0;
  const int64_t *shape = nullptr, *strides = nullptr; // as many as the block's rank; the last stride is 1
};

class PreparedLaunch {
public:
  /// Chooses the configuration and compiles for the values of the arguments; the configuration and the types hold for
  /// all launches. Measures nothing. Keeps none of the arguments' memory
  /// alive. Throws ApiError, also where a heuristic supplies a constant: it depends on the values of each launch.
  template <class Values>
  PreparedLaunch(const Kernel &kernel, const Device &device, const Values &arguments, LaunchOptions options);

  struct Slot {
    uint32_t argument = 0; // index in Binding::arguments
    uint32_t param = 0;    // index among the kernel's parameters
    ParamType::Kind kind = ParamType::Kind::Scalar;
    ScalarType type = ScalarType::I32;
  };
  /// Of the parameters that are neither constexpr nor None, in order.
  std::span<const Slot> slots() const { return slots_; }
  const Kernel &kernel() const { return kernel_; }
  const Device &device() const { return device_; }

  /// `values`: one for each slot: the bits of a scalar, an address, or the host address of a SlotTensor. Throws
  /// ApiError.
  void launch(const Stream &stream, const Grid &grid, const uint64_t *values) const;
  /// The variant that a launch with these values runs, and what compiles it again.
  const Variant &variantFor(const uint64_t *values) const;
  CompileRequest requestFor(const Variant &variant) const;

private:
  void prepare(const Binding &binding);
  void bind(Binding &binding, const uint64_t *values) const;

  Kernel kernel_;
  Device device_;
  LaunchOptions options_;
  Selection chosen_;                                                // of the kernel, which keeps it
  std::vector<BoundArgument> arguments_;                            // without values
  std::vector<std::unique_ptr<const std::vector<int64_t>>> blocks_; // of descriptors; `arguments_` points to them
  std::vector<Slot> slots_;
};

} // namespace tegula
