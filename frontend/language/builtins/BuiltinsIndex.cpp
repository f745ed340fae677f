// Selection of elements: where, gather, sort, topk.
#include "frontend/language/builtins/Builtins.h"

#include <bit>

namespace tegula::lang {

using namespace mlir;

Tensor indicesAlong(Emitter &e, Loc loc, const Shape &shape, int64_t axis) {
  Tensor index = e.arange(loc, 0, shape[axis]);
  for (size_t d = 0; d < shape.size(); ++d)
    if (static_cast<int64_t>(d) != axis)
      index = e.expandDims(loc, index, static_cast<int64_t>(d));
  return e.broadcastTo(loc, index, shape);
}

namespace {

using Args = Builtin::Args;

Value where(Emitter &e, const Args &args) {
  for (size_t i : {1, 2})
    if (!args[i].as<Tensor>() && !args[i].as<Const>())
      e.fail(args.locs[i], "where chooses between numbers and tensors, found " + args[i].describe());
  return e.where(args.loc, args[0], args[1], args[2]);
}

Tensor gathered(Emitter &e, Loc loc, const Tensor &source, const Tensor &index, int64_t axis) {
  auto op = tile::GatherOp::create(e.builder, e.at(loc), source.value, index.value, static_cast<uint32_t>(axis));
  return e.wrap(op, source.type, index.shape);
}

Value gather(Emitter &e, const Args &args) {
  Tensor source = tensorArgument(e, args, 0, "gather's source");
  Tensor index = tensorArgument(e, args, 1, "gather's index");
  if (source.shape.empty())
    e.fail(args.locs[0], "gather needs a tensor, found " + source.str() + "; to read memory use tl.load");
  if (!index.type.isInteger() || index.type.isBool())
    e.fail(args.locs[1], "gather's index must be a tensor of integers, found " + index.str());
  index = asSigned(e, args.locs[1], index);
  int64_t axis = requiredAxis(e, args, 2, source.shape.size(), "gather's axis");
  bool fits = index.shape.size() == source.shape.size();
  for (size_t d = 0; fits && d < source.shape.size(); ++d)
    fits = static_cast<int64_t>(d) == axis || index.shape[d] == source.shape[d];
  if (!fits)
    e.fail(args.loc, "gather's index of shape " + str(index.shape) + " must have the source's shape " +
                         str(source.shape) + " but for axis " + std::to_string(axis));
  return gathered(e, args.loc, source, index, axis);
}

Value flip(Emitter &e, const Args &args) {
  Tensor x = tensorArgument(e, args, 0, "flip's input");
  if (x.shape.empty())
    e.fail(args.locs[0], "flip needs a tensor, found " + x.str());
  int64_t axis =
      axisArgument(e, args, 1, x.shape.size(), "flip's dim").value_or(static_cast<int64_t>(x.shape.size()) - 1);
  Value last = Const(Int(x.shape[axis] - 1));
  Value reversed = e.binary(args.loc, BinaryOp::Sub, last, indicesAlong(e, args.loc, x.shape, axis));
  return gathered(e, args.loc, x, *reversed.as<Tensor>(), axis);
}

Value swizzle2d(Emitter &e, const Args &args) { return e.prelude(args.loc, "swizzle2d", args.values); }

/// Sorts along any axis by moving it to the end.
Tensor sortedAlong(Emitter &e, Loc loc, const Tensor &x, int64_t axis, bool descending) {
  if (x.type.isPointer())
    e.fail(loc, "pointers cannot be sorted, found " + x.str());
  int64_t last = static_cast<int64_t>(x.shape.size()) - 1;
  std::vector<int64_t> order(x.shape.size());
  for (int64_t d = 0; d <= last; ++d)
    order[d] = d;
  std::swap(order[axis], order[last]);
  Tensor moved = axis == last ? x : e.permute(loc, x, order);
  bool isSigned = !x.type.isUnsigned() && !x.type.isBool();
  auto op = tile::SortOp::create(e.builder, e.at(loc), moved.value, descending, isSigned);
  Tensor sorted = e.wrap(op, x.type, moved.shape);
  return axis == last ? sorted : e.permute(loc, sorted, order);
}

struct SortInput {
  Tensor x;
  int64_t axis;
};

SortInput sortInput(Emitter &e, const Args &args, size_t dim, const char *function) {
  Tensor x = tensorArgument(e, args, 0, std::string(function) + "'s input");
  if (x.shape.empty())
    e.fail(args.locs[0], std::string(function) + " needs a tensor, found " + x.str());
  int64_t last = static_cast<int64_t>(x.shape.size()) - 1;
  int64_t axis = axisArgument(e, args, dim, x.shape.size(), std::string(function) + "'s dim").value_or(last);
  return {x, axis};
}

Value sort(Emitter &e, const Args &args) {
  auto [x, axis] = sortInput(e, args, 1, "sort");
  return sortedAlong(e, args.loc, x, axis, flagArgument(e, args, 2, "descending"));
}

/// The k greatest elements, in descending order.
Value topk(Emitter &e, const Args &args) {
  auto [x, axis] = sortInput(e, args, 2, "topk");
  Int k = e.constantInt(args.locs[1], args[1], "topk's k");
  if (k <= 0 || (k & (k - 1)) || k > x.shape[axis])
    e.fail(args.locs[1],
           "topk's k must be a power of 2 up to " + std::to_string(x.shape[axis]) + ", found " + toString(k));
  Tensor sorted = sortedAlong(e, args.loc, x, axis, true);
  Shape shape = x.shape;
  if (k == shape[axis])
    return sorted;
  shape[axis] = static_cast<int64_t>(k);
  Tensor greatest = gathered(e, args.loc, sorted, indicesAlong(e, args.loc, shape, axis), axis);
  return e.cast(args.loc, greatest, extremumType(x.type)); // Triton selects them with tl.max
}

Value bitonicMerge(Emitter &e, const Args &args) {
  auto [x, axis] = sortInput(e, args, 1, "bitonic_merge");
  if (axis + 1 != static_cast<int64_t>(x.shape.size()))
    e.fail(args.locs[1],
           "bitonic_merge works along the last axis, found axis " + std::to_string(axis) + " of " + str(x.shape));
  bool descending = flagArgument(e, args, 2, "descending");
  Int rounds = std::countr_zero(static_cast<uint64_t>(x.shape[axis]));
  return e.prelude(args.loc, "bitonic_merge", {x, Const(rounds), Const(descending)});
}

} // namespace

std::span<const Builtin> indexBuiltins() {
  static constexpr Builtin table[] = {
      {"where", "condition, x, y", where},
      {"gather", "src, index, axis", gather, true},
      {"flip", "x, dim=None", flip, true},
      {"swizzle2d", "i, j, size_i, size_j, size_g", swizzle2d},
      {"sort", "x, dim=None, descending=False", sort, true},
      {"topk", "x, k, dim=None", topk, true},
      {"bitonic_merge", "x, dim=None, descending=False", bitonicMerge},
  };
  return table;
}

} // namespace tegula::lang
