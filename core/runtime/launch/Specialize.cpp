#include "core/runtime/launch/Specialize.h"
#include "core/runtime/ConstantConversion.h"
#include "core/runtime/tune/Choice.h"

#include <algorithm>
#include <cctype>

namespace tegula {
namespace {

/// True if the expression contains the name as a whole word.
bool mentions(std::string_view text, std::string_view name) {
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
    if ((at == 0 || !isWord(text[at - 1])) && (at + name.size() == text.size() || !isWord(text[at + name.size()])))
      return true;
  return false;
}

/// How the arguments contribute to pick keys: each one by its facts, and each scalar that a heuristic's expression
/// names also by its exact value. Buffers have no value for heuristics, except that they are not None.
Deciding decidingOf(const Prototype &prototype, const Binding &binding) {
  Deciding deciding;
  for (uint32_t i = 0; i < binding.arguments.size(); ++i) {
    deciding.masks.push_back(factMask(binding.arguments[i]));
    const std::string &name = prototype.info.params[prototype.runtime[i]].name;
    if (binding.arguments[i].kind == ParamType::Kind::Scalar &&
        std::ranges::any_of(prototype.info.heuristics,
                            [&](const KernelHeuristic &heuristic) { return mentions(heuristic.expression, name); }))
      deciding.exact.push_back(i);
  }
  return deciding;
}

} // namespace

Constants toConstants(const ApiConstants &given) {
  Constants constants;
  for (const auto &[name, value] : given)
    constants[name] = toConstantValue(value);
  return constants;
}

std::unique_ptr<Specialization> specialize(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device,
                                           const Binding &binding, const ApiConstants &given,
                                           const LaunchOptions &options) {
  auto made = std::make_unique<Specialization>();
  made->device = device;
  made->numWarps = options.numWarps;
  made->numStages = options.numStages;
  made->given = GivenConstants(kernel.prototype, given);
  for (const BoundArgument &argument : binding.arguments) {
    made->types.push_back(argument.paramType());
    made->codes.push_back(argument.typeCode());
    made->codesTellAll &= argument.kind != ParamType::Kind::Descriptor && argument.kind != ParamType::Kind::Constant;
  }
  made->deciding = decidingOf(kernel.prototype, binding);
  made->isTunable = isTunable(kernel, *device, toConstants(given));
  if (kernel.bundled)
    made->deciding.bucketed = keyArguments(*kernel.bundled, binding.arguments);
  else if (made->isTunable)
    made->deciding.bucketed = keyArguments(kernel.prototype, binding);
  return made;
}

} // namespace tegula
