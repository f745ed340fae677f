#include "core/contracts/DerivedTensor.h"

#include <limits>

namespace tegula {
namespace {

constexpr int64_t kMostExtent = std::numeric_limits<int32_t>::max();
constexpr int64_t kStrideBytes = int64_t(1) << 40; // exclusive
constexpr int64_t kAlignment = 16;

/// The product's value; nothing if it does not fit 64 bits.
std::optional<int64_t> valueOf(const ArgumentProduct &product, std::span<const int64_t> values) {
  int64_t result = product.factor;
  for (uint32_t param : product.params)
    if (__builtin_mul_overflow(result, values[param], &result))
      return std::nullopt;
  return result;
}

bool isStride(int64_t stride, bool isLast, unsigned elementBytes) {
  return isLast ? stride == 1
                : stride > 0 && stride < kStrideBytes / elementBytes && stride * elementBytes % kAlignment == 0;
}

} // namespace

std::optional<TensorShape> shapeOf(const DerivedTensor &tensor, unsigned elementBytes,
                                   std::span<const int64_t> values) {
  if (values[tensor.pointer] == 0 || values[tensor.pointer] % kAlignment != 0) // drivers refuse a null address
    return std::nullopt;
  TensorShape shape;
  int64_t last = 0; // offset of the last element, in elements
  for (size_t i = 0; i < tensor.axes.size(); ++i) {
    const DerivedTensor::Axis &axis = tensor.axes[i];
    std::optional<int64_t> extent = valueOf(axis.extent, values), stride = valueOf(axis.stride, values);
    if (!extent || !stride || *extent < 1 || *extent > kMostExtent || *extent % axis.multiple != 0 ||
        !isStride(*stride, i + 1 == tensor.axes.size(), elementBytes))
      return std::nullopt;
    shape.extents[i] = *extent;
    shape.strides[i] = *stride;
    // `last` could reach 5 * 2^31 * 2^40, which does not fit 64 bits; so it is not increased beyond kMostExtent.
    if (tensor.isNarrow && *extent > 1 && *stride > kMostExtent)
      return std::nullopt;
    if (!axis.isOpen && last <= kMostExtent)
      last += *stride > kMostExtent ? (*extent > 1 ? kMostExtent : 0) : (*extent - 1) * *stride;
  }
  if (tensor.isNarrow && last > kMostExtent)
    return std::nullopt;
  return shape;
}

} // namespace tegula
