// device_print, device_assert, and the kernel's assumptions (assume, multiple_of, ...).
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

void needKernel(Emitter &e, Loc loc, const std::string &function) {
  if (e.isInCombineFunction())
    e.fail(loc, function + " cannot be called in the function of a reduction, scan or map_elementwise; call it before "
                           "or after, on the tensors");
}

void emitPrint(Emitter &e, Loc loc, std::string prefix, const std::vector<Tensor> &values, bool hex) {
  needKernel(e, loc, "device_print");
  // Triton's form: the prefix begins with a space, and ends in ": " before values.
  if (!values.empty()) {
    if (!prefix.ends_with(" "))
      prefix += " ";
    if (!prefix.ends_with(": "))
      prefix = prefix.substr(0, prefix.size() - 1) + ": ";
  }
  if (prefix.size() > 2 && !prefix.starts_with(" "))
    prefix = " " + prefix;
  SmallVector<mlir::Value> operands;
  SmallVector<bool> isSigned;
  for (const Tensor &t : values) {
    operands.push_back(t.value);
    isSigned.push_back(t.type.isInteger() && !t.type.isUnsigned() && !t.type.isBool());
  }
  tile::PrintOp::create(e.builder, e.at(loc), prefix, hex, operands, isSigned);
}

namespace {

using Args = Builtin::Args;

// device_print(prefix, *args, hex)
Value devicePrint(Emitter &e, const Args &args) {
  std::string prefix = textArgument(e, args, 0, "device_print's prefix");
  for (char c : prefix)
    if (static_cast<unsigned char>(c) >= 0x7f ||
        (static_cast<unsigned char>(c) < 0x20 && !std::isspace(static_cast<unsigned char>(c))))
      e.fail(args.locs[0], "device_print's prefix must be printable ASCII, found '" + prefix + "'");
  std::vector<Tensor> values;
  for (const Value &value : args[1].as<Tuple>()->elements)
    values.push_back(e.tensor(args.locs[1], value, "what device_print prints"));
  emitPrint(e, args.loc, std::move(prefix), values, flagArgument(e, args, 2, "hex"));
  return none();
}

// device_assert(cond, msg, mask). Without the option `debug` the arguments are checked all the same, and what computes
// them has no uses.
Value deviceAssert(Emitter &e, const Args &args) {
  Tensor condition = e.toBool(args.locs[0], tensorArgument(e, args, 0, "device_assert's condition"));
  std::string message = textArgument(e, args, 1, "device_assert's message");
  if (auto mask = optionalTensor(e, args, 2, "device_assert's mask"))
    condition = *e.binary(args.loc, BinaryOp::Or, condition, e.logicalNot(args.locs[2], *mask)).as<Tensor>();
  if (e.options.hasAssertions)
    tile::AssertOp::create(e.builder, e.at(args.loc), condition.value, e.builder.getStringAttr(message));
  return none();
}

Value assume(Emitter &e, const Args &args) {
  Tensor condition = e.toBool(args.locs[0], tensorArgument(e, args, 0, "assume's condition"));
  tile::AssumeOp::create(e.builder, e.at(args.loc), condition.value);
  return none();
}

Value debugBarrier(Emitter &e, const Args &args) {
  needKernel(e, args.loc, "debug_barrier");
  tile::BarrierOp::create(e.builder, e.at(args.loc));
  return none();
}

enum class Hint { Divisibility, Contiguity, Constancy };

template <Hint hint, FixedName name> Value promise(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, name.str() + "'s input");
  std::vector<int64_t> values = e.constantInts(args.locs[1], args[1], name.str() + "'s values");
  size_t expected = std::max<size_t>(1, input.shape.size());
  if (values.size() != expected)
    e.fail(args.locs[1], name.str() + " needs one value for each axis (" + std::to_string(expected) + "), found " +
                             std::to_string(values.size()));
  for (int64_t &value : values) {
    if (value < 1)
      e.fail(args.locs[1], name.str() + "'s values must be positive, found " + std::to_string(value));
    value &= -value; // the largest power of two that divides the number
  }
  if (input.type.isFloat())
    e.fail(args.locs[0], name.str() + " speaks of integers and pointers, found " + input.str());
  auto attribute = [&](Hint which) {
    return which == hint ? e.builder.getDenseI64ArrayAttr(values) : DenseI64ArrayAttr();
  };
  auto op = tile::HintOp::create(e.builder, e.at(args.loc), input.value, attribute(Hint::Divisibility),
                                 attribute(Hint::Contiguity), attribute(Hint::Constancy));
  Tensor result = e.wrap(op, input.type, input.shape);
  result.known = input.known;
  return result;
}

/// A hint that `x` is zero where `mask` holds, so that a target may skip work; the result is `x` in any case.
Value expectZero(Emitter &e, const Args &args) {
  Tensor x = tensorArgument(e, args, 0, "expect_zero's input");
  if (auto mask = optionalTensor(e, args, 1, "expect_zero's mask"))
    e.broadcastTo(args.locs[1], *mask, x.shape, "the mask");
  return x;
}

} // namespace

std::span<const Builtin> debugBuiltins() {
  static constexpr Builtin table[] = {
      {"device_print", "prefix, *args, hex=False", devicePrint},
      {"device_assert", "cond, msg='', mask=None", deviceAssert},
      {"assume", "cond", assume},
      {"debug_barrier", "", debugBarrier},
      {"multiple_of", "input, values", promise<Hint::Divisibility, "multiple_of">},
      {"max_contiguous", "input, values", promise<Hint::Contiguity, "max_contiguous">},
      {"max_constancy", "input, values", promise<Hint::Constancy, "max_constancy">},
      {"expect_zero", "x, mask=None", expectZero},
  };
  return table;
}

} // namespace tegula::lang
