#include "core/runtime/launch/Configure.h"
#include "core/runtime/ConstantConversion.h"

#include <algorithm>

namespace tegula {

std::unique_ptr<Configured> configureWith(const Kernel::Impl &kernel, const Binding &binding, const Constants &given,
                                          const LaunchOptions &options, const KernelConfig *config) {
  auto made = std::make_unique<Configured>();
  made->configuration = configure(kernel.prototype.info, given, config, options.numWarps, options.numStages,
                                  [&](std::string_view name) { return binding.find(kernel.prototype, name); });
  made->resolved = toApi(made->configuration.constants);
  return made;
}

ApiConstants toApi(const Constants &constants) {
  ApiConstants result;
  for (const auto &[name, value] : constants)
    result.emplace(name, toConstant(value));
  return result;
}

bool isSame(const Configuration &a, const Configuration &b) {
  return a.numWarps == b.numWarps && a.numStages == b.numStages && sameConstants(a.constants, b.constants);
}

} // namespace tegula
