// Tables of tuned configurations: files that are shipped, exported and imported (docs/tuning.md, "Tables").
#pragma once

#include "core/tuning/Config.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

inline constexpr int kTableFormat = 1;

struct Row {
  std::string kernel;            // * stands for any text
  std::vector<ScalarType> types; // empty: any
  std::vector<std::pair<std::string, std::array<int64_t, 2>>> key;
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

/// A table of all records of one target, for other users and machines: `parseTable` gives rows with their records.
std::string formatTable(const std::string &target, const std::vector<Record> &records);

/// How far the key of a launch is from the ranges of a row: the sum over the names of log2 of the factor by which the
/// bucket lies outside. Nothing where the row does not apply.
std::optional<double> distance(const Row &row, const Query &query);

/// The nearest of the rows that apply; of equally near ones that with the narrowest ranges, then the first. Null if
/// none applies.
const Row *nearest(const std::vector<Row> &rows, const Query &query);

/// Whether a pattern in which `*` stands for any text fits.
bool fits(std::string_view pattern, std::string_view text);

} // namespace tegula::tuning
