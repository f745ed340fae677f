#include "core/runtime/launch/Requests.h"
#include "core/runtime/Configuration.h"
#include "core/support/Suggest.h"

namespace tegula {
namespace {

void checkCount(const KernelInfo &kernel, size_t given) {
  std::vector<std::string> names, constants;
  for (const KernelInfo::Param &param : kernel.params)
    (param.isConstexpr ? constants : names).push_back(param.name);
  if (names.size() == given)
    return;
  std::string takes = "kernel '" + kernel.name + "' has " + std::to_string(names.size()) +
                      (names.size() == 1 ? " parameter that is" : " parameters that are") + " not constexpr" +
                      (names.empty() ? "" : " (" + listed(names) + ")");
  if (given == 0)
    throw Error(takes + "; give their types, e.g. --signature='*fp32, i32'");
  // A parameter without annotation counts as constexpr if the kernel uses it where only a constant is allowed. The
  // kernel's author may not know that, so the message lists all constexpr parameters.
  throw Error(takes + ", the signature lists " + std::to_string(given) +
              (given < names.size() || constants.empty()
                   ? ""
                   : "; constants, by annotation or by their use, are given by --const: " + listed(constants)));
}

/// Returns a function that finds the value of a parameter for heuristics: its literal in the signature, or OpaqueValue
/// for memory. The function throws tegula::Error for a number that has only a type in the signature.
HostExpression::Lookup literals(const KernelInfo &kernel, const std::vector<ParamType> &signature) {
  return [&kernel, &signature](std::string_view wanted) -> std::optional<HostValue> {
    size_t next = 0;
    for (const KernelInfo::Param &param : kernel.params) {
      if (param.isConstexpr)
        continue;
      const ParamType &type = signature[next++];
      if (param.name != wanted)
        continue;
      if (type.kind == ParamType::Kind::Constant || type.value != ConstantValue())
        return toHostValue(type.value);
      if (type.kind == ParamType::Kind::Scalar)
        throw Error("a heuristic of kernel '" + kernel.name + "' needs the value of '" + param.name +
                    "'; give it in the signature, as in 'i32=64', or the heuristic's constant by --const");
      return OpaqueValue();
    }
    return std::nullopt;
  };
}

} // namespace

void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                      std::optional<int> numStages) {
  checkCount(kernel, request.signature.size());
  Configuration configuration = configure(kernel, request.constants, firstConfig(kernel), numWarps, numStages,
                                          literals(kernel, request.signature));
  request.constants = configuration.constants;
  for (ParamType &type : request.signature)
    if (type.kind != ParamType::Kind::Constant)
      type.value = ConstantValue(); // drops the value: the code is valid for any
  request.numWarps = configuration.numWarps;
  request.numStages = configuration.numStages;
}

} // namespace tegula
