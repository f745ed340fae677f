// Creation of values: program ids, ranges, tiles filled with constants; conversions of type.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;

template <class Op, FixedName name> Value gridQuery(Emitter &e, const Args &args) {
  Int axis = e.constantInt(args.locs[0], args[0], name.str() + "'s axis");
  if (axis < 0 || axis > 2)
    e.fail(args.locs[0], name.str() + "'s axis must be 0, 1 or 2, found " + toString(axis));
  return e.wrap(Op::create(e.builder, e.at(args.loc), e.builder.getI32Type(), static_cast<uint32_t>(axis)),
                ScalarType::I32, {});
}

/// The end of a range; of one that only a launch knows, says how kernels write such loops.
Int endOfRange(Emitter &e, Loc loc, const Value &end) {
  if (auto *tensor = end.as<Tensor>(); tensor && !tensor->known)
    e.fail(loc, "arange's end must be known when the kernel is compiled, found " + end.describe() +
                    "; take a tl.constexpr, a power of two, as in i = tl.arange(0, BLOCK), and mask what is beyond the "
                    "end: tl.load(p + i, mask=i < n)");
  return e.constantInt(loc, end, "arange's end");
}

/// `arange(n)` is `arange(0, n)`.
Value arange(Emitter &e, const Args &args) {
  if (args[1].isNone())
    return e.arange(args.loc, 0, endOfRange(e, args.locs[0], args[0]));
  Int start = e.constantInt(args.locs[0], args[0], "arange's start");
  return e.arange(args.loc, start, endOfRange(e, args.locs[1], args[1]));
}

/// Whether an element of the type can be the number, neither wrapped nor rounded.
bool isExact(const Const &number, ElementType type) {
  if (auto *integer = std::get_if<Int>(&number.value))
    return holds(type, *integer);
  auto *real = std::get_if<double>(&number.value);
  return real ? type == ElementType(ScalarType::F64) ||
                    (type == ElementType(ScalarType::F32) && static_cast<float>(*real) == *real)
              : type.isInteger();
}

Value filled(Emitter &e, Loc loc, const Shape &shape, const Const &number, ElementType type) {
  Tensor scalar = e.scalarConstant(loc, number, type);
  if (shape.empty() && isExact(number, type))
    scalar.known = number;
  return e.fullTensor(loc, shape, scalar);
}

Value full(Emitter &e, const Args &args) {
  Shape shape = e.constantShape(args.locs[0], args[0], "full's shape");
  if (auto *number = args[1].as<Const>()) {
    if (args[2].isNone())
      e.fail(args.loc, "full needs a dtype where its value is a constant");
    if (!number->isNumber())
      e.fail(args.locs[1], "full's value must be a number or a scalar, found " + args[1].describe());
    return filled(e, args.loc, shape, *number, e.constantType(args.locs[2], args[2], "full's dtype"));
  }
  Tensor value = tensorArgument(e, args, 1, "full's value");
  if (!value.shape.empty())
    e.fail(args.locs[1], "full's value must be a scalar, found " + value.str());
  if (!args[2].isNone())
    value = e.cast(args.loc, value, e.constantType(args.locs[2], args[2], "full's dtype"));
  return e.fullTensor(args.loc, shape, value);
}

Value zeros(Emitter &e, const Args &args) {
  Shape shape = e.constantShape(args.locs[0], args[0], "zeros' shape");
  return filled(e, args.loc, shape, Const(Int(0)), e.constantType(args.locs[1], args[1], "zeros' dtype"));
}

Value zerosLike(Emitter &e, const Args &args) {
  Tensor like = tensorArgument(e, args, 0, "zeros_like's input");
  return e.fullTensor(args.loc, like.shape, e.scalarConstant(args.loc, Const(Int(0)), like.type));
}

/// Also the method `x.to(dtype)`.
Value cast(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "what is cast");
  ElementType type = e.constantType(args.locs[1], args[1], "the type to cast to");
  std::string rounding = textArgument(e, args, 2, "fp_downcast_rounding");
  if (!rounding.empty() && rounding != "rtne" && rounding != "rtz")
    e.fail(args.locs[2], "fp_downcast_rounding must be 'rtne' or 'rtz', found '" + rounding + "'");
  bool narrows = input.type.isFloat() && type.isFloat() && type.bits() < input.type.bits();
  if (!rounding.empty() && !narrows && !(input.type == type)) // nothing is rounded where the type stays
    e.fail(args.locs[2], "fp_downcast_rounding is for conversions to a narrower float, found " + input.type.str() +
                             " to " + type.str());
  if (flagArgument(e, args, 3, "bitcast"))
    return e.bitcast(args.loc, input, type);
  Tensor result = e.cast(args.loc, input, type, rounding == "rtz");
  if (type.isPointer())
    result.type.isConst = type.isConst;
  // A cast constant stays known: tl.cast(3, tl.int64) is valid where a constant is required.
  auto *integer = input.known ? std::get_if<Int>(&input.known->value) : nullptr;
  if (integer && input.type.isInteger() && !type.isBool() && holds(type, *integer))
    result.known = input.known;
  return result;
}

Value toTensor(Emitter &e, const Args &args) { return tensorArgument(e, args, 0, "to_tensor's argument"); }

} // namespace

std::span<const Builtin> creationBuiltins() {
  static constexpr Builtin table[] = {
      {"program_id", "axis", gridQuery<tile::ProgramIdOp, "program_id">},
      {"num_programs", "axis", gridQuery<tile::NumProgramsOp, "num_programs">},
      {"arange", "start, end=None", arange},
      {"full", "shape, value, dtype=None", full},
      {"zeros", "shape, dtype", zeros},
      {"zeros_like", "input", zerosLike},
      {"cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", cast, true},
      {"to", "input, dtype, fp_downcast_rounding=None, bitcast=False", cast, true},
      {"to_tensor", "x", toTensor},
  };
  return table;
}

} // namespace tegula::lang
