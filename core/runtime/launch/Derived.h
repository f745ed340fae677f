// Tests the conditions of conditional code (core/contracts/ProgramExpression.h), and derives from the arguments of a
// launch the descriptors that such code takes in addition (core/contracts/DerivedTensor.h).
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// The argument values of a launch that conditions test and that descriptors are derived from.
struct DerivingValues {
  std::vector<int64_t> values; // one for each argument: an integer, sign-extended, or an address
  bool anyNegative = false;    // an integer argument is negative
  std::vector<std::optional<std::pair<uint64_t, uint64_t>>> memory; // BoundArgument::memory of each argument

  void assign(const std::vector<BoundArgument> &arguments);
};

/// True if these values meet the code's conditions that do not depend on the grid: no integer is negative, the memory
/// of pointers that must be apart is known and does not overlap, and shapeOf() finds a shape for each derived
/// descriptor. True for code without conditions. `sources`: for each parameter of the code, the index of its argument.
bool meetsConditions(const Artifact &artifact, std::span<const uint32_t> sources, const DerivingValues &values);
bool meetsConditions(const Artifact &artifact, std::span<const uint32_t> sources,
                     const std::vector<BoundArgument> &arguments);

/// Appends the variant's derived descriptors in the order of its parameters. Variant::holds must be true for the
/// arguments. The descriptors refer to `shapes`, which is overwritten.
void derive(std::vector<DescriptorValue> &descriptors, std::vector<TensorShape> &shapes, const Variant &variant,
            const DerivingValues &values);
void derive(std::vector<DescriptorValue> &descriptors, std::vector<TensorShape> &shapes, const Variant &variant,
            const std::vector<BoundArgument> &arguments);

/// True if the variant's code is correct in a grid of these extents. Variant::holds must be true for the arguments.
bool fitsGrid(const Variant &variant, const std::vector<BoundArgument> &arguments, const std::array<uint32_t, 3> &grid);

/// True if the driver accepts the descriptors that a loaded variant derives. Variant::holds must be true for the
/// arguments with these values.
bool areAccepted(const Variant &variant, const DerivingValues &values);
bool areAccepted(const Variant &variant, const std::vector<BoundArgument> &arguments);

} // namespace tegula
