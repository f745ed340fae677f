// Python's own functions as far as kernels use them: constants are folded; on tensors they act like the functions of
// triton.language.
#include "frontend/language/builtins/Builtins.h"
#include "frontend/language/emit/HostNames.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace tegula::lang {

namespace {

using Args = Builtin::Args;

/// Constants stay constants; otherwise as tl.maximum and tl.minimum.
Value extremumOfTwo(Emitter &e, Loc loc, bool isMax, const Value &x, const Value &y) {
  auto *m = x.as<Const>(), *n = y.as<Const>();
  if (m && n)
    return constantExtremum(e, loc, isMax, *m, *n);
  return elementwiseExtremum(e, loc, isMax, x, y, false);
}

/// min(a, b, ...) and min((a, b, ...)).
template <bool isMax> Value pythonExtremum(Emitter &e, const Args &args) {
  Value all = variadicArgument(args, 0);
  std::vector<Value> values = e.elements(all);
  if (values.empty())
    e.fail(args.loc, std::string(isMax ? "max" : "min") + " needs at least one argument");
  if (values.size() == 1 && !args[0].as<Tuple>()->elements[0].as<Tuple>())
    e.fail(args.loc, std::string(isMax ? "max" : "min") + " needs two arguments; to reduce a tensor use tl." +
                         (isMax ? "max" : "min"));
  Value result = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    result = extremumOfTwo(e, args.loc, isMax, result, values[i]);
  return result;
}

Value pythonAbs(Emitter &e, const Args &args) {
  auto *c = args[0].as<Const>();
  if (!c)
    return findBuiltin("abs")->emit(e, args);
  if (auto *number = std::get_if<double>(&c->value))
    return Const(std::abs(*number));
  Int value = e.constantInt(args.locs[0], args[0], "abs's argument");
  return value < 0 ? e.unary(args.loc, UnaryOp::Minus, Const(value)) : Value(Const(value));
}

Value length(Emitter &e, const Args &args) {
  if (auto *tuple = args[0].as<Tuple>(); tuple && !tuple->aggregate)
    return Const(Int(tuple->elements.size()));
  if (auto *t = args[0].as<Tensor>(); t && !t->shape.empty())
    return Const(Int(t->shape[0]));
  if (auto *c = args[0].as<Const>())
    if (auto *text = std::get_if<std::string>(&c->value))
      return Const(Int(text->size()));
  e.fail(args.locs[0], "len needs a tuple, a string or a tensor, found " + args[0].describe());
}

double parseFloat(Emitter &e, const Args &args, std::string text) {
  std::erase(text, ' ');
  std::erase(text, '_');
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  bool negative = text.starts_with("-");
  std::string digits = negative || text.starts_with("+") ? text.substr(1) : text;
  double value = 0;
  if (digits == "inf" || digits == "infinity")
    value = std::numeric_limits<double>::infinity();
  else if (digits == "nan")
    value = std::numeric_limits<double>::quiet_NaN();
  else if (auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
           error != std::errc() || end != digits.data() + digits.size())
    e.fail(args.locs[0], "float cannot read '" + text + "'");
  return negative ? -value : value;
}

double asDouble(const Const &c) {
  if (auto *b = std::get_if<bool>(&c.value))
    return *b;
  if (auto *i = std::get_if<Int>(&c.value))
    return static_cast<double>(*i);
  return std::get<double>(c.value);
}

/// float('inf'), float(3). Of a tensor: f32, or f64 for an f64 tensor.
Value toFloat(Emitter &e, const Args &args) {
  if (auto *c = args[0].as<Const>()) {
    if (auto *text = std::get_if<std::string>(&c->value))
      return Const(parseFloat(e, args, *text));
    if (c->isNumber())
      return Const(asDouble(*c));
  }
  Tensor t = tensorArgument(e, args, 0, "float's argument");
  return t.type == ElementType(ScalarType::F64) ? t : e.cast(args.loc, t, ScalarType::F32);
}

/// int(3.7). Of a tensor: i32, or its own type for 64-bit integers.
Value toInt(Emitter &e, const Args &args) {
  if (auto *c = args[0].as<Const>()) {
    if (auto *number = std::get_if<double>(&c->value)) {
      if (!(std::abs(*number) < 0x1p100))
        e.fail(args.locs[0], "int cannot convert " + c->repr());
      return Const(static_cast<Int>(*number));
    }
    return Const(e.constantInt(args.locs[0], args[0], "int's argument"));
  }
  Tensor t = tensorArgument(e, args, 0, "int's argument");
  bool isWide = t.type.isInteger() && t.type.bits() == 64;
  return isWide ? t : e.cast(args.loc, t, ScalarType::I32);
}

Value toBool(Emitter &e, const Args &args) {
  if (auto truth = e.staticTruth(args.locs[0], args[0]))
    return Const(*truth);
  return e.toBool(args.loc, tensorArgument(e, args, 0, "bool's argument"));
}

Value toText(Emitter &, const Args &args) {
  auto *c = args[0].as<Const>();
  if (c && std::holds_alternative<std::string>(c->value))
    return *c;
  return Const(c ? c->repr() : args[0].describe());
}

Value toTuple(Emitter &e, const Args &args) {
  if (args[0].isNone())
    return Tuple{};
  if (args[0].as<Tuple>())
    return args[0];
  e.fail(args.locs[0], "a tuple or list can be made of another one only, found " + args[0].describe());
}

/// print(x), print("x", x): a tl.device_print.
Value print(Emitter &e, const Args &args) {
  std::vector<Value> values = args[0].as<Tuple>()->elements;
  std::string prefix;
  if (!values.empty())
    if (auto *c = values[0].as<Const>())
      if (auto *text = std::get_if<std::string>(&c->value)) {
        prefix = *text;
        values.erase(values.begin());
      }
  std::vector<Tensor> tensors;
  for (const Value &value : values)
    tensors.push_back(e.tensor(args.loc, value, "what print prints"));
  emitPrint(e, args.loc, prefix, tensors, flagArgument(e, args, 3, "hex"));
  return none();
}

bool isInstance(Emitter &e, const Args &args, const Value &value, const Value &type) {
  if (auto *types = type.as<Tuple>()) {
    for (const Value &one : types->elements)
      if (isInstance(e, args, value, one))
        return true;
    return false;
  }
  auto *c = value.as<Const>();
  if (auto *t = type.as<Const>())
    if (auto *marker = std::get_if<TypeValue>(&t->value); marker && marker->isConstexprMarker)
      return c != nullptr;
  if (auto *aggregate = type.as<ClassValue>()) {
    auto *tuple = value.as<Tuple>();
    return tuple && tuple->aggregate == aggregate->aggregate;
  }
  auto *builtin = type.as<BuiltinValue>();
  if (!builtin)
    e.fail(args.locs[1], "isinstance needs a type, found " + type.describe());
  std::string_view name = builtin->builtin->name;
  if (name == "int")
    return c && (std::holds_alternative<Int>(c->value) || std::holds_alternative<bool>(c->value));
  if (name == "float")
    return c && std::holds_alternative<double>(c->value);
  if (name == "bool")
    return c && std::holds_alternative<bool>(c->value);
  if (name == "str")
    return c && std::holds_alternative<std::string>(c->value);
  if (name == "tuple" || name == "list") {
    auto *tuple = value.as<Tuple>();
    return tuple && !tuple->aggregate;
  }
  if (name == "tensor")
    return value.as<Tensor>() != nullptr;
  if (name == "dtype" || name == "pointer_type" || name == "block_type") {
    auto *t = c ? std::get_if<TypeValue>(&c->value) : nullptr;
    bool isBlock = t && !t->block.empty();
    return t && (name == "dtype" || (name == "block_type" ? isBlock : t->type.isPointer() && !isBlock));
  }
  if (name == "tensor_descriptor")
    return value.as<Descriptor>() != nullptr;
  e.fail(args.locs[1], "isinstance does not know '" + std::string(name) + "'");
}

Value isInstanceOf(Emitter &e, const Args &args) { return Const(isInstance(e, args, args[0], args[1])); }

Value getAttribute(Emitter &e, const Args &args) {
  return e.attribute(args.loc, args[0], e.constantString(args.locs[1], args[1], "getattr's name"));
}

Value hasAttribute(Emitter &e, const Args &args) {
  std::string name = e.constantString(args.locs[1], args[1], "hasattr's name");
  try {
    e.attribute(args.loc, args[0], name);
    return Const(true);
  } catch (const Error &) {
    return Const(false);
  }
}

Value nextPowerOf2(Emitter &e, const Args &args) {
  Int n = e.constantInt(args.locs[0], args[0], "next_power_of_2's argument");
  Int power = 1;
  while (power < n && power < (Int(1) << 100))
    power *= 2;
  return Const(power);
}

[[noreturn]] void failNoConstant(Emitter &e, const Args &args, const std::string &name) {
  e.fail(args.locs[0], "math." + name + " is Python's and takes constants, found " + args[0].describe() +
                           "; in a kernel write " + kernelSpelling(name));
}

template <double (*function)(double), FixedName name> Value foldMath(Emitter &e, const Args &args) {
  auto *c = args[0].as<Const>();
  if (!c || !c->isNumber())
    failNoConstant(e, args, name.str());
  double result = function(asDouble(*c));
  if (std::isnan(result) && !std::isnan(asDouble(*c)))
    e.fail(args.locs[0], "math." + name.str() + " is not defined for " + c->repr());
  return Const(result);
}

template <bool up> Value roundToInt(Emitter &e, const Args &args) {
  auto *c = args[0].as<Const>();
  if (!c || !c->isNumber())
    failNoConstant(e, args, up ? "ceil" : "floor");
  double value = asDouble(*c);
  if (!(std::abs(value) < 0x1p100))
    e.fail(args.locs[0], "cannot convert " + c->repr() + " to an integer");
  return Const(static_cast<Int>(up ? std::ceil(value) : std::floor(value)));
}

/// Python's range: tl.range whose hints are dropped, as in Triton.
Value pythonRange(Emitter &e, const Args &args) {
  Args plain = args;
  for (size_t i = 3; i < plain.values.size(); ++i) { // num_stages and loop_unroll_factor, then flags
    plain.values[i] = i < 5 ? none() : Value(Const(false));
    plain.given[i] = false;
  }
  return findBuiltin("range")->emit(e, plain);
}

} // namespace

std::span<const Builtin> pythonBuiltins() {
  static constexpr Builtin table[] = {
      {"min", "*args", pythonExtremum<false>},
      {"max", "*args", pythonExtremum<true>},
      {"abs", "x", pythonAbs},
      {"len", "x", length},
      {"range",
       "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, "
       "flatten=False, warp_specialize=False, disable_licm=False",
       pythonRange},
      {"float", "x=0.0", toFloat},
      {"int", "x=0", toInt},
      {"bool", "x=False", toBool},
      {"str", "x=''", toText},
      {"tuple", "x=None", toTuple},
      {"list", "x=None", toTuple},
      {"print", "*args, sep=' ', end='\\n', hex=False", print},
      {"isinstance", "x, type", isInstanceOf},
      {"getattr", "x, name", getAttribute},
      {"hasattr", "x, name", hasAttribute},
      {"next_power_of_2", "n", nextPowerOf2},
      {"math.sqrt", "x", foldMath<std::sqrt, "sqrt">},
      {"math.exp", "x", foldMath<std::exp, "exp">},
      {"math.log", "x", foldMath<std::log, "log">},
      {"math.log2", "x", foldMath<std::log2, "log2">},
      {"math.log10", "x", foldMath<std::log10, "log10">},
      {"math.sin", "x", foldMath<std::sin, "sin">},
      {"math.cos", "x", foldMath<std::cos, "cos">},
      {"math.floor", "x", roundToInt<false>},
      {"math.ceil", "x", roundToInt<true>},
  };
  return table;
}

} // namespace tegula::lang
