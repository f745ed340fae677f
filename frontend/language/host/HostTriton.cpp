// Triton's own functions where host code calls them.
#include "frontend/language/host/HostEvaluator.h"

namespace tegula::lang {

std::optional<HostObject> HostEvaluator::callTriton(const std::string &path, const Call &call) const {
  size_t dot = path.rfind('.');
  if (!path.starts_with("triton") || dot == std::string::npos || call.args.empty())
    return std::nullopt;
  std::string name = path.substr(dot + 1);
  const HostObject &first = call.args[0];
  if (name == "constexpr")
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
    if (*integer != 1 && *integer != 8 && *integer != 16 && *integer != 32 && *integer != 64)
      raise(call.loc, "there is no integer type of " + std::to_string(*integer) + " bits", "ValueError");
    return pathMember("triton.language", (*isSigned || *integer == 1 ? "int" : "uint") + std::to_string(*integer));
  }
  return std::nullopt;
}

bool HostEvaluator::isUnwrapping(const IfExpr &expr) const {
  auto *test = as<CallExpr>(expr.condition);
  auto *tested = test && test->args.size() == 2 ? as<NameExpr>(test->args[0]) : nullptr;
  auto *unwrapped = as<AttributeExpr>(expr.value);
  auto *base = unwrapped ? as<NameExpr>(unwrapped->base) : nullptr;
  auto *other = as<NameExpr>(expr.other);
  if (!tested || !base || !other || base->id != tested->id || other->id != tested->id || unwrapped->name != "value")
    return false;
  auto isPath = [&](const Expr &part, std::string_view path, std::string_view alternative) {
    HostObject object = eval(part);
    auto *found = object.as<HostPath>();
    return found && (found->path == path || found->path == alternative);
  };
  return isPath(*test->callee, "builtins.isinstance", "") &&
         isPath(*test->args[1], "triton.language.constexpr", "triton.language.core.constexpr");
}

} // namespace tegula::lang
