#include "core/runtime/launch/Checked.h"
#include "core/contracts/KernelOptions.h"
#include "core/runtime/Binding.h"
#include "core/support/Environment.h"

namespace tegula {

bool isChecked(const LaunchOptions &options) {
  thread_local FlagWatch interpreted(Variable::Interpret);
  return options.checked ? *options.checked : interpreted.isSet();
}

std::optional<LaunchOptions> withAssertions(const KernelInfo &kernel, const LaunchOptions &options) {
  if (!isChecked(options) || !kernel.level.empty() || !isOption(kernel, kAssertions))
    return std::nullopt;
  auto given = options.constants.find(std::string(kAssertions));
  if (given != options.constants.end() && sameConstant(given->second, Constant(true)))
    return std::nullopt;
  LaunchOptions asserting = options;
  asserting.constants.insert_or_assign(std::string(kAssertions), Constant(true));
  return asserting;
}

} // namespace tegula
