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

/// Ranges of integer arguments, both ends included: `M` from 513 to 1024.
using KeyRanges = std::vector<std::pair<std::string, std::array<int64_t, 2>>>;
/// Names and buckets of a launch's integer arguments.
using Buckets = std::vector<std::pair<std::string, uint64_t>>;

struct Row {
  std::string kernel;            // its name
  std::string text;              // hash of the text that it was measured for, as Query::text
  std::vector<ScalarType> types; // empty: any
  KeyRanges key;
  Config config;
  std::string source; // "measured: ..." or "reasoned: ..."
  std::string file;
  uint32_t line = 0;
  std::optional<Record> record; // of a row that was exported from records
};

struct Table {
  std::string target;
  std::vector<Row> rows;
};

/// Throws tegula::Error with file and line: not JSON, another format, an unknown or missing member, a wrong value.
Table parseTable(std::string_view text, const std::string &file);

/// The row that a record becomes in a table: the ranges are those of its buckets.
Row rowOf(const Record &record);

/// A table of all records of one target, for other users and machines: `parseTable` gives rows with their records.
std::string formatTable(const std::string &target, const std::vector<Record> &records);

/// How far a launch is from ranges, and how wide these are: the less, the better the ranges fit.
struct Fit {
  double distance; // the sum over the ranges of log2 of the factor by which the bucket lies outside
  double width;    // orders of magnitude that the ranges cover: of equally near ones, narrower ones are more specific
  auto operator<=>(const Fit &) const = default;
};
/// Nothing where the launch has no bucket for a range.
std::optional<Fit> fitOf(const KeyRanges &ranges, const Buckets &buckets);
/// The kernel's own configuration that a row chooses: the first that has the row's constants and options and agrees
/// with those that the call fixes. Null where there is none.
const Config *ownConfig(const Row &row, const Query &query);
/// Of a row's key; nothing where the row does not apply to the launch: it is for another kernel or another text of this
/// one, for other types, contradicts the call, or chooses none of the kernel's own configurations.
std::optional<Fit> fitOf(const Row &row, const Query &query);

/// The nearest of the rows that apply; of equally near ones that with the narrowest ranges, then the first. Null if
/// none applies.
const Row *nearest(const std::vector<Row> &rows, const Query &query);

/// A constant of the configuration that the call neither leaves open nor fixes to the same value, such as one that has
/// a default; null if there is none, and the configuration may serve the launch.
const std::string *unfit(const Config &config, const Query &query);

} // namespace tegula::tuning
