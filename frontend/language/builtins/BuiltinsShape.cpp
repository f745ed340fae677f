// Changes of shape: no function here computes new elements.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

Tensor unsplat(Emitter &e, Loc loc, const Tensor &value) {
  if (value.shape.empty())
    return value;
  Tensor flat = e.reshape(loc, value, {1});
  return reduceTensor(e, loc, flat, 0, false, [](Tensor accumulator, Tensor) { return accumulator; });
}

void broadcastAll(Emitter &e, Loc loc, std::vector<Tensor> &tensors) {
  for (int pass = 0; pass < 2;
       ++pass) // the first pass finds the common shape, the second converts the earlier arguments to it
    for (size_t i = 1; i < tensors.size(); ++i)
      std::tie(tensors[0], tensors[i]) = e.broadcast(loc, tensors[0], tensors[i]);
}

namespace {

using Args = Builtin::Args;

/// The argument as a tensor of rank 1 or more; these functions are not defined on scalars.
Tensor tileArgument(Emitter &e, const Args &args, size_t i, const char *function) {
  Tensor t = tensorArgument(e, args, i, std::string(function) + "'s input");
  if (t.shape.empty())
    e.fail(args.locs[i], std::string(function) + " needs a tensor, found " + t.str());
  return t;
}

Value broadcast(Emitter &e, const Args &args) {
  Tensor a = tensorArgument(e, args, 0, "broadcast's input");
  Tensor b = tensorArgument(e, args, 1, "broadcast's other");
  auto [x, y] = e.broadcast(args.loc, a, b);
  return tupleOf({x, y});
}

Value broadcastTo(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "broadcast_to's input");
  Shape shape = e.constantShape(args.locs[1], variadicArgument(args, 1), "broadcast_to's shape");
  if (!input.shape.empty() && input.shape.size() != shape.size())
    e.fail(args.loc, "broadcast_to keeps the rank, found " + str(input.shape) + " and " + str(shape) +
                         "; add axes with expand_dims or [:, None] first");
  return e.broadcastTo(args.loc, input, shape, "broadcast_to's input");
}

Value expandDims(Emitter &e, const Args &args) {
  Tensor result = tensorArgument(e, args, 0, "expand_dims' input");
  std::vector<int64_t> axes = e.constantInts(args.locs[1], args[1], "expand_dims' axis");
  for (int64_t &axis : axes)
    axis = e.normalizeAxis(args.locs[1], axis, result.shape.size() + axes.size(), "expand_dims' axis");
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    e.fail(args.locs[1], "expand_dims names an axis twice: " + str(axes));
  for (int64_t axis : axes)
    result = e.expandDims(args.loc, result, axis);
  return result;
}

Value unsqueeze(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "unsqueeze's input");
  return e.expandDims(args.loc, input, requiredAxis(e, args, 1, input.shape.size() + 1, "unsqueeze's axis"));
}

Value squeeze(Emitter &e, const Args &args) {
  Tensor input = tileArgument(e, args, 0, "squeeze");
  int64_t axis = requiredAxis(e, args, 1, input.shape.size(), "squeeze's axis");
  if (input.shape[axis] != 1)
    e.fail(args.loc, "squeeze removes an axis of extent 1, found extent " + std::to_string(input.shape[axis]) +
                         " at axis " + std::to_string(axis) + " of " + str(input.shape));
  Shape shape = input.shape;
  shape.erase(shape.begin() + axis);
  return shape.empty() ? unsplat(e, args.loc, input) : e.reshape(args.loc, input, shape);
}

Tensor reshaped(Emitter &e, const Args &args, const Shape &shape, bool allowReorder) {
  Tensor input = tensorArgument(e, args, 0, "reshape's input");
  if (shape.empty() && elementCount(input.shape) == 1)
    return unsplat(e, args.loc, input);
  return e.reshape(args.loc, input, shape, allowReorder);
}

Value reshape(Emitter &e, const Args &args) {
  Shape shape = e.constantShape(args.locs[1], variadicArgument(args, 1), "reshape's shape");
  return reshaped(e, args, shape, flagArgument(e, args, 2, "can_reorder"));
}

/// `view` may reorder elements by Triton's definition; this one never does.
Value view(Emitter &e, const Args &args) {
  return reshaped(e, args, e.constantShape(args.locs[1], variadicArgument(args, 1), "view's shape"), true);
}

Value ravel(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "ravel's input");
  return e.reshape(args.loc, input, {elementCount(input.shape)}, flagArgument(e, args, 1, "can_reorder"));
}

Value item(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "item's input");
  if (elementCount(input.shape) != 1)
    e.fail(args.loc, "item needs a tensor of one element, found " + input.str());
  return unsplat(e, args.loc, input);
}

Value permute(Emitter &e, const Args &args) {
  Tensor input = tileArgument(e, args, 0, "permute");
  return e.permute(args.loc, input, e.constantInts(args.locs[1], variadicArgument(args, 1), "permute's order"));
}

Value trans(Emitter &e, const Args &args) {
  Tensor input = tileArgument(e, args, 0, "trans");
  std::vector<int64_t> order = e.constantInts(args.locs[1], variadicArgument(args, 1), "trans' order");
  if (order.empty()) {
    if (input.shape.size() != 2)
      e.fail(args.loc,
             "trans without an order needs a tensor of rank 2, found " + input.str() + "; give the order of the axes");
    order = {1, 0};
  }
  return e.permute(args.loc, input, order);
}

/// Two operands of one type: a number takes the other's type; two tensors must agree. Integers that differ in their
/// sign alone take the first one's.
std::pair<Tensor, Tensor> pairArgument(Emitter &e, const Args &args, const char *function) {
  auto *x = args[0].as<Tensor>(), *y = args[1].as<Tensor>();
  if (x && y && x->type.isInteger() && y->type.isInteger() && x->type.bits() == y->type.bits())
    return e.broadcast(args.loc, *x, e.cast(args.loc, *y, x->type));
  if (x && y && !(x->type == y->type))
    e.fail(args.loc, std::string(function) + " needs two tensors of one type, found " + x->type.str() + " and " +
                         y->type.str() + "; convert one with .to()");
  return e.promote(args.loc, args[0], args[1], {.allowPointers = true});
}

Tensor joined(Emitter &e, Loc loc, const Tensor &a, const Tensor &b) {
  Shape shape = a.shape;
  shape.push_back(2);
  e.checkSize(loc, shape);
  return e.wrap(tile::JoinOp::create(e.builder, e.at(loc), a.value, b.value), a.type, shape);
}

Value join(Emitter &e, const Args &args) {
  auto [a, b] = pairArgument(e, args, "join");
  return joined(e, args.loc, a, b);
}

Value split(Emitter &e, const Args &args) {
  Tensor a = tileArgument(e, args, 0, "split");
  if (a.shape.back() != 2)
    e.fail(args.loc, "split needs a last axis of extent 2, found " + a.str() + "; reshape or permute it first");
  Shape shape(a.shape.begin(), a.shape.end() - 1);
  auto op = tile::SplitOp::create(e.builder, e.at(args.loc), a.value);
  return tupleOf({e.wrap(op.getLhs(), a.type, shape), e.wrap(op.getRhs(), a.type, shape)});
}

Value interleave(Emitter &e, const Args &args) {
  auto [a, b] = pairArgument(e, args, "interleave");
  Tensor c = joined(e, args.loc, a, b);
  if (a.shape.empty())
    return c;
  Shape shape = a.shape;
  shape.back() *= 2;
  return e.reshape(args.loc, c, shape);
}

/// Joins two tensors along `dim`: join puts them side by side in a new last axis, which then moves in front of `dim`.
Value cat(Emitter &e, const Args &args) {
  auto [a, b] = pairArgument(e, args, "cat");
  if (a.shape.empty())
    e.fail(args.loc, "cat needs tensors, found scalars; use tl.join");
  auto *x = args[0].as<Tensor>(), *y = args[1].as<Tensor>();
  if (x && y && x->shape != y->shape)
    e.fail(args.loc, "cat needs two tensors of one shape, found " + str(x->shape) + " and " + str(y->shape));
  flagArgument(e, args, 2, "can_reorder");
  int64_t rank = static_cast<int64_t>(a.shape.size());
  int64_t dim = requiredAxis(e, args, 3, a.shape.size(), "cat's dim");
  Shape shape = a.shape;
  shape[dim] *= 2;
  e.checkSize(args.loc, shape);
  if (rank == 1)
    return e.wrap(tile::CatOp::create(e.builder, e.at(args.loc), a.value, b.value), a.type, shape);
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis == dim)
      order.push_back(rank);
    order.push_back(axis);
  }
  return e.reshape(args.loc, e.permute(args.loc, joined(e, args.loc, a, b), order), shape);
}

} // namespace

std::span<const Builtin> shapeBuiltins() {
  static constexpr Builtin table[] = {
      {"broadcast", "input, other", broadcast},
      {"broadcast_to", "input, *shape", broadcastTo, true},
      {"expand_dims", "input, axis", expandDims, true},
      {"unsqueeze", "x, dim", unsqueeze, true},
      {"squeeze", "x, dim", squeeze, true},
      {"reshape", "input, *shape, can_reorder=False", reshape, true},
      {"view", "input, *shape", view, true},
      {"ravel", "x, can_reorder=False", ravel, true},
      {"item", "input", item, true},
      {"permute", "input, *dims", permute, true},
      {"trans", "input, *dims", trans, true},
      {"join", "a, b", join},
      {"split", "a", split, true},
      {"interleave", "a, b", interleave},
      {"cat", "input, other, can_reorder=False, dim=0", cat},
  };
  return table;
}

} // namespace tegula::lang
