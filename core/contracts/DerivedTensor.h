// Tensors whose descriptors the launch derives. If the compiler finds that a kernel reads blocks of a tensor through a
// plain pointer, the code takes a descriptor of that tensor, which the launch builds from the kernel's other arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tegula {

/// The product of `factor` and the values of integer parameters.
struct ArgumentProduct {
  int64_t factor = 1;
  std::vector<uint32_t> params; // indices in Artifact::params, of parameters that the caller passes
  bool operator==(const ArgumentProduct &) const = default;
};

/// A tensor whose description follows from other parameters. In addition to the LaunchConditions that such code always
/// has, the code that takes it is correct only if for the values of a launch
///
///   - the address is a multiple of 16 bytes and not null, all strides but the last are multiples of 16 bytes, and the
///     last is 1;
///   - extents are from 1 to 2^31 - 1, strides positive and less than 2^40 bytes;
///   - `multiples` divide their extents;
///   - if `isNarrow`, every stride, and the offset of the last element along the axes that are not `isOpen`, is less
///     than 2^31 elements: the kernel computes offsets in 32 bits.
struct DerivedTensor {
  struct Axis {
    ArgumentProduct extent, stride; // elements
    int64_t multiple = 1;           // divides the extent
    bool isOpen = false;            // the kernel has no bound along this axis, and `extent` is 2^31 - 1
    bool operator==(const Axis &) const = default;
  };
  uint32_t pointer = 0;   // parameter with the address of the first element
  std::vector<Axis> axes; // in the order of the descriptor's block
  bool isNarrow = false;
  bool operator==(const DerivedTensor &) const = default;
};

/// Extents and strides, in elements; at most 5 axes.
struct TensorShape {
  static constexpr size_t kMostAxes = 5;
  int64_t extents[kMostAxes] = {}, strides[kMostAxes] = {};
};

/// The tensor's shape for the values of a launch's parameters; integers are sign-extended to 64 bits. Nothing if one of
/// the conditions above does not hold.
std::optional<TensorShape> shapeOf(const DerivedTensor &tensor, unsigned elementBytes, std::span<const int64_t> values);

} // namespace tegula
