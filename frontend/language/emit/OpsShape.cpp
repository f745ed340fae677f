// Shapes: broadcasting by NumPy's rules, reshaping, axes.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"

#include <algorithm>
#include <numeric>

namespace tegula::lang {

using namespace mlir;

Tensor Emitter::expandDims(Loc loc, const Tensor &value, int64_t axis) {
  Shape shape = value.shape;
  shape.insert(shape.begin() + axis, 1);
  checkSize(loc, shape);
  if (value.shape.empty())
    return fullTensor(loc, shape, value);
  return wrap(tile::ExpandDimsOp::create(builder, at(loc), value.value, static_cast<uint32_t>(axis)), value.type,
              shape);
}

Tensor Emitter::broadcastTo(Loc loc, const Tensor &value, const Shape &shape, const std::string &what) {
  if (value.shape == shape)
    return value;
  if (value.shape.empty())
    return fullTensor(loc, shape, value);
  Tensor current = value;
  while (current.shape.size() < shape.size())
    current = expandDims(loc, current, 0);
  bool fits = current.shape.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = current.shape[i] == shape[i] || current.shape[i] == 1;
  if (!fits)
    fail(loc, what + " of shape " + str(value.shape) + " cannot be broadcast to " + str(shape));
  if (current.shape == shape)
    return current;
  checkSize(loc, shape);
  return wrap(tile::BroadcastOp::create(builder, at(loc), irType(value.type, shape), current.value), value.type, shape);
}

std::pair<Tensor, Tensor> Emitter::broadcast(Loc loc, Tensor lhs, Tensor rhs, const std::string &what) {
  if (lhs.shape == rhs.shape)
    return {lhs, rhs};
  size_t rank = std::max(lhs.shape.size(), rhs.shape.size());
  Shape shape(rank, 1);
  auto extent = [&](const Shape &s, size_t axis) {
    size_t missing = rank - s.size();
    return axis < missing ? 1 : s[axis - missing];
  };
  for (size_t i = 0; i < rank; ++i) {
    int64_t a = extent(lhs.shape, i), b = extent(rhs.shape, i);
    if (a != b && a != 1 && b != 1)
      fail(loc, what + " " + str(lhs.shape) + " and " + str(rhs.shape) + " do not broadcast: axis " +
                    std::to_string(i) + " is " + std::to_string(a) + " and " + std::to_string(b));
    shape[i] = std::max(a, b);
  }
  return {broadcastTo(loc, lhs, shape), broadcastTo(loc, rhs, shape)};
}

Tensor Emitter::reshape(Loc loc, const Tensor &value, const Shape &shape, bool allowReorder) {
  auto count = [](const Shape &s) { return std::accumulate(s.begin(), s.end(), int64_t(1), std::multiplies<>()); };
  if (count(shape) != count(value.shape))
    fail(loc, "cannot reshape " + str(value.shape) + " (" + std::to_string(count(value.shape)) + " elements) to " +
                  str(shape) + " (" + std::to_string(count(shape)) + ")");
  if (shape == value.shape)
    return value;
  if (value.shape.empty())
    return fullTensor(loc, shape, value);
  if (shape.empty())
    fail(loc, "cannot reshape a tensor to a scalar; reduce it, for example with tl.sum");
  return wrap(tile::ReshapeOp::create(builder, at(loc), shape, value.value, allowReorder), value.type, shape);
}

Tensor Emitter::permute(Loc loc, const Tensor &value, std::vector<int64_t> order) {
  size_t rank = value.shape.size();
  if (order.size() != rank)
    fail(loc, "the order " + str(order) + " has " + std::to_string(order.size()) + " axes, but the tensor has " +
                  std::to_string(rank));
  std::vector<bool> seen(rank);
  Shape shape(rank);
  SmallVector<int32_t> order32(rank);
  for (size_t i = 0; i < rank; ++i) {
    order[i] = normalizeAxis(loc, order[i], rank, "an axis of the order");
    if (seen[order[i]])
      fail(loc, "the order " + str(order) + " names axis " + std::to_string(order[i]) + " twice");
    seen[order[i]] = true;
    shape[i] = value.shape[order[i]];
    order32[i] = static_cast<int32_t>(order[i]);
  }
  if (std::is_sorted(order.begin(), order.end()))
    return value;
  return wrap(tile::TransOp::create(builder, at(loc), value.value, order32), value.type, shape);
}

Tensor Emitter::arange(Loc loc, Int start, Int end) {
  if (end <= start)
    fail(loc, "arange's end must be greater than its start, found " + str(start) + " and " + str(end));
  Int extent = end - start;
  if (extent & (extent - 1)) {
    Int next = 1;
    while (next < extent)
      next *= 2;
    fail(loc, "arange's extent must be a power of 2, found " + str(extent) + " (from " + str(start) + " to " +
                  str(end) + "); use the next power of 2 and a mask: i = tl.arange(" + str(start) + ", " +
                  str(start + next) + "), tl.load(p + i, mask=i < " + str(end) + ")");
  }
  if (start < INT32_MIN || end > INT32_MAX || extent > (1 << 20))
    fail(loc, "arange from " + str(start) + " to " + str(end) + " is too large; at most 1048576 elements in 32 bits");
  auto op = tile::MakeRangeOp::create(builder, at(loc), static_cast<uint32_t>(static_cast<int32_t>(start)),
                                      static_cast<uint32_t>(static_cast<int32_t>(end)));
  return wrap(op, ScalarType::I32, {static_cast<int64_t>(extent)});
}

} // namespace tegula::lang
