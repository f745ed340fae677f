// Tables as text.
#include "core/tuning/Table.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace tegula::tuning {
namespace {

std::string numberText(double value) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// The float types of the pointers and descriptors in a list of types: `*f16, desc<64x64xf16>, i32`.
std::vector<ScalarType> floatsOf(const std::string &types) {
  std::vector<ScalarType> floats;
  std::istringstream in(types);
  for (std::string item; std::getline(in, item, ',');) {
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

/// `M=1024, N=512` as {"M": [513, 1024], "N": [257, 512]}.
std::string rangesOf(const std::string &key) {
  std::string text;
  std::istringstream in(key);
  for (std::string item; std::getline(in, item, ',');) {
    item.erase(0, item.find_first_not_of(' '));
    size_t equals = item.find('=');
    if (equals == std::string::npos)
      continue;
    uint64_t bucket = 0;
    std::from_chars(item.data() + equals + 1, item.data() + item.size(), bucket);
    bucket = std::min<uint64_t>(bucket, uint64_t(1) << 62);
    uint64_t low = bucket > 2 ? bucket / 2 + 1 : bucket;
    text += (text.empty() ? "" : ", ") + quoteJson(item.substr(0, equals)) + ": [" + std::to_string(low) + ", " +
            std::to_string(bucket) + "]";
  }
  return "{" + text + "}";
}

std::string rowText(const Record &record) {
  std::string types;
  for (ScalarType type : floatsOf(record.types))
    types += (types.empty() ? "" : ", ") + quoteJson(std::string(name(type)));
  std::string text = "    { \"kernel\": " + quoteJson(record.kernel);
  if (!types.empty())
    text += ", \"types\": [" + types + "]";
  text += ", \"key\": " + rangesOf(record.key) + ",\n      \"config\": " + toJson(record.config.constants);
  if (record.config.numWarps)
    text += ", \"num_warps\": " + std::to_string(*record.config.numWarps);
  if (record.config.numStages)
    text += ", \"num_stages\": " + std::to_string(*record.config.numStages);
  text += ",\n      \"source\": " + quoteJson("measured: " + numberText(record.seconds * 1e3) + " ms, the best of " +
                                              std::to_string(record.compared) + " configurations, on " + record.driver);
  text += ",\n      \"record\": {\"source\": " + quoteJson(record.source) +
          ", \"driver\": " + quoteJson(record.driver) + ", \"build\": " + quoteJson(record.build) +
          ", \"types\": " + quoteJson(record.types) + ", \"given\": " + quoteJson(record.given) +
          ", \"key\": " + quoteJson(record.key) + ", \"seconds\": " + numberText(record.seconds) +
          ", \"spread\": " + numberText(record.spread) + ", \"compared\": " + std::to_string(record.compared) +
          ", \"when\": " + std::to_string(record.when) + "} }";
  return text;
}

} // namespace

std::string formatTable(const std::string &target, const std::vector<Record> &records) {
  std::string rows;
  for (const Record &record : records)
    rows += (rows.empty() ? "\n" : ",\n") + rowText(record);
  return "{\n  \"format\": " + std::to_string(kTableFormat) + ",\n  \"target\": " + quoteJson(target) +
         ",\n  \"rows\": [" + rows + "\n  ]\n}\n";
}

} // namespace tegula::tuning
