// A kernel with constants, options and argument types fixed. Each launch then only passes eight bytes for each
// argument, and the variant is chosen by their facts (docs/tuning.md, "Prepared launches").
#pragma once

#include "core/runtime/KernelImpl.h"

#include <span>

namespace tegula {

/// A tensor as the argument of a prepared launch.
struct SlotTensor {
  uint64_t address = 0;
  const int64_t *shape = nullptr, *strides = nullptr; // one for each axis of the block; the last stride is 1
};

class PreparedLaunch {
public:
  /// Chooses the configuration, and compiles the variant for the facts of `arguments`. All launches of this object use
  /// the configuration chosen here, and arguments of these types. Measures nothing. Does not keep the arguments' memory
  /// alive. Throws ApiError, also if a heuristic supplies a constant, because a heuristic depends on the values of each
  /// launch.
  template <class Values>
  PreparedLaunch(const Kernel &kernel, const Device &device, const Values &arguments, LaunchOptions options);

  struct Slot {
    uint32_t argument = 0; // index in Binding::arguments
    uint32_t param = 0;    // index among the kernel's parameters
    ParamType::Kind kind = ParamType::Kind::Scalar;
    ScalarType type = ScalarType::I32;
  };
  /// The slots of the parameters that are neither constexpr nor None, in order.
  std::span<const Slot> slots() const { return slots_; }
  const Kernel &kernel() const { return kernel_; }
  const Device &device() const { return device_; }

  /// Launches the kernel. `values` has one value for each slot: a scalar's bits, an address, or the host address of a
  /// SlotTensor. `extents` has, for each slot with an address, the bytes of memory from it on, 0 where they are not
  /// known; null: of none. Throws ApiError.
  void launch(const Stream &stream, const Grid &grid, const uint64_t *values, const uint64_t *extents = nullptr) const;
  /// variantFor returns the variant that a launch with these values runs; requestFor, the request that compiles a
  /// variant again.
  const Variant &variantFor(const uint64_t *values, const uint64_t *extents = nullptr) const;
  CompileRequest requestFor(const Variant &variant) const;

private:
  void prepare(const Binding &binding);
  void bind(Binding &binding, const uint64_t *values, const uint64_t *extents) const;

  Kernel kernel_;
  Device device_;
  LaunchOptions options_;
  Selection chosen_;                                                // owned by the kernel
  std::vector<BoundArgument> arguments_;                            // without values
  std::vector<std::unique_ptr<const std::vector<int64_t>>> blocks_; // descriptors' blocks; `arguments_` refers to them
  std::vector<Slot> slots_;
};

} // namespace tegula
