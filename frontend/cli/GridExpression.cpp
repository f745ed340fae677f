#include "frontend/cli/GridExpression.h"

#include "core/support/Diagnostic.h"

#include <array>

namespace tegula::cli {
namespace {

HostValue toHostValue(const Constant &constant) {
  return std::visit(
      [](const auto &v) -> HostValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, DType>)
          return static_cast<ScalarType>(v);
        else
          return v;
      },
      constant.value());
}

std::vector<std::string> parameterNames(const KernelInfo &kernel) {
  std::vector<std::string> names;
  for (const KernelInfo::Param &param : kernel.params)
    names.push_back(param.name);
  return names;
}

} // namespace

GridExpression::GridExpression(const std::string &text) : axes_(HostExpression::parseList(text, "--grid")) {
  if (axes_.size() > 3)
    throw Error("--grid has " + std::to_string(axes_.size()) + " axes; at most 3 are expected");
}

Grid GridExpression::evaluate(const KernelInfo &kernel, const Inputs &inputs,
                              const std::map<std::string, Constant> &constants) const {
  auto lookup = [&](std::string_view name) -> std::optional<HostValue> {
    if (auto found = constants.find(std::string(name)); found != constants.end())
      return toHostValue(found->second);
    if (std::optional<HostValue> value = inputs.find(name))
      return value;
    for (const KernelInfo::Param &param : kernel.params)
      if (param.name == name && param.defaultValue)
        return tegula::toHostValue(*param.defaultValue);
    return std::nullopt;
  };
  std::array<int64_t, 3> extents = {1, 1, 1};
  for (size_t i = 0; i < axes_.size(); ++i)
    extents[i] = axes_[i].evaluateInteger(lookup, parameterNames(kernel));
  return Grid(extents[0], extents[1], extents[2]);
}

} // namespace tegula::cli
