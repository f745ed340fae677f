#include "core/support/Diagnostic.h"
#include "frontend/cli/Timing.h"
#include "frontend/cli/bench/Results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tegula::cli {
namespace {

using Cells = std::vector<std::string>;

std::string number(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Columns as wide as their widest cell; the first `leftAligned` are aligned to the left.
std::string align(const std::vector<Cells> &rows, size_t leftAligned) {
  std::vector<size_t> widths;
  for (const Cells &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const Cells &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (i < leftAligned ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

/// What tells results of two reports apart.
std::string identityOf(const BenchResult &result) {
  return result.device + (result.type.empty() ? "" : " " + result.type) + " " + describe(result.sizes);
}

} // namespace

std::string formatTable(const BenchReport &report) {
  bool hasFlops = std::ranges::any_of(report.results, [](auto &result) { return result.flops > 0; });
  std::vector<Cells> rows = {{"device", "type", "sizes", "median", "spread", "GB/s", "of copy"}};
  if (hasFlops)
    rows[0].push_back("TFLOP/s");
  for (const BenchResult &result : report.results) {
    rows.push_back({result.device, result.type, describe(result.sizes), readable(result.median),
                    number("+-%.1f%%", result.spread() * 100), number("%.2f", result.bytesPerSecond() * 1e-9),
                    number("%.0f%%", result.bytesPerSecond() / result.copyRate * 100)});
    if (hasFlops)
      rows.back().push_back(result.flops > 0 ? number("%.4g", result.flopsPerSecond() * 1e-12) : "");
  }
  return align(rows, 3);
}

std::string formatCsv(const BenchReport &report) {
  std::string text = "kernel,device,description,type,sizes,median_s,lower_quartile_s,upper_quartile_s,launches,bytes,"
                     "flops,copy_bytes_per_s,configuration\n";
  for (const BenchResult &result : report.results) {
    for (const std::string &cell :
         {report.kernel, result.device, result.description, result.type, describe(result.sizes)})
      text += quoted(cell) + ",";
    for (double value : {result.median, result.lower, result.upper, double(result.launches), result.bytes, result.flops,
                         result.copyRate})
      text += number("%.9g", value) + ",";
    text += quoted(result.configuration) + "\n";
  }
  return text;
}

std::string formatJson(const BenchReport &report) {
  nlohmann::ordered_json root = {
      {"format", 1}, {"kernel", report.kernel}, {"results", nlohmann::ordered_json::array()}};
  for (const BenchResult &result : report.results)
    root["results"].push_back({{"device", result.device},
                               {"description", result.description},
                               {"type", result.type},
                               {"sizes", result.sizes},
                               {"median", result.median},
                               {"lower", result.lower},
                               {"upper", result.upper},
                               {"launches", result.launches},
                               {"bytes", result.bytes},
                               {"flops", result.flops},
                               {"copy", result.copyRate},
                               {"configuration", result.configuration}});
  return root.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

BenchReport parseReport(const std::string &text, const std::string &file) {
  try {
    auto root = nlohmann::json::parse(text);
    if (root.at("format") != 1)
      throw Error("'" + file + "' is of the format " + root["format"].dump() + "; 1 is known");
    BenchReport report;
    report.kernel = root.at("kernel");
    for (const auto &item : root.at("results")) {
      BenchResult &result = report.results.emplace_back();
      result.device = item.at("device");
      result.description = item.at("description");
      result.type = item.at("type");
      for (const auto &[name, value] : item.at("sizes").items())
        result.sizes[name] = value;
      result.median = item.at("median");
      result.lower = item.at("lower");
      result.upper = item.at("upper");
      result.launches = item.at("launches");
      result.bytes = item.at("bytes");
      result.flops = item.at("flops");
      result.copyRate = item.at("copy");
      result.configuration = item.at("configuration");
      if (!(result.median > 0))
        throw Error("'" + file + "' has a result whose median is not above 0");
    }
    return report;
  } catch (const nlohmann::json::exception &e) {
    throw Error("'" + file + "' is no result of `tegula bench --json`: " + e.what());
  }
}

std::string compareReports(const BenchReport &before, const BenchReport &after) {
  std::vector<Cells> rows = {{"device", "type", "sizes", "before", "after", "ratio", ""}};
  std::string missing;
  double logs = 0;
  auto find = [](const BenchReport &report, const BenchResult &wanted) {
    return std::ranges::find(report.results, identityOf(wanted), identityOf);
  };
  for (const BenchResult &result : after.results) {
    auto old = find(before, result);
    if (old == before.results.end()) {
      missing += "only after: " + identityOf(result) + "\n";
      continue;
    }
    double ratio = result.median / old->median;
    // Quartiles that overlap: the difference may be chance.
    bool isClear = result.lower > old->upper || result.upper < old->lower;
    rows.push_back({result.device, result.type, describe(result.sizes), readable(old->median), readable(result.median),
                    number("%.3f", ratio),
                    !isClear    ? "within the spread"
                    : ratio < 1 ? "faster"
                                : "slower"});
    logs += std::log(ratio);
  }
  for (const BenchResult &result : before.results)
    if (find(after, result) == after.results.end())
      missing += "only before: " + identityOf(result) + "\n";
  if (rows.size() == 1)
    throw Error("the two files have no result in common\n" + missing);
  return align(rows, 3) + number("geometric mean of the ratios: %.3f\n", std::exp(logs / double(rows.size() - 1))) +
         missing;
}

} // namespace tegula::cli
