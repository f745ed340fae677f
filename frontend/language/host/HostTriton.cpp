// Triton's own functions where host code calls them.
#include "frontend/language/host/HostEvaluator.h"

#include <algorithm>

namespace tegula::lang {

std::optional<HostObject> HostEvaluator::callTriton(const std::string &path, const Call &call) const {
  size_t dot = path.rfind('.');
  if (!path.starts_with("triton") || dot == std::string::npos || call.args.empty())
    return std::nullopt;
  std::string name = path.substr(dot + 1);
  const HostObject &first = call.args[0];
  if (name == "constexpr" || name == "_unwrap_if_constexpr")
    return first;
  if (name == "cdiv" && call.args.size() == 2) {
    HostObject sum = binary(call.loc, BinaryOp::Add, first, binary(call.loc, BinaryOp::Sub, call.args[1], int64_t(1)));
    return binary(call.loc, BinaryOp::FloorDiv, sum, call.args[1]);
  }
  auto integer = first.integer();
  if (name == "next_power_of_2" && integer) {
    int64_t power = 1;
    while (power < *integer && power < INT64_MAX / 2)
      power *= 2;
    return *integer > 0 ? power : int64_t(0);
  }
  auto *isSigned = call.find(1, "signed") ? call.find(1, "signed")->as<bool>() : nullptr;
  if (name == "get_int_dtype" && integer && isSigned) {
    auto type = parseScalarType((*isSigned || *integer == 1 ? "int" : "uint") + std::to_string(*integer));
    if (!type)
      raise(call.loc, "there is no integer type of " + std::to_string(*integer) + " bits", "ValueError");
    return *type;
  }
  return std::nullopt;
}

const Expr *HostEvaluator::unwrapped(const IfExpr &expr) const {
  auto *negation = as<UnaryExpr>(expr.condition);
  bool isNegated = negation && negation->op == UnaryOp::Not;
  auto *test = as<CallExpr>(isNegated ? negation->operand : expr.condition);
  auto *value = as<AttributeExpr>(isNegated ? expr.other : expr.value);
  auto *name = as<NameExpr>(isNegated ? expr.value : expr.other);
  auto isName = [&](const Expr *part) {
    auto *found = as<NameExpr>(part);
    return found && found->id == name->id;
  };
  if (!test || test->args.size() != 2 || !value || !name || value->name != "value" || !isName(value->base.get()) ||
      !isName(test->args[0].get()))
    return nullptr;
  auto isPath = [&](const Expr &part, std::initializer_list<std::string_view> paths) {
    HostObject object = eval(part);
    auto *found = object.as<HostPath>();
    return found && std::find(paths.begin(), paths.end(), found->path) != paths.end();
  };
  bool tests = isPath(*test->callee, {"builtins.isinstance"}) &&
               isPath(*test->args[1], {"triton.language.constexpr", "triton.language.core.constexpr"});
  return tests ? name : nullptr;
}

} // namespace tegula::lang
