// Tables of tuned configurations: files that are shipped, exported and imported (docs/tuning.md, "Tables").
#pragma once

#include "core/tuning/Config.h"

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

inline constexpr int kTableFormat = 1;

/// Ranges of integer arguments, with both ends included: `M` from 513 to 1024.
using KeyRanges = std::vector<std::pair<std::string, std::array<int64_t, 2>>>;
/// The names and buckets of a launch's integer arguments.
using Buckets = std::vector<std::pair<std::string, uint64_t>>;

struct Row {
  std::string kernel;            // its name
  std::string text;              // hash of the kernel's text that was measured: see Query::text
  std::vector<ScalarType> types; // empty: any
  KeyRanges key;
  Config config;
  std::string source; // "measured: ..." or "reasoned: ..."
  std::string file;
  uint32_t line = 0;
  std::optional<Record> record; // set if the row was exported from records
};

struct Table {
  std::string target;
  std::vector<Row> rows;
};

/// Throws tegula::Error with file and line: no JSON, another format, an unknown or missing member, a wrong value.
Table parseTable(std::string_view text, const std::string &file);

/// The table row for a record; its ranges are those of the record's buckets.
Row rowOf(const Record &record);

/// A table of all records of one target, for other users and machines; `parseTable` restores the records in its rows.
std::string formatTable(const std::string &target, const std::vector<Record> &records);

/// The distance between a launch and ranges, and the width of the ranges: the smaller, the better the fit.
struct Fit {
  double distance; // sum over the ranges of log2 of the factor by which the bucket lies outside of the range
  double width;    // orders of magnitude that the ranges cover; with equal distances, narrower ranges are preferred
  auto operator<=>(const Fit &) const = default;
};
/// Nothing if the launch has no bucket for a range.
std::optional<Fit> fitOf(const KeyRanges &ranges, const Buckets &buckets);
/// The kernel's own configuration that a row chooses: the first one that has the row's constants and options and agrees
/// with those that the call fixes. Null if there is none.
const Config *ownConfig(const Row &row, const Query &query);
/// The fit of a row's ranges to a launch. Nothing if the row does not apply: it is for another kernel, another text of
/// the kernel or other types, it contradicts the call, or it chooses none of the kernel's own configurations.
std::optional<Fit> fitOf(const Row &row, const Query &query);

/// The nearest of the rows that apply; with equal distances, the row with the narrowest ranges, then the first one.
/// Null if none applies.
const Row *nearest(const std::vector<Row> &rows, const Query &query);

/// The name of a constant in the configuration that the call neither leaves open nor fixes to the same value, such as
/// one that has a default. Null if there is none; then the configuration may be used for the launch.
const std::string *unfit(const Config &config, const Query &query);

} // namespace tegula::tuning
