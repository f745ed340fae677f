// The types of triton.language that a kernel can call or compare with: pointer_type, tuple, dtype, and the types for
// `isinstance`.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

namespace {

using Args = Builtin::Args;

// pointer_type(element_ty, address_space, const)
Value pointerType(Emitter &e, const Args &args) {
  ElementType pointee = e.constantType(args.locs[0], args[0], "pointer_type's element type");
  if (pointee.pointerDepth >= 2)
    e.fail(args.locs[0], "pointers are at most two levels deep, found a pointer to " + pointee.str());
  ElementType type = pointee.pointerTo();
  type.isConst = flagArgument(e, args, 2, "const");
  return Const(TypeValue{type});
}

Value dtype(Emitter &e, const Args &args) {
  return Const(TypeValue{e.constantType(args.locs[0], args[0], "dtype's name")});
}

/// The integer type of so many bits, which kernels of sorting networks import from tl.core.
Value integerType(Emitter &e, const Args &args) {
  Int bits = e.constantInt(args.locs[0], args[0], "the bits of get_int_dtype");
  bool isSigned = flagArgument(e, args, 1, "signed");
  std::string name = (isSigned || bits == 1 ? "int" : "uint") + toString(bits);
  auto type = parseScalarType(name);
  if (!type)
    e.fail(args.locs[0], "there is no integer type of " + toString(bits) + " bits");
  return Const(TypeValue{*type});
}

/// The element type on which a method such as `dtype.kind()` is called.
ElementType elementOf(Emitter &e, const Args &args) { return e.constantType(args.locs[0], args[0], "the type"); }

/// Triton's `dtype.KIND`: 0 for bool, 1 for integers, 2 for floats; operands of different kinds promote to the larger.
Value kind(Emitter &e, const Args &args) {
  ElementType type = elementOf(e, args);
  if (type.isPointer())
    e.fail(args.loc, "a pointer type has no kind");
  return Const(Int(type.isBool() ? 0 : type.isInteger() ? 1 : 2));
}

template <bool isLargest> Value integerLimit(Emitter &e, const Args &args) {
  ElementType type = elementOf(e, args);
  if (!type.isInteger())
    e.fail(args.loc,
           type.str() + " is no integer type and has no " + (isLargest ? "largest" : "smallest") + " integer");
  auto [low, high] = rangeOf(type);
  return Const(isLargest ? high : low);
}

Value blockType(Emitter &e, const Args &args) {
  ElementType type = e.constantType(args.locs[0], args[0], "block_type's element type");
  auto *shape = args[1].as<Tuple>();
  if (!shape || shape->elements.empty())
    e.fail(args.locs[1],
           "block_type's shape must be a list or tuple of at least one extent, found " + args[1].describe());
  return Const(TypeValue{type, false, false, e.constantShape(args.locs[1], args[1], "block_type's shape")});
}

Value tuple(Emitter &e, const Args &args) {
  if (args[0].as<Tuple>())
    return args[0];
  e.fail(args.locs[0], "tuple needs a tuple or a list, found " + args[0].describe());
}

Value slice(Emitter &, const Args &args) {
  auto part = [&](size_t i) { return std::make_shared<Value>(args[i]); };
  return SliceValue{part(0), part(1), part(2)};
}

/// Types for annotations and comparisons only: other functions create their instances.
[[noreturn]] void refuse(Emitter &e, Loc loc, const std::string &name, const std::string &instead) {
  e.fail(loc, "tl." + name + " is a type and cannot be called in a kernel; " + instead);
}

Value blockShape(Emitter &e, const Args &args) { return e.attribute(args.loc, args[0], "shape"); }

template <FixedName name, FixedName instead> Value notCallable(Emitter &e, const Args &args) {
  refuse(e, args.loc, name.str(), instead.str());
  return none();
}

} // namespace

std::span<const Builtin> typeBuiltins() {
  static constexpr Builtin table[] = {
      {"pointer_type", "element_ty, address_space=1, const=False", pointerType},
      {"dtype", "name", dtype},
      {"get_int_dtype", "bitwidth, signed", integerType},
      {"tuple", "args", tuple},
      {"slice", "start, stop=None, step=None", slice},
      {"tensor", "*args", notCallable<"tensor", "use tl.full, tl.arange or tl.load">},
      {"block_type", "element_ty, shape", blockType},
      {"block_type.get_block_shapes", "self", blockShape},
      {"dtype.kind", "self", kind},
      {"dtype.get_int_max_value", "self", integerLimit<true>},
      {"dtype.get_int_min_value", "self", integerLimit<false>},
      {"const", "*args", notCallable<"const", "it stands in annotations">},
      {"tuple_type", "*args", notCallable<"tuple_type", "the type of a tuple follows from its elements">},
      {"tensor_descriptor", "*args", notCallable<"tensor_descriptor", "use tl.make_tensor_descriptor">},
      {"tensor_descriptor_type", "*args", notCallable<"tensor_descriptor_type", "use tl.make_tensor_descriptor">},
  };
  return table;
}

} // namespace tegula::lang
