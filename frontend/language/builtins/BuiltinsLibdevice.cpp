// Functions of libdevice that are one op and that triton.language itself has not. Floats of 16 bits, which Triton
// refuses here, are computed in f32 and rounded. Functions of several ops: prelude/libdevice.py.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;
using tile::FunctionKind;

template <class Op, FixedName name> Value libdeviceUnary(Emitter &e, const Args &args) {
  return e.unaryMath<Op>(args.loc, floatArgument(e, args, 0, name.str()));
}

template <class Op, FixedName name> Value libdeviceBinary(Emitter &e, const Args &args) {
  auto [x, y] = floatPair(e, args, name.str());
  return e.wrap(Op::create(e.builder, e.at(args.loc), x.value, y.value), x.type, x.shape);
}

/// The exponent may be an integer.
Value power(Emitter &e, const Args &args) {
  if (auto *y = args[1].as<Tensor>(); y && y->type.isInteger())
    return e.prelude(args.loc, "libdevice_power_of_integer", {floatArgument(e, args, 0, "pow"), *y});
  return libdeviceBinary<math::PowFOp, "pow">(e, args);
}

Tensor callFunction(Emitter &e, Loc loc, FunctionKind kind, const std::vector<Tensor> &arguments) {
  const Tensor &like = arguments.front();
  auto op = tile::FunctionOp::create(e.builder, e.at(loc), like.value.getType(), kind, valuesOf(arguments));
  return e.wrap(op, like.type, like.shape);
}

template <FunctionKind kind, FixedName name> Value libdeviceFunction(Emitter &e, const Args &args) {
  Tensor x = floatArgument(e, args, 0, name.str());
  return e.cast(args.loc, callFunction(e, args.loc, kind, {e.widenForMath(args.loc, x)}), x.type);
}

Value hypotenuse(Emitter &e, const Args &args) {
  auto [x, y] = floatPair(e, args, "hypot");
  return callFunction(e, args.loc, FunctionKind::Hypot, {x, y});
}

template <BinaryOp op> Value rounded(Emitter &e, const Args &args) {
  return e.roundedBinary(args.loc, op, args[0], args[1]);
}

template <FunctionKind kind, FixedName name> Value roundedMultiplyAdd(Emitter &e, const Args &args) {
  auto [z, x, y] = e.promote(args.loc, args[2], args[0], args[1], Promotion{.numbers = Numbers::Typed});
  if (!x.type.isFloat() || x.type.bits() < 32)
    e.fail(args.loc,
           name.str() + " expects floats of 32 or 64 bits, found " + x.type.str() + "; convert with .to(tl.float32)");
  return callFunction(e, args.loc, kind, {x, y, z});
}

} // namespace

std::span<const Builtin> libdeviceBuiltins() {
  static constexpr Builtin table[] = {
      {"tan", "x", libdeviceUnary<math::TanOp, "tan">},
      {"asin", "x", libdeviceUnary<math::AsinOp, "asin">},
      {"acos", "x", libdeviceUnary<math::AcosOp, "acos">},
      {"atan", "x", libdeviceUnary<math::AtanOp, "atan">},
      {"sinh", "x", libdeviceUnary<math::SinhOp, "sinh">},
      {"cosh", "x", libdeviceUnary<math::CoshOp, "cosh">},
      {"atan2", "y, x", libdeviceBinary<math::Atan2Op, "atan2">},
      {"pow", "x, y", power},
      {"asinh", "x", libdeviceFunction<FunctionKind::Asinh, "asinh">},
      {"acosh", "x", libdeviceFunction<FunctionKind::Acosh, "acosh">},
      {"atanh", "x", libdeviceFunction<FunctionKind::Atanh, "atanh">},
      {"cbrt", "x", libdeviceFunction<FunctionKind::Cbrt, "cbrt">},
      {"exp10", "x", libdeviceFunction<FunctionKind::Exp10, "exp10">},
      {"sinpi", "x", libdeviceFunction<FunctionKind::Sinpi, "sinpi">},
      {"cospi", "x", libdeviceFunction<FunctionKind::Cospi, "cospi">},
      {"erfc", "x", libdeviceFunction<FunctionKind::Erfc, "erfc">},
      {"erfcx", "x", libdeviceFunction<FunctionKind::Erfcx, "erfcx">},
      {"erfinv", "x", libdeviceFunction<FunctionKind::Erfinv, "erfinv">},
      {"erfcinv", "x", libdeviceFunction<FunctionKind::Erfcinv, "erfcinv">},
      {"normcdf", "x", libdeviceFunction<FunctionKind::Normcdf, "normcdf">},
      {"normcdfinv", "x", libdeviceFunction<FunctionKind::Normcdfinv, "normcdfinv">},
      {"lgamma", "x", libdeviceFunction<FunctionKind::Lgamma, "lgamma">},
      {"tgamma", "x", libdeviceFunction<FunctionKind::Tgamma, "tgamma">},
      {"hypot", "x, y", hypotenuse},
      {"add_rn", "x, y", rounded<BinaryOp::Add>},
      {"sub_rn", "x, y", rounded<BinaryOp::Sub>},
      {"mul_rn", "x, y", rounded<BinaryOp::Mul>},
      {"fma_rd", "x, y, z", roundedMultiplyAdd<FunctionKind::FmaDown, "fma_rd">},
      {"fma_ru", "x, y, z", roundedMultiplyAdd<FunctionKind::FmaUp, "fma_ru">},
      {"fma_rz", "x, y, z", roundedMultiplyAdd<FunctionKind::FmaZero, "fma_rz">},
  };
  return table;
}

} // namespace tegula::lang
