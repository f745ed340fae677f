// Loads and stores through pointers and block pointers.
#include "frontend/language/builtins/Builtins.h"

#include <limits>

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;

/// One number of a shape, strides or offsets, as a scalar of `type` (i32 or i64).
Tensor extentScalar(Emitter &e, Loc loc, const Value &value, ScalarType type, const std::string &what) {
  Tensor t = e.tensor(loc, value, what);
  if (!t.shape.empty() && elementCount(t.shape) == 1)
    t = unsplat(e, loc, t);
  if (!t.shape.empty() || !t.type.isInteger() || t.type.isBool())
    e.fail(loc, what + " must be an integer or a scalar of integers, found " + value.describe());
  if (type == ScalarType::I32 && t.type.bits() > 32 && !value.as<Const>())
    e.fail(loc, what + " must have 32 bits, found " + t.str() + "; convert it with .to(tl.int32)");
  if (auto *c = value.as<Const>()) {
    Int v = e.constantInt(loc, value, what);
    if (type == ScalarType::I32 && (v < INT32_MIN || v > INT32_MAX))
      e.fail(loc, what + " must fit in 32 bits, found " + toString(v));
    Tensor result = e.scalarConstant(loc, *c, type);
    result.known = *c;
    return result;
  }
  auto known = t.known;
  t = e.cast(loc, t, type);
  t.known = known;
  return t;
}

} // namespace

std::vector<Tensor> extentScalars(Emitter &e, Loc loc, const Value &list, ScalarType type, const std::string &what) {
  std::vector<Tensor> result;
  for (const Value &value : e.elements(list))
    result.push_back(extentScalar(e, loc, value, type, what));
  return result;
}

BlockAddresses blockAddresses(Emitter &e, Loc loc, const BlockPointer &pointer,
                              const std::vector<int64_t> &checkedAxes) {
  BlockAddresses result;
  Value address = pointer.base;
  Value mask = none();
  for (size_t d = 0; d < pointer.block.size(); ++d) {
    // In 64 bits, because the parent tensor may have more than 2^31 elements.
    Tensor index = e.cast(loc, indicesAlong(e, loc, {pointer.block[d]}, 0), ScalarType::I64);
    Value position = e.binary(loc, BinaryOp::Add, index, e.cast(loc, pointer.offsets[d], ScalarType::I64));
    Tensor along = *position.as<Tensor>();
    for (size_t other = 0; other < pointer.block.size(); ++other)
      if (other != d)
        along = e.expandDims(loc, along, static_cast<int64_t>(other));
    address = e.binary(loc, BinaryOp::Add, address, e.binary(loc, BinaryOp::Mul, along, pointer.strides[d]));
    if (std::find(checkedAxes.begin(), checkedAxes.end(), static_cast<int64_t>(d)) == checkedAxes.end())
      continue;
    Value inside = e.binary(loc, BinaryOp::And, e.compare(loc, CompareOp::Ge, along, Const(Int(0))),
                            e.compare(loc, CompareOp::Lt, along, pointer.shape[d]));
    mask = mask.isNone() ? inside : e.binary(loc, BinaryOp::And, mask, inside);
  }
  result.pointers = e.broadcastTo(loc, *address.as<Tensor>(), pointer.block);
  if (!mask.isNone())
    result.mask = e.broadcastTo(loc, *mask.as<Tensor>(), pointer.block);
  return result;
}

namespace {

std::vector<int64_t> boundaryCheck(Emitter &e, const Args &args, size_t i, size_t rank) {
  std::vector<int64_t> axes;
  for (int64_t axis : e.constantInts(args.locs[i], args[i], "boundary_check")) {
    if (axis < 0 || axis >= static_cast<int64_t>(rank))
      e.fail(args.locs[i],
             "boundary_check names axis " + std::to_string(axis) + " of a block of rank " + std::to_string(rank));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end())
      e.fail(args.locs[i], "boundary_check names axis " + std::to_string(axis) + " twice");
    axes.push_back(axis);
  }
  return axes;
}

bool isEmptyTuple(const Value &value) {
  auto *tuple = value.as<Tuple>();
  return value.isNone() || (tuple && tuple->elements.empty());
}

[[noreturn]] void failNotPointer(Emitter &e, Loc loc, const char *function, const Value &value) {
  std::string hint = value.as<Descriptor>() ? std::string("; call its method ") + function : std::string();
  e.fail(loc, std::string(function) + " needs a pointer, a tensor of pointers or a block pointer, found " +
                  value.describe() + hint);
}

// load(pointer, mask, other, boundary_check, padding_option, cache_modifier, eviction_policy, volatile)
Value load(Emitter &e, const Args &args) {
  std::string padding = textArgument(e, args, 4, "padding_option");
  std::string cache = textArgument(e, args, 5, "cache_modifier"),
              eviction = textArgument(e, args, 6, "eviction_policy");
  bool isVolatile = flagArgument(e, args, 7, "volatile");
  if (!padding.empty() && padding != "zero" && padding != "nan")
    e.fail(args.locs[4], "padding_option must be 'zero' or 'nan', found '" + padding + "'");
  if (auto *block = args[0].as<BlockPointer>()) {
    if (!args[1].isNone() || !args[2].isNone())
      e.fail(args.locs[args[1].isNone() ? 2 : 1],
             "a load through a block pointer takes no mask and no other; use boundary_check and padding_option");
    auto [pointers, mask] = blockAddresses(e, args.loc, *block, boundaryCheck(e, args, 3, block->block.size()));
    std::optional<Tensor> other;
    ElementType element = block->base.type.pointee();
    if (padding == "nan") {
      if (!element.isFloat())
        e.fail(args.locs[4], "padding_option 'nan' needs floating-point elements, found " + element.str());
      if (mask)
        other = e.scalarConstant(args.loc, Const(std::numeric_limits<double>::quiet_NaN()), element);
    }
    return e.load(args.loc, pointers, mask, other, cache, eviction, isVolatile);
  }
  if (!isEmptyTuple(args[3]) || !padding.empty())
    e.fail(args.locs[isEmptyTuple(args[3]) ? 4 : 3],
           "boundary_check and padding_option belong to block pointers; use mask and other with " + args[0].describe());
  if (!args[0].as<Tensor>())
    failNotPointer(e, args.locs[0], "load", args[0]);
  return e.load(args.loc, *args[0].as<Tensor>(), optionalTensor(e, args, 1, "load's mask"),
                optionalTensor(e, args, 2, "load's other"), cache, eviction, isVolatile);
}

// store(pointer, value, mask, boundary_check, cache_modifier, eviction_policy)
Value store(Emitter &e, const Args &args) {
  Tensor value = tensorArgument(e, args, 1, "store's value");
  std::string cache = textArgument(e, args, 4, "cache_modifier"),
              eviction = textArgument(e, args, 5, "eviction_policy");
  if (auto *block = args[0].as<BlockPointer>()) {
    if (!args[2].isNone())
      e.fail(args.locs[2], "a store through a block pointer takes no mask; use boundary_check");
    auto [pointers, mask] = blockAddresses(e, args.loc, *block, boundaryCheck(e, args, 3, block->block.size()));
    e.store(args.loc, pointers, value, mask, cache, eviction);
    return none();
  }
  if (!isEmptyTuple(args[3]))
    e.fail(args.locs[3], "boundary_check belongs to block pointers; use a mask with " + args[0].describe());
  if (!args[0].as<Tensor>())
    failNotPointer(e, args.locs[0], "store", args[0]);
  e.store(args.loc, *args[0].as<Tensor>(), value, optionalTensor(e, args, 2, "store's mask"), cache, eviction);
  return none();
}

// make_block_ptr(base, shape, strides, offsets, block_shape, order)
Value makeBlockPointer(Emitter &e, const Args &args) {
  Tensor base = tensorArgument(e, args, 0, "make_block_ptr's base");
  if (!base.type.isPointer() || !base.shape.empty())
    e.fail(args.locs[0], "make_block_ptr's base must be a scalar pointer, found " + base.str());
  BlockPointer p;
  p.base = base;
  p.shape = extentScalars(e, args.locs[1], args[1], ScalarType::I64, "make_block_ptr's shape");
  p.strides = extentScalars(e, args.locs[2], args[2], ScalarType::I64, "make_block_ptr's strides");
  p.offsets = extentScalars(e, args.locs[3], args[3], ScalarType::I32, "make_block_ptr's offsets");
  p.block = e.constantShape(args.locs[4], args[4], "make_block_ptr's block_shape");
  p.order = e.constantInts(args.locs[5], args[5], "make_block_ptr's order");
  size_t rank = p.block.size();
  auto expectRank = [&](size_t i, size_t found, const char *what) {
    if (found != rank)
      e.fail(args.locs[i], std::string("make_block_ptr's ") + what + " has " + std::to_string(found) +
                               " entries, but block_shape has " + std::to_string(rank));
  };
  expectRank(1, p.shape.size(), "shape");
  expectRank(2, p.strides.size(), "strides");
  expectRank(3, p.offsets.size(), "offsets");
  expectRank(5, p.order.size(), "order");
  std::vector<int64_t> sorted = p.order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < rank; ++i)
    if (sorted[i] != static_cast<int64_t>(i))
      e.fail(args.locs[5], "make_block_ptr's order must name each axis from 0 to " + std::to_string(rank - 1) +
                               " once, found " + str(p.order));
  return p;
}

Value advance(Emitter &e, const Args &args) {
  auto *block = args[0].as<BlockPointer>();
  if (!block)
    e.fail(args.locs[0],
           "advance needs a block pointer, found " + args[0].describe() + "; add to other pointers with +");
  std::vector<Tensor> steps = extentScalars(e, args.locs[1], args[1], ScalarType::I32, "advance's offsets");
  if (steps.size() != block->offsets.size())
    e.fail(args.locs[1], "advance has " + std::to_string(steps.size()) + " offsets, but the block has rank " +
                             std::to_string(block->offsets.size()));
  BlockPointer moved = *block;
  for (size_t d = 0; d < steps.size(); ++d)
    moved.offsets[d] = *e.binary(args.loc, BinaryOp::Add, block->offsets[d], steps[d]).as<Tensor>();
  return moved;
}

} // namespace

std::span<const Builtin> memoryBuiltins() {
  static constexpr Builtin table[] = {
      {"load",
       "pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', eviction_policy='', "
       "volatile=False",
       load},
      {"store", "pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy=''", store, true},
      {"make_block_ptr", "base, shape, strides, offsets, block_shape, order", makeBlockPointer},
      {"advance", "base, offsets", advance, true},
  };
  return table;
}

} // namespace tegula::lang
