// The call `triton.Config(...)` in host code.
#include "frontend/language/names/HostEvaluator.h"

namespace tegula::lang {

/// `triton.Config({"BLOCK": 64}, num_warps=4, num_stages=2)`
HostObject HostEvaluator::makeConfig(const Call &call) const {
  auto config = std::make_shared<KernelConfig>();
  config->line = call.loc.line;
  const HostObject *kwargs = call.find(0, "kwargs");
  if (!kwargs || !kwargs->dict())
    fail(call.loc, "expected a dictionary of constants in triton.Config");
  for (auto &[key, value] : kwargs->dict()->items) {
    auto *name = key.as<std::string>();
    auto constant = value.constant();
    if (!name || !constant)
      fail(call.loc, name ? "the value of '" + *name + "' in triton.Config is no constant"
                          : "expected a parameter's name as a string");
    config->constants[*name] = *constant;
  }
  struct Option {
    size_t position;
    const char *name;
    std::optional<int> *field;
  };
  for (auto &[position, name, field] :
       {Option{1, "num_warps", &config->numWarps}, Option{2, "num_stages", &config->numStages},
        Option{3, "num_ctas", &config->numCtas}, Option{4, "maxnreg", &config->maxRegisters}}) {
    const HostObject *value = call.find(position, name);
    // Options may also stand among the constants, which Triton passes on to the launch.
    auto inside = config->constants.find(name);
    auto *given = inside == config->constants.end() ? nullptr : std::get_if<int64_t>(&inside->second);
    auto integer = value ? value->integer() : given ? std::optional(*given) : std::nullopt;
    if (integer && *integer > 0 && *integer < 1 << 20)
      *field = static_cast<int>(*integer);
    else if (value && !value->as<std::monostate>())
      fail(call.loc, std::string("expected a positive integer for ") + name);
  }
  const HostObject *hook = call.find(5, "pre_hook");
  config->hasHook = hook && !hook->as<std::monostate>();
  return config;
}

} // namespace tegula::lang
