#include "core/runtime/bundle/BundleTuning.h"
#include "core/runtime/Binding.h"
#include "core/runtime/tune/Choice.h"
#include "core/tuning/Records.h"
#include "core/tuning/Table.h"
#include "core/tuning/TableFiles.h"

#include <algorithm>
#include <map>

namespace tegula {
namespace {

bool isSameConfig(const KernelConfig &a, const KernelConfig &b) {
  return sameConstants(a.constants, b.constants) && a.numWarps == b.numWarps && a.numStages == b.numStages;
}

/// The tuning query of a launch with arguments of these types and unknown values.
tuning::Query queryFor(const BundleItem &item, const std::vector<ParamType> &types, const std::string &target) {
  tuning::Query query;
  query.kernel = item.info.name;
  query.text = item.info.text;
  query.target = target;
  query.fixed = item.constants;
  query.numWarps = item.numWarps;
  if (item.numStages)
    query.numStages = pipelineStages(*item.numStages);
  query.given = describeGiven(item.constants, item.numWarps, item.numStages);
  query.open = settableConstants(item.info, item.constants);
  query.own = ownConfigs(item.info);
  size_t next = 0;
  for (const KernelInfo::Param &param : item.info.params) {
    if (param.isConstexpr || next == types.size())
      continue;
    const ParamType &type = types[next++];
    query.types += (query.types.empty() ? "" : ", ") + describe(type);
    bool isScalar = type.kind == ParamType::Kind::Scalar;
    bool isMemory = type.kind == ParamType::Kind::Pointer || type.kind == ParamType::Kind::Descriptor;
    if (isMemory && isFloat(type.type) && std::ranges::find(query.floats, type.type) == query.floats.end())
      query.floats.push_back(type.type);
    if (isScalar && !isFloat(type.type) && isKey(item.info, param.name))
      query.key.emplace_back(param.name, 1);
  }
  return query;
}

/// Finds the user's records that a launch with this query would accept, and returns the newest one of each tuning key
/// as a table row.
std::vector<tuning::Row> recordedRows(const tuning::Query &query) {
  std::map<std::string, tuning::Record> newest;
  for (tuning::Record &record : tuning::Records::open().list()) {
    bool isOf = record.kernel == query.kernel && record.text == query.text && record.target == query.target &&
                record.types == query.types && record.given == query.given && !tuning::unfit(record.config, query);
    if (!isOf)
      continue;
    auto [known, isNew] = newest.try_emplace(record.key, record);
    if (!isNew && known->second.when < record.when)
      known->second = std::move(record);
  }
  std::vector<tuning::Row> rows;
  for (const auto &[key, record] : newest)
    rows.push_back(tuning::rowOf(record));
  return rows;
}

/// Adds `chosen` to `configs`, unless an equal configuration is there, and adds the sizes of the table row to that
/// configuration.
void add(std::vector<TunedConfig> &configs, const tuning::Config &chosen, const tuning::Row &row) {
  KernelConfig config;
  config.constants = chosen.constants;
  config.numWarps = chosen.numWarps;
  config.numStages = chosen.numStages;
  auto same = [&](const TunedConfig &other) { return isSameConfig(other.config, config); };
  auto at = std::ranges::find_if(configs, same);
  TunedConfig &tuned = at == configs.end() ? configs.emplace_back(TunedConfig{std::move(config), {}}) : *at;
  tuned.rows.push_back({row.key, row.source});
}

} // namespace

std::vector<TunedConfig> tunedConfigs(const BundleItem &item, const std::vector<ParamType> &types,
                                      const std::string &target) {
  tuning::Query query = queryFor(item, types, target);
  std::vector<TunedConfig> configs;
  for (const tuning::Row &row : recordedRows(query))
    add(configs, row.config, row);
  for (const tuning::Row &row : tuning::rowsFor({}, target))
    if (tuning::fitOf(row, query))
      add(configs, *tuning::ownConfig(row, query), row);
  return configs;
}

} // namespace tegula
