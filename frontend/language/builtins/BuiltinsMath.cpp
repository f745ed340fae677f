// Elementwise mathematics. Floats of 16 and 8 bits are computed in f32 and rounded. Integers are refused where Triton
// refuses them; the message gives the conversion to write.
#include "core/support/Environment.h"
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

/// As Triton's functions on extremes do: bf16 goes through f32.
Value widenedFromBf16(Emitter &e, Loc loc, const Value &value) {
  auto *t = value.as<Tensor>();
  return t && t->type == ElementType(ScalarType::BF16) ? Value(e.cast(loc, *t, ScalarType::F32)) : value;
}

constexpr Promotion kTyped{.numbers = Numbers::Typed};

} // namespace

Tensor floatArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &name) {
  Tensor x = tensorArgument(e, args, i, name + "'s argument");
  if (!x.type.isFloat())
    e.fail(args.locs[i],
           name + " expects a floating-point tensor, found " + x.type.str() + "; convert with .to(tl.float32)");
  return x;
}

std::pair<Tensor, Tensor> floatPair(Emitter &e, const Builtin::Args &args, const std::string &name) {
  for (size_t i : {0, 1})
    if (auto *t = args[i].as<Tensor>(); t && !t->type.isFloat())
      e.fail(args.locs[i],
             name + " expects floating-point operands, found " + t->type.str() + "; convert with .to(tl.float32)");
  auto [x, y] = e.promote(args.loc, args[0], args[1], kTyped);
  if (!x.type.isFloat())
    e.fail(args.loc,
           name + " expects floating-point operands, found " + x.type.str() + "; convert with .to(tl.float32)");
  return {x, y};
}

Const constantExtremum(Emitter &e, Loc loc, bool isMax, const Const &x, const Const &y) {
  Value less = isMax ? e.compare(loc, CompareOp::Lt, x, y) : e.compare(loc, CompareOp::Lt, y, x);
  return std::get<bool>(less.as<Const>()->value) ? y : x;
}

Tensor elementwiseExtremum(Emitter &e, Loc loc, bool isMax, const Value &x, const Value &y, bool propagateNan) {
  auto [a, b] = e.promote(loc, widenedFromBf16(e, loc, x), widenedFromBf16(e, loc, y), kTyped);
  Tensor result = e.minMax(loc, isMax, a, b, propagateNan);
  auto *m = x.as<Const>(), *n = y.as<Const>();
  if (m && n) // it may stand where a constant is needed
    result.known = constantExtremum(e, loc, isMax, *m, *n);
  return result;
}

namespace {

using Args = Builtin::Args;

template <class Op, FixedName name> Value unaryFloat(Emitter &e, const Args &args) {
  return e.unaryMath<Op>(args.loc, floatArgument(e, args, 0, name.str()));
}

Value absolute(Emitter &e, const Args &args) {
  Tensor x = tensorArgument(e, args, 0, "abs's argument");
  if (x.type.isFloat())
    return e.wrap(math::AbsFOp::create(e.builder, e.at(args.loc), x.value), x.type, x.shape);
  if (x.type.isPointer())
    e.fail(args.locs[0], "abs takes numbers, found " + x.str());
  if (x.type.isUnsigned() || x.type.isBool())
    return x;
  return e.wrap(math::AbsIOp::create(e.builder, e.at(args.loc), x.value), x.type, x.shape);
}

template <FixedName name> Value divide(Emitter &e, const Args &args) {
  auto [x, y] = floatPair(e, args, name.str());
  auto op = arith::DivFOp::create(e.builder, e.at(args.loc), x.value, y.value);
  if (name.str() == "div_rn")
    op->setAttr(tile::kRoundedAttr, e.builder.getUnitAttr());
  return e.wrap(op, x.type, x.shape);
}

Value fusedMultiplyAdd(Emitter &e, const Args &args) {
  auto [z, x, y] = e.promote(args.loc, args[2], args[0], args[1], kTyped);
  if (!x.type.isFloat())
    e.fail(args.loc, "fma expects floating-point operands, found " + x.type.str() + "; convert with .to(tl.float32)");
  return e.wrap(math::FmaOp::create(e.builder, e.at(args.loc), x.value, y.value, z.value), x.type, x.shape);
}

/// The upper half of the double-width unsigned product.
Value multiplyHigh(Emitter &e, const Args &args) {
  auto [x, y] = e.promote(args.loc, args[0], args[1], kTyped);
  if (!x.type.isInteger() || x.type.bits() < 32)
    e.fail(args.loc, "umulhi expects integers of 32 or 64 bits, found " + x.type.str());
  auto op = arith::MulUIExtendedOp::create(e.builder, e.at(args.loc), x.value, y.value);
  return e.wrap(op.getHigh(), x.type, x.shape);
}

template <bool isMax> Value extremum(Emitter &e, const Args &args) {
  return elementwiseExtremum(e, args.loc, isMax, args[0], args[1], propagateNanArgument(e, args, 2));
}

/// min(max(x, low), high).
Value clamp(Emitter &e, const Args &args) {
  bool propagateNan = propagateNanArgument(e, args, 3);
  auto widened = [&](size_t i) { return widenedFromBf16(e, args.loc, args[i]); };
  auto [x, low, high] = e.promote(args.loc, widened(0), widened(1), widened(2), kTyped);
  return e.minMax(args.loc, false, e.minMax(args.loc, true, x, low, propagateNan), high, propagateNan);
}

/// Calls a function of the prelude on the argument widened to at least f32, and rounds to the argument's type.
Value preludeOnFloat(Emitter &e, const Args &args, const std::string &name, std::vector<Value> rest) {
  Tensor x = floatArgument(e, args, 0, name);
  rest.insert(rest.begin(), e.widenForMath(args.loc, x));
  Value result = e.prelude(args.loc, name, std::move(rest));
  return e.cast(args.loc, *result.as<Tensor>(), x.type);
}

Value sigmoid(Emitter &e, const Args &args) { return preludeOnFloat(e, args, "sigmoid", {}); }

Value softmax(Emitter &e, const Args &args) {
  Tensor x = floatArgument(e, args, 0, "softmax");
  if (x.shape.empty())
    e.fail(args.locs[0], "softmax needs a tensor, found " + x.str());
  int64_t axis = axisArgument(e, args, 1, x.shape.size(), "softmax's dim").value_or(0);
  flagArgument(e, args, 2, "keep_dims");
  flagArgument(e, args, 3, "ieee_rounding");
  // In f32 for narrow types, and so is the result: the greatest element that is subtracted has 32 bits (tl.max).
  return e.prelude(args.loc, "softmax", {e.widenForMath(args.loc, x), Const(Int(axis))});
}

/// Constants are folded: `tl.cdiv(4096, BLOCK)` is valid where a constant is required.
Value ceilDivide(Emitter &e, const Args &args) {
  Value raised = e.binary(args.loc, BinaryOp::Add, args[0], e.binary(args.loc, BinaryOp::Sub, args[1], Const(Int(1))));
  return e.binary(args.loc, BinaryOp::FloorDiv, raised, args[1]);
}

/// The whole logarithm of a constant, which kernels of sorting networks import from tl.standard.
Value constantLog2(Emitter &e, const Args &args) {
  Int log2 = 0;
  for (Int rest = e.constantInt(args.locs[0], args[0], "_log2's argument"); rest > 1; rest /= 2)
    ++log2;
  return Const(log2);
}

template <BinaryOp op> Value operatorCall(Emitter &e, const Args &args) {
  bool isChecked = flagArgument(e, args, 2, "sanitize_overflow");
  return isChecked ? e.checkedBinary(args.loc, op, args[0], args[1]) : e.binary(args.loc, op, args[0], args[1]);
}

/// dot(input, other, acc, input_precision, allow_tf32, max_num_imprecise_acc, out_dtype)
Value dot(Emitter &e, const Args &args) {
  Tensor lhs = tensorArgument(e, args, 0, "dot's input"), rhs = tensorArgument(e, args, 1, "dot's other");
  std::string precision = textArgument(e, args, 3, "input_precision");
  if (!args[4].isNone()) {
    if (!precision.empty())
      e.fail(args.locs[4], "dot takes input_precision or allow_tf32, not both");
    precision = flagArgument(e, args, 4, "allow_tf32") ? "tf32" : "ieee";
  }
  for (char &c : precision)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::optional<Int> imprecise = e.options.impreciseSums;
  if (!args[5].isNone()) {
    imprecise = e.constantInt(args.locs[5], args[5], "max_num_imprecise_acc");
    if (*imprecise < 0 || *imprecise > INT32_MAX)
      e.fail(args.locs[5], "max_num_imprecise_acc must not be negative, found " + toString(*imprecise));
  }
  ElementType outType =
      args[6].isNone() ? ElementType(ScalarType::F32) : e.constantType(args.locs[6], args[6], "dot's out_dtype");
  if (precision.empty()) { // not given: tf32 unless the environment says otherwise; other targets use ieee f32
    const char *chosen = environmentValue(Variable::F32Default);
    precision = !e.options.dotPrecision.empty() ? e.options.dotPrecision : chosen ? chosen : "tf32";
  }
  return e.dot(args.loc, lhs, rhs, optionalTensor(e, args, 2, "dot's acc"), precision, outType,
               imprecise ? std::max<int64_t>(static_cast<int64_t>(*imprecise), 1) : 0); // 0: the target decides
}

} // namespace

std::span<const Builtin> mathBuiltins() {
  static constexpr Builtin table[] = {
      {"exp", "x", unaryFloat<math::ExpOp, "exp">, true},
      {"exp2", "x", unaryFloat<math::Exp2Op, "exp2">, true},
      {"log", "x", unaryFloat<math::LogOp, "log">, true},
      {"log2", "x", unaryFloat<math::Log2Op, "log2">, true},
      {"sin", "x", unaryFloat<math::SinOp, "sin">, true},
      {"cos", "x", unaryFloat<math::CosOp, "cos">, true},
      {"sqrt", "x", unaryFloat<math::SqrtOp, "sqrt">, true},
      {"sqrt_rn", "x", unaryFloat<math::SqrtOp, "sqrt_rn">, true},
      {"rsqrt", "x", unaryFloat<math::RsqrtOp, "rsqrt">, true},
      {"erf", "x", unaryFloat<math::ErfOp, "erf">, true},
      {"floor", "x", unaryFloat<math::FloorOp, "floor">, true},
      {"ceil", "x", unaryFloat<math::CeilOp, "ceil">, true},
      {"trunc", "x", unaryFloat<math::TruncOp, "trunc">},
      {"tanh", "x", unaryFloat<math::TanhOp, "tanh">},
      {"expm1", "x", unaryFloat<math::ExpM1Op, "expm1">},
      {"log1p", "x", unaryFloat<math::Log1pOp, "log1p">},
      {"abs", "x", absolute, true},
      {"fdiv", "x, y, ieee_rounding=False", divide<"fdiv">},
      {"div_rn", "x, y", divide<"div_rn">},
      {"fma", "x, y, z", fusedMultiplyAdd},
      {"umulhi", "x, y", multiplyHigh},
      {"sigmoid", "x", sigmoid, true},
      {"softmax", "x, dim=None, keep_dims=False, ieee_rounding=False", softmax, true},
  };
  return table;
}

/// Combines the truth values (!= 0) of two scalars or tensors.
template <BinaryOp op> static Value logical(Emitter &e, const Args &args) {
  auto truth = [&](size_t i) { return e.toBool(args.locs[i], tensorArgument(e, args, i, "a truth value")); };
  return e.binary(args.loc, op, truth(0), truth(1));
}

std::span<const Builtin> operatorBuiltins() {
  static constexpr Builtin table[] = {
      {"add", "x, y, sanitize_overflow=True", operatorCall<BinaryOp::Add>},
      {"sub", "x, y, sanitize_overflow=True", operatorCall<BinaryOp::Sub>},
      {"mul", "x, y, sanitize_overflow=True", operatorCall<BinaryOp::Mul>},
      {"maximum", "x, y, propagate_nan='NONE'", extremum<true>},
      {"minimum", "x, y, propagate_nan='NONE'", extremum<false>},
      {"clamp", "x, min, max, propagate_nan='NONE'", clamp},
      {"cdiv", "x, div", ceilDivide, true},
      {"tensor.logical_and", "self, other", logical<BinaryOp::And>},
      {"tensor.logical_or", "self, other", logical<BinaryOp::Or>},
      {"_log2", "i", constantLog2},
      {"dot",
       "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None",
       dot},
  };
  return table;
}

} // namespace tegula::lang
