// Reads and writes tables as text.
#include "core/tuning/Table.h"

#include "core/support/Environment.h"
#include "core/support/FloatFormats.h"

#include <algorithm>
#include <charconv>

namespace tegula::tuning {
namespace {

/// The float types of the pointers and descriptors in a list of types: `*f16, desc<64x64xf16>, i32`.
std::vector<ScalarType> floatsOf(const std::string &types) {
  std::vector<ScalarType> floats;
  for (const std::string &item : split(types, ',')) {
    size_t star = item.rfind('*'), times = item.rfind('x');
    size_t from = star != std::string::npos ? star : item.find("desc<") != std::string::npos ? times : item.size();
    if (from >= item.size())
      continue;
    std::string name = item.substr(from + 1);
    name.erase(std::remove(name.begin(), name.end(), '>'), name.end());
    std::optional<ScalarType> type = parseScalarType(name);
    if (type && isFloat(*type) && std::ranges::find(floats, *type) == floats.end())
      floats.push_back(*type);
  }
  return floats;
}

/// Converts a key such as `M=1024, N=512` to ranges: M from 513 to 1024 and N from 257 to 512.
KeyRanges rangesOf(const std::string &key) {
  KeyRanges ranges;
  for (std::string &item : split(key, ',')) {
    item.erase(0, item.find_first_not_of(' '));
    size_t equals = item.find('=');
    if (equals == std::string::npos)
      continue;
    uint64_t bucket = 0;
    std::from_chars(item.data() + equals + 1, item.data() + item.size(), bucket);
    bucket = std::min<uint64_t>(bucket, uint64_t(1) << 62);
    uint64_t low = bucket > 2 ? bucket / 2 + 1 : bucket;
    ranges.push_back({item.substr(0, equals), {static_cast<int64_t>(low), static_cast<int64_t>(bucket)}});
  }
  return ranges;
}

/// The ranges as JSON: {"M": [513, 1024], "N": [257, 512]}
std::string rangesText(const KeyRanges &ranges) {
  std::string text;
  for (const auto &[name, range] : ranges)
    text += (text.empty() ? "" : ", ") + quoteJson(name) + ": [" + std::to_string(range[0]) + ", " +
            std::to_string(range[1]) + "]";
  return "{" + text + "}";
}

std::string recordText(const Record &record) {
  return "{\"driver\": " + quoteJson(record.driver) + ", \"build\": " + quoteJson(record.build) +
         ", \"types\": " + quoteJson(record.types) + ", \"given\": " + quoteJson(record.given) +
         ", \"key\": " + quoteJson(record.key) + ", \"seconds\": " + floatText(record.seconds) +
         ", \"spread\": " + floatText(record.spread) + ", \"compared\": " + std::to_string(record.compared) +
         ", \"when\": " + std::to_string(record.when) + "}";
}

std::string rowText(const Row &row) {
  std::string types;
  for (ScalarType type : row.types)
    types += (types.empty() ? "" : ", ") + quoteJson(std::string(name(type)));
  std::string text = "    { \"kernel\": " + quoteJson(row.kernel) + ", \"text\": " + quoteJson(row.text);
  if (!types.empty())
    text += ", \"types\": [" + types + "]";
  text += ", \"key\": " + rangesText(row.key) + ",\n      \"config\": " + toJson(row.config.constants);
  if (row.config.numWarps)
    text += ", \"num_warps\": " + std::to_string(*row.config.numWarps);
  if (row.config.numStages)
    text += ", \"num_stages\": " + std::to_string(*row.config.numStages);
  return text + ",\n      \"source\": " + quoteJson(row.source) + ",\n      \"record\": " + recordText(*row.record) +
         " }";
}

} // namespace

Row rowOf(const Record &record) {
  Row row;
  row.kernel = record.kernel;
  row.text = record.text;
  row.types = floatsOf(record.types);
  row.key = rangesOf(record.key);
  row.config = record.config;
  row.source = "measured: " + floatText(record.seconds * 1e3) + " ms, the best of " + std::to_string(record.compared) +
               " configurations, on " + record.driver;
  row.record = record;
  return row;
}

std::string formatTable(const std::string &target, const std::vector<Record> &records) {
  std::string rows;
  for (const Record &record : records)
    rows += (rows.empty() ? "\n" : ",\n") + rowText(rowOf(record));
  return "{\n  \"format\": " + std::to_string(kTableFormat) + ",\n  \"target\": " + quoteJson(target) +
         ",\n  \"rows\": [" + rows + "\n  ]\n}\n";
}

} // namespace tegula::tuning
