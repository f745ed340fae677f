// Arithmetic of an inline assembly: instructions whose operands all have the type of the suffix.
#include "frontend/language/assembly/AssemblyCode.h"

namespace tegula::lang {

Tensor AssemblyCode::prelude(const std::string &name, std::vector<Value> args) {
  return *e_.prelude(loc_, name, std::move(args)).as<Tensor>();
}

Tensor AssemblyCode::function(std::string_view name, std::vector<Value> args) {
  CallArgs call;
  call.loc = loc_;
  call.positionalLocs.assign(args.size(), loc_);
  call.positional = std::move(args);
  const Builtin *builtin = findBuiltin(name);
  Value callee = builtin ? Value(BuiltinValue{builtin, nullptr}) : *libdeviceMember(name);
  return *e_.call(callee, std::move(call)).as<Tensor>();
}

bool AssemblyCode::arithmetic(const AssemblyInstruction &i) {
  if (i.operands.size() < 2)
    return false;
  bool isPair = i.parts.back() == "f16x2" || i.parts.back() == "bf16x2";
  ElementType type = isPair ? ElementType(i.parts.back() == "f16x2" ? ScalarType::F16 : ScalarType::BF16) : typeOf(i);
  if (!isPair) {
    std::vector<Tensor> x;
    for (size_t k = 1; k < i.operands.size(); ++k)
      x.push_back(read(i.operands[k], type));
    std::optional<Tensor> result = type.isFloat() ? computeFloat(i, x) : computeInteger(i, x);
    if (result)
      write(i.operands[0], *result);
    return result.has_value();
  }
  std::vector<Tensor> low, high;
  for (size_t k = 1; k < i.operands.size(); ++k) {
    auto [first, second] = halves(read(i.operands[k], ScalarType::U32), type);
    low.push_back(first);
    high.push_back(second);
  }
  std::optional<Tensor> first = computeFloat(i, low), second = computeFloat(i, high);
  if (first)
    write(i.operands[0], joined(*first, *second));
  return first.has_value();
}

/// A rounding other than to nearest even, as the functions of libdevice name it; "" for that.
static std::string directionOf(const AssemblyInstruction &i) {
  return i.has("rz") ? "_rz" : i.has("rm") ? "_rd" : i.has("rp") ? "_ru" : "";
}

std::optional<Tensor> AssemblyCode::computeFloat(const AssemblyInstruction &i, const std::vector<Tensor> &x) {
  const std::string &name = i.parts[0], direction = directionOf(i);
  auto one = [&] { return e_.fullTensor(loc_, shape_, e_.scalarConstant(loc_, Const(1.0), x[0].type)); };
  auto plain = [&](BinaryOp op, const std::string &rounded) {
    return direction.empty() ? *e_.roundedBinary(loc_, op, x[0], x[1]).as<Tensor>()
                             : function(rounded + direction, {x[0], x[1]});
  };
  auto result = [&]() -> std::optional<Tensor> {
    if (x.size() == 2) {
      if (name == "add" || name == "sub" || name == "mul")
        return plain(name == "add" ? BinaryOp::Add : name == "sub" ? BinaryOp::Sub : BinaryOp::Mul, name);
      if (name == "div")
        return e_.cast(loc_, function(direction.empty() ? "div_rn" : "div" + direction, {x[0], x[1]}), x[0].type);
      if (name == "min" || name == "max")
        return e_.minMax(loc_, name == "max", x[0], x[1], i.has("NaN"));
      if (name == "copysign") // the sign of the first, the size of the second
        return function("copysign", {x[1], x[0]});
    }
    if (x.size() == 3 && (name == "fma" || name == "mad"))
      return function("fma" + direction, {x[0], x[1], x[2]});
    if (x.size() != 1)
      return std::nullopt;
    if (name == "abs")
      return function("abs", {x[0]});
    if (name == "neg")
      return *e_.unary(loc_, UnaryOp::Minus, x[0]).as<Tensor>();
    if (name == "sqrt")
      return function(direction.empty() ? "sqrt" : "sqrt" + direction, {x[0]});
    if (name == "rcp")
      return e_.cast(loc_, direction.empty() ? function("div_rn", {one(), x[0]}) : function("rcp" + direction, {x[0]}),
                     x[0].type);
    constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
        {"ex2", "exp2"}, {"lg2", "log2"}, {"rsqrt", "rsqrt"}, {"sin", "sin"}, {"cos", "cos"}, {"tanh", "tanh"}};
    for (auto [instruction, called] : kFunctions)
      if (name == instruction)
        return function(called, {x[0]});
    return std::nullopt;
  }();
  if (result && i.has("sat"))
    result = e_.cast(loc_, prelude("libdevice_saturatef", {*result}), x[0].type);
  if (result && i.has("relu"))
    result = e_.minMax(loc_, true, *result, binary(BinaryOp::Sub, one(), one()), true);
  return result;
}

std::optional<Tensor> AssemblyCode::computeInteger(const AssemblyInstruction &i, const std::vector<Tensor> &x) {
  const std::string &name = i.parts[0];
  bool isBool = x[0].type.isBool();
  if (i.has("sat"))
    fail("inline assembly '" + i.text + "': integers that saturate cannot be translated; write it with tl functions");
  if (i.has("relu")) {
    if (x.size() != 2 || (name != "min" && name != "max") || x[0].type.isUnsigned())
      fail("inline assembly '" + i.text + "': relu of this instruction cannot be translated; use tl.maximum");
    return e_.minMax(loc_, true, e_.minMax(loc_, name == "max", x[0], x[1], false), constant(0, x[0].type), false);
  }
  if (x.size() == 2) {
    constexpr std::pair<std::string_view, BinaryOp> kOperators[] = {
        {"add", BinaryOp::Add}, {"sub", BinaryOp::Sub}, {"div", BinaryOp::FloorDiv}, {"rem", BinaryOp::Mod},
        {"and", BinaryOp::And}, {"or", BinaryOp::Or},   {"xor", BinaryOp::Xor}};
    for (auto [instruction, op] : kOperators)
      if (name == instruction)
        return binary(op, x[0], x[1]);
    if (name == "mul" && i.has("lo"))
      return binary(BinaryOp::Mul, x[0], x[1]);
    if (name == "mul" && i.has("hi"))
      return function("mulhi", {x[0], x[1]});
    if (name == "min" || name == "max")
      return e_.minMax(loc_, name == "max", x[0], x[1], false);
  }
  if (x.size() == 3 && name == "mad" && (i.has("lo") || i.has("hi")))
    return binary(BinaryOp::Add, i.has("lo") ? binary(BinaryOp::Mul, x[0], x[1]) : function("mulhi", {x[0], x[1]}),
                  x[2]);
  if (x.size() == 3 && name == "sad")
    return binary(BinaryOp::Add,
                  e_.where(loc_, e_.compareTensors(loc_, CompareOp::Gt, x[0], x[1]), binary(BinaryOp::Sub, x[0], x[1]),
                           binary(BinaryOp::Sub, x[1], x[0])),
                  x[2]);
  if (x.size() != 1)
    return std::nullopt;
  if (name == "abs")
    return function("abs", {x[0]});
  if (name == "neg")
    return *e_.unary(loc_, UnaryOp::Minus, x[0]).as<Tensor>();
  if (name == "not")
    return isBool ? e_.logicalNot(loc_, x[0]) : *e_.unary(loc_, UnaryOp::Invert, x[0]).as<Tensor>();
  if (name == "popc" || name == "clz" || name == "brev")
    return function(name, {x[0]});
  return std::nullopt;
}

} // namespace tegula::lang
