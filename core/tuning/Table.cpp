#include "core/tuning/Table.h"

#include "core/support/Suggest.h"

#include <algorithm>
#include <cmath>

namespace tegula::tuning {
namespace {

/// Reads the members of a JSON object in a table.
class Members {
public:
  Members(const Json &json, std::string what, const std::string &file, std::vector<std::string> known)
      : json_(json), what_(std::move(what)), file_(file) {
    const auto *members = json.as<Json::Object>();
    if (!members)
      fail(json, what_ + " is " + kindOf(json) + "; an object is expected");
    for (const auto &[name, value] : *members)
      if (std::ranges::find(known, name) == known.end())
        fail(value, what_ + " has no member '" + name + "'; it has " + listed(known) + suggestion(name, known));
  }

  [[noreturn]] void fail(const Json &at, const std::string &message) const { failAt(file_, at.line, message); }
  const Json *find(std::string_view name) const {
    for (const auto &[member, value] : *json_.as<Json::Object>())
      if (member == name)
        return &value;
    return nullptr;
  }
  /// A required member of this type.
  template <class T> const T &get(const std::string &name, const char *expected) const {
    const Json *value = find(name);
    if (!value)
      fail(json_, what_ + " needs a member '" + name + "': " + expected);
    if (!value->as<T>())
      fail(*value, "'" + name + "' is " + kindOf(*value) + "; " + expected + " is expected");
    return *value->as<T>();
  }
  const std::string &text(const std::string &name) const { return get<std::string>(name, "a text"); }
  double number(const std::string &name) const {
    double storage = 0;
    const Json *value = find(name);
    const double *number = value ? value->number(storage) : nullptr;
    if (!number || !std::isfinite(*number) || *number < 0)
      fail(value ? *value : json_, "'" + name + "' is no number of at least 0");
    return *number;
  }
  int64_t integer(const std::string &name) const { return get<int64_t>(name, "an integer"); }
  const Json &json() const { return json_; }
  const std::string &file() const { return file_; }

private:
  const Json &json_;
  std::string what_;
  const std::string &file_;
};

std::vector<ScalarType> readTypes(const Members &row) {
  std::vector<ScalarType> types;
  if (!row.find("types"))
    return types;
  for (const Json &item : row.get<Json::Array>("types", "a list of element types")) {
    const auto *text = item.as<std::string>();
    std::optional<ScalarType> type = text ? parseScalarType(*text) : std::nullopt;
    if (!type)
      row.fail(item, "'types' has " + (text ? "'" + *text + "'" : kindOf(item)) + "; element types are expected");
    types.push_back(*type);
  }
  return types;
}

std::vector<std::pair<std::string, std::array<int64_t, 2>>> readKey(const Members &row) {
  std::vector<std::pair<std::string, std::array<int64_t, 2>>> key;
  if (!row.find("key"))
    return key;
  for (const auto &[name, range] : row.get<Json::Object>("key", "an object with a range for each argument")) {
    const auto *items = range.as<Json::Array>();
    const int64_t *low = items && items->size() == 2 ? (*items)[0].as<int64_t>() : nullptr;
    const int64_t *high = low ? (*items)[1].as<int64_t>() : nullptr;
    if (!high || *low < 0 || *high < *low)
      row.fail(range, "the range of '" + name + "' in 'key' is no list of two integers, the least and the greatest");
    key.push_back({name, {*low, *high}});
  }
  return key;
}

Record readRecord(const Members &row, const Json &json, const Row &read, const std::string &target) {
  Members members(json, "'record'", row.file(),
                  {"driver", "build", "types", "given", "key", "seconds", "spread", "compared", "when"});
  Record record;
  record.kernel = read.kernel;
  record.target = target;
  record.text = read.text;
  record.driver = members.text("driver");
  record.build = members.text("build");
  record.types = members.text("types");
  record.given = members.text("given");
  record.key = members.text("key");
  record.config = read.config;
  record.seconds = members.number("seconds");
  record.spread = members.number("spread");
  record.compared = members.integer("compared");
  record.when = members.integer("when");
  return record;
}

Row readRow(const Json &json, const std::string &target, const std::string &file) {
  Members members(json, "a row", file,
                  {"kernel", "text", "types", "key", "config", "num_warps", "num_stages", "source", "record"});
  Row row;
  row.file = file;
  row.line = json.line;
  row.kernel = members.text("kernel");
  row.text = members.text("text");
  row.types = readTypes(members);
  row.key = readKey(members);
  members.get<Json::Object>("config", "an object with constants");
  row.config.constants = constantsFrom(*members.find("config"), file);
  if (const Json *warps = members.find("num_warps"))
    row.config.numWarps = optionFrom(*warps, "num_warps", file);
  if (const Json *stages = members.find("num_stages"))
    row.config.numStages = optionFrom(*stages, "num_stages", file);
  row.source = members.text("source");
  if (!row.source.starts_with("measured: ") && !row.source.starts_with("reasoned: "))
    members.fail(*members.find("source"),
                 "'source' is '" + row.source +
                     "'; it must begin with 'measured: ' or 'reasoned: ' and say where or why");
  if (const Json *record = members.find("record"))
    row.record = readRecord(members, *record, row, target);
  return row;
}

/// True if the row lists all float types of the launch.
bool typesFit(const Row &row, const Query &query) {
  return row.types.empty() || std::ranges::all_of(query.floats, [&](ScalarType type) {
           return std::ranges::find(row.types, type) != row.types.end();
         });
}

/// The width of ranges; a range without bounds counts as 64.
double width(const KeyRanges &ranges) {
  double sum = 0;
  for (const auto &[name, range] : ranges)
    sum += std::log2(double(std::max<int64_t>(range[1], 1))) - std::log2(double(std::max<int64_t>(range[0], 1)));
  return sum - 64.0 * double(ranges.size());
}

} // namespace

Table parseTable(std::string_view text, const std::string &file) {
  Json json = Json::parse(text, file);
  Members members(json, "the table", file, {"format", "target", "rows"});
  int64_t format = members.integer("format");
  if (format != kTableFormat)
    members.fail(*members.find("format"), "'format' is " + std::to_string(format) + "; " +
                                              std::to_string(kTableFormat) + " is the one that is known");
  Table table;
  table.target = members.text("target");
  for (const Json &row : members.get<Json::Array>("rows", "a list of rows"))
    table.rows.push_back(readRow(row, table.target, file));
  return table;
}

const std::string *unfit(const Config &config, const Query &query) {
  for (const auto &[name, value] : config.constants) {
    auto fixed = query.fixed.find(name);
    bool isFit =
        fixed != query.fixed.end() ? fixed->second == value : std::ranges::find(query.open, name) != query.open.end();
    if (!isFit)
      return &name;
  }
  return nullptr;
}

const Config *ownConfig(const Row &row, const Query &query) {
  const Config &wanted = row.config;
  auto isChosen = [&](const Config &own) {
    // A configuration that the call's constants would change is no longer the kernel's own.
    bool agrees = std::ranges::all_of(own.constants, [&](const auto &item) {
      auto given = query.fixed.find(item.first);
      return given == query.fixed.end() || given->second == item.second;
    });
    return agrees && (!query.numWarps || query.numWarps == own.numWarps) &&
           (!query.numStages || query.numStages == own.numStages) &&
           (!wanted.numWarps || wanted.numWarps == own.numWarps) &&
           (!wanted.numStages || wanted.numStages == own.numStages) &&
           std::ranges::all_of(wanted.constants, [&](const auto &item) {
             auto found = own.constants.find(item.first);
             return found != own.constants.end() && found->second == item.second;
           });
  };
  auto found = std::ranges::find_if(query.own, isChosen);
  return found == query.own.end() ? nullptr : &*found;
}

std::optional<Fit> fitOf(const KeyRanges &ranges, const Buckets &buckets) {
  double sum = 0;
  for (const auto &[name, range] : ranges) {
    auto found = std::ranges::find(buckets, name, &Buckets::value_type::first);
    if (found == buckets.end())
      return std::nullopt;
    double bucket = std::log2(double(std::max<uint64_t>(found->second, 1)));
    double low = std::log2(double(std::max<int64_t>(range[0], 1)));
    double high = std::log2(double(std::max<int64_t>(range[1], 1)));
    sum += std::max({0.0, low - bucket, bucket - high});
  }
  return Fit{sum, width(ranges)};
}

std::optional<Fit> fitOf(const Row &row, const Query &query) {
  if (row.kernel != query.kernel || row.text != query.text || !typesFit(row, query) || unfit(row.config, query) ||
      !ownConfig(row, query))
    return std::nullopt;
  return fitOf(row.key, query.key);
}

const Row *nearest(const std::vector<Row> &rows, const Query &query) {
  const Row *best = nullptr;
  std::optional<Fit> least;
  for (const Row &row : rows)
    if (std::optional<Fit> found = fitOf(row, query); found && (!least || *found < *least)) {
      best = &row;
      least = found;
    }
  return best;
}

} // namespace tegula::tuning
