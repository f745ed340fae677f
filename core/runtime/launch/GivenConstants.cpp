#include "core/runtime/launch/GivenConstants.h"

namespace tegula {
namespace {

/// True if an argument at the position of a constexpr parameter (None, a bool, a number or a Constant) has the value of
/// `constant`.
bool isSame(const Argument &argument, const Constant &constant) {
  const Argument::Value &value = argument.value();
  if (std::holds_alternative<std::nullptr_t>(value))
    return std::holds_alternative<std::monostate>(constant.value());
  if (auto *flag = std::get_if<bool>(&value))
    return sameConstant(Constant(*flag), constant);
  if (auto *integer = std::get_if<int64_t>(&value))
    return sameConstant(Constant(*integer), constant);
  if (auto *real = std::get_if<double>(&value))
    return sameConstant(Constant(*real), constant);
  if (auto *scalar = std::get_if<TypedScalar>(&value))
    return sameConstant(numberOf(*scalar), constant);
  auto *whole = std::get_if<Constant>(&value);
  return whole && sameConstant(*whole, constant);
}

} // namespace

GivenConstants::GivenConstants(const Prototype &prototype, const ApiConstants &merged) {
  const std::vector<KernelInfo::Param> &params = prototype.info.params;
  for (const auto &[name, value] : merged) {
    uint32_t param = 0;
    while (param < params.size() && params[param].name != name)
      ++param;
    items_.push_back({name, value, param < params.size() ? param : ~0u});
  }
}

bool GivenConstants::matches(const Binding &binding, const ApiConstants &named) const {
  if (binding.positionalConstants + named.size() != items_.size())
    return false;
  auto next = named.begin();
  for (const Item &item : items_) {
    const Argument *given = item.param < binding.given.size() ? binding.given[item.param] : nullptr;
    if (given) {
      if (!isSame(*given, item.value))
        return false;
    } else if (next == named.end() || next->first != item.name || !sameConstant(next->second, item.value)) {
      return false;
    } else {
      ++next;
    }
  }
  return true;
}

} // namespace tegula
