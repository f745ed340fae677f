// What conditional code asks of a launch (core/contracts/ProgramExpression.h), and the descriptors that the launch
// derives for it from the other arguments (core/contracts/DerivedTensor.h).
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// The values of a launch that conditions are about, and that descriptors are derived from.
struct DerivingValues {
  std::vector<int64_t> values; // of each argument: integers sign-extended, addresses
  bool anyNegative = false;    // an integer argument is

  void assign(const std::vector<BoundArgument> &arguments);
};

/// Whether a launch with these values meets those conditions of the code that do not depend on the grid: no integer is
/// negative, and each derived descriptor has a shape (shapeOf). True for code without conditions. `sources`: the
/// argument of each parameter that is passed.
bool meetsConditions(const Artifact &artifact, std::span<const uint32_t> sources, const DerivingValues &values);
bool meetsConditions(const Artifact &artifact, std::span<const uint32_t> sources,
                     const std::vector<BoundArgument> &arguments);

/// Appends the derived descriptors of the variant, which holds for the arguments, in the order of its parameters. They
/// refer to `shapes`, which is filled anew.
void derive(std::vector<DescriptorValue> &descriptors, std::vector<TensorShape> &shapes, const Variant &variant,
            const DerivingValues &values);
void derive(std::vector<DescriptorValue> &descriptors, std::vector<TensorShape> &shapes, const Variant &variant,
            const std::vector<BoundArgument> &arguments);

/// Whether the variant's code may run in a grid of this extent with the arguments, for which it holds.
bool fitsGrid(const Variant &variant, const std::vector<BoundArgument> &arguments, const std::array<uint32_t, 3> &grid);

/// Whether the driver takes the derived descriptors of a loaded variant, which holds for the values.
bool areAccepted(const Variant &variant, const DerivingValues &values);
bool areAccepted(const Variant &variant, const std::vector<BoundArgument> &arguments);

} // namespace tegula
