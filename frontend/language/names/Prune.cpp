#include "frontend/language/names/Prune.h"

#include <algorithm>

namespace tegula::lang {
namespace {

using Keywords = std::vector<std::pair<std::string, HostObject>>;
using Configs = std::vector<HostObject>;

const Expr *keyword(const CallExpr &call, size_t position, std::string_view name) {
  for (auto &k : call.keywords)
    if (k.name == name)
      return k.value.get();
  return position < call.args.size() ? call.args[position].get() : nullptr;
}

/// The decorator that has both configurations and a rule to prune them; null without.
const CallExpr *autotuneOf(const FunctionStmt &function) {
  for (auto &decorator : function.decorators)
    if (auto *call = as<CallExpr>(decorator);
        call && keyword(*call, 2, "prune_configs_by") && keyword(*call, 0, "configs"))
      return call;
  return nullptr;
}

HostObject valueOf(const PruneRequest::Value &value) {
  if (value.constant)
    return std::visit([](const auto &v) { return HostObject(v); }, *value.constant);
  return HostTensor{value.type, value.shape, value.strides};
}

const HostObject *find(const HostDict &dict, std::string_view name) {
  for (auto &[key, value] : dict.items)
    if (auto *text = key.as<std::string>(); text && *text == name)
      return &value;
  return nullptr;
}

/// What a configuration adds to the keywords of `perf_model`.
void addTo(Keywords &keywords, const KernelConfig &config) {
  auto set = [&](const std::string &name, HostObject value) {
    std::erase_if(keywords, [&](auto &item) { return item.first == name; });
    keywords.emplace_back(name, std::move(value));
  };
  for (auto &[name, value] : config.constants)
    set(name, std::visit([](const auto &v) { return HostObject(v); }, value));
  set("num_warps", int64_t(config.numWarps.value_or(4)));
  set("num_stages", int64_t(config.numStages.value_or(3)));
  set("num_ctas", int64_t(config.numCtas.value_or(1)));
}

class Pruning {
public:
  Pruning(const ModuleNames &names, const FunctionStmt &function, const CallExpr &call, const PruneRequest &request)
      : host_(names, names.timeOf(function)), loc_(call.loc) {
    HostObject list = host_.evaluate(*keyword(call, 0, "configs"));
    if (!list.list())
      host_.fail(loc_, "expected a list of triton.Config");
    all_ = list.list()->items;
    HostObject rules = host_.evaluate(*keyword(call, 2, "prune_configs_by"));
    if (rules.dict())
      rules_ = *rules.dict();
    for (const PruneRequest::Value &value : request.values)
      given_.emplace_back(value.name, valueOf(value));
  }

  std::vector<uint32_t> run() const {
    Configs kept = all_;
    if (const HostObject *rule = find(rules_, "early_config_prune"); rule && !rule->as<std::monostate>())
      kept = early(*rule);
    const HostObject *model = find(rules_, "perf_model");
    if (model && !model->as<std::monostate>())
      kept = fastest(*model, std::move(kept));
    std::vector<uint32_t> indices;
    for (const HostObject &config : kept)
      indices.push_back(indexOf(config));
    return indices;
  }

private:
  Configs early(const HostObject &rule) const {
    auto arguments = std::make_shared<HostDict>();
    for (auto &[name, value] : given_)
      setItem(*arguments, name, value);
    auto list = std::make_shared<HostList>();
    list->items = all_;
    // A function without `**kwargs` gets none: Triton calls it so only where the launch has none either.
    auto *function = rule.as<HostFunction>();
    bool takesKeywords = function && !function->function->keywordRest.empty();
    HostObject kept = host_.call(rule, {list, arguments}, takesKeywords ? given_ : Keywords(), loc_);
    if (!kept.list())
      host_.fail(loc_, "early_config_prune does not return a list of configurations");
    return kept.list()->items;
  }

  Configs fastest(const HostObject &model, Configs configs) const {
    size_t most = topK();
    if (configs.size() <= most)
      return configs;
    std::vector<std::pair<double, HostObject>> rated;
    for (HostObject &config : configs) {
      auto *item = config.as<std::shared_ptr<KernelConfig>>();
      Keywords keywords = given_;
      if (item)
        addTo(keywords, **item);
      if (auto *function = model.as<HostFunction>(); function && function->function->keywordRest.empty())
        std::erase_if(keywords, [&](auto &given) {
          return std::ranges::none_of(function->function->params,
                                      [&](const Param &param) { return param.name == given.first; });
        });
      std::optional<double> time = host_.call(model, {}, std::move(keywords), loc_).number();
      if (!time)
        host_.fail(loc_, "perf_model does not return a number");
      rated.emplace_back(*time, std::move(config));
    }
    std::ranges::stable_sort(rated, {}, [](auto &item) { return item.first; });
    configs.clear();
    for (auto &[time, config] : rated)
      if (configs.size() < most)
        configs.push_back(std::move(config));
    return configs;
  }

  /// `top_k`: a number of configurations, or a float up to 1: a share of all of them. All of them without.
  size_t topK() const {
    const HostObject *rule = find(rules_, "top_k");
    if (!rule)
      return all_.size();
    if (auto *share = rule->as<double>(); share && *share >= 0 && *share <= 1)
      return static_cast<size_t>(*share * double(all_.size()));
    std::optional<int64_t> count = rule->integer();
    if (!count || *count < 0)
      host_.fail(loc_, "expected an integer, or a share from 0.0 to 1.0, as top_k");
    return static_cast<size_t>(*count);
  }

  uint32_t indexOf(const HostObject &config) const {
    auto *wanted = config.as<std::shared_ptr<KernelConfig>>();
    for (uint32_t i = 0; wanted && i < all_.size(); ++i)
      if (auto *item = all_[i].as<std::shared_ptr<KernelConfig>>(); item && *item == *wanted)
        return i;
    host_.fail(loc_, "prune_configs_by made a configuration that is not among 'configs'");
  }

  HostEvaluator host_;
  Loc loc_;
  Configs all_;
  HostDict rules_;
  Keywords given_;
};

} // namespace

std::vector<uint32_t> pruneConfigs(const ModuleNames &names, const PruneRequest &request) {
  const FunctionStmt *function = names.function(request.kernel);
  const CallExpr *call = function ? autotuneOf(*function) : nullptr;
  if (!call)
    throw Error("kernel '" + request.kernel + "' has no configurations to prune");
  return Pruning(names, *function, *call, request).run();
}

} // namespace tegula::lang
