// The plot of a report: logarithmic sizes, a linear rate from zero, a legend.
#include "core/support/Diagnostic.h"
#include "frontend/cli/bench/Results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace tegula::cli {
namespace {

constexpr double kWidth = 860, kLeft = 78, kRight = 250, kBottom = 64;
constexpr double kFrame = 360;       // height of the lines' frame
constexpr double kDeviceLine = 15;   // height of a device's description above the frame
constexpr size_t kMostLetters = 118; // of a description; about what fits the width
// Okabe and Ito's colours, which people who do not see all colours can tell apart.
constexpr std::array<const char *, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

std::string shortNumber(double value) {
  char text[32];
  const char *unit = value >= 1e9 ? "G" : value >= 1e6 ? "M" : value >= 1e4 ? "k" : "";
  std::snprintf(text, sizeof text, "%.4g%s",
                value / (value >= 1e9   ? 1e9
                         : value >= 1e6 ? 1e6
                         : value >= 1e4 ? 1e3
                                        : 1),
                unit);
  return text;
}

/// A description in one line of the picture.
std::string shortened(const std::string &text) {
  if (text.size() <= kMostLetters)
    return text;
  return text.substr(0, text.find_last_of(" ,", kMostLetters - 4)) + " ...";
}

/// A size: powers of 1024 where they divide it, such as 64Ki.
std::string shortSize(double size) {
  auto value = static_cast<int64_t>(size);
  for (const auto &[unit, name] :
       {std::pair(int64_t(1) << 30, "Gi"), {int64_t(1) << 20, "Mi"}, {int64_t(1) << 10, "Ki"}})
    if (value >= 16 << 10 && value % unit == 0)
      return std::to_string(value / unit) + name;
  return shortNumber(size);
}

/// 1, 2 or 5 times a power of ten: the distance of about `count` ticks up to `most`.
double niceStep(double most, int count) {
  double raw = most / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power)
      return factor * power;
  return 10 * power;
}

struct Line {
  std::string label;
  std::vector<std::pair<double, const BenchResult *>> points;
};

class Plot {
public:
  explicit Plot(const BenchReport &report) : report_(report) {
    isFlops_ = std::ranges::all_of(report.results, [](auto &result) { return result.flops > 0; });
    chooseAxis();
    for (const BenchResult &result : report.results) {
      std::string label = result.device + (result.type.empty() ? "" : " " + result.type);
      auto found = std::ranges::find(lines_, label, &Line::label);
      Line &line = found == lines_.end() ? lines_.emplace_back(Line{label, {}}) : *found;
      line.points.emplace_back(double(result.sizes.at(axis_)), &result);
      low_ = std::min(low_, double(result.sizes.at(axis_)));
      high_ = std::max(high_, double(result.sizes.at(axis_)));
      most_ = std::max(most_, rate(result, result.lower));
      if (!isFlops_ && result.copyRate > 0) {
        copies_[result.device] = result.copyRate * 1e-9;
        most_ = std::max(most_, result.copyRate * 1e-9);
      }
    }
    for (Line &line : lines_)
      std::ranges::sort(line.points);
    for (const BenchResult &result : report.results)
      if (std::string device = result.device + ": " + result.description;
          std::ranges::find(devices_, device) == devices_.end())
        devices_.push_back(device);
    top_ = 41 + kDeviceLine * double(devices_.size());
    height_ = top_ + kFrame + kBottom;
    most_ = std::ceil(most_ * 1.05 / niceStep(most_, 6)) * niceStep(most_, 6);
  }

  std::string draw() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"DejaVu Sans, "
        "sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
        kWidth, height_);
    text(kLeft, 24, "start", "font-size=\"15\" font-weight=\"bold\"", report_.kernel);
    for (size_t i = 0; i < devices_.size(); ++i)
      text(kLeft, 42 + kDeviceLine * double(i), "start", "fill=\"#444444\" font-size=\"11\"", shortened(devices_[i]));
    drawAxes();
    text(kWidth - kRight + 16, top_ + 16 + 22 * double(lines_.size()), "start", "fill=\"#444444\" font-size=\"11\"",
         "bars: from quartile to quartile");
    drawCopies();
    for (size_t i = 0; i < lines_.size(); ++i)
      drawLine(lines_[i], kColours[i % kColours.size()], top_ + 8 + 22 * double(i));
    return out_ + "</svg>\n";
  }

private:
  /// The size with the most different values; of equally many the first.
  void chooseAxis() {
    std::map<std::string, std::set<int64_t>> values;
    for (const BenchResult &result : report_.results)
      for (const auto &[name, value] : result.sizes)
        values[name].insert(value);
    for (const auto &[name, set] : values)
      if (axis_.empty() || set.size() > values[axis_].size())
        axis_ = name;
    for (const BenchResult &result : report_.results)
      if (!result.sizes.contains(axis_))
        throw Error("there is no plot: the shape '" + describe(result.sizes) + "' has no size '" + axis_ +
                    "', over which the others differ");
    // Sizes that always have the same value as the axis are named with it: `K = M = N`.
    for (const auto &[name, set] : values)
      if (std::ranges::all_of(report_.results, [&](const BenchResult &result) {
            auto found = result.sizes.find(name);
            return found != result.sizes.end() && found->second == result.sizes.at(axis_);
          }))
        title_ += (title_.empty() ? "" : " = ") + name;
  }

  double rate(const BenchResult &result, double seconds) const {
    return (isFlops_ ? result.flops * 1e-12 : result.bytes * 1e-9) / seconds;
  }
  double x(double size) const {
    double span = std::log2(high_ / low_);
    return kLeft + (kWidth - kLeft - kRight) * (span > 0 ? std::log2(size / low_) / span : 0.5);
  }
  double y(double value) const { return height_ - kBottom - (height_ - top_ - kBottom) * value / most_; }

  void add(const char *format, auto... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    out_ += line;
  }
  void text(double x, double y, const char *anchor, const char *style, const std::string &words) {
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, style);
    out_ += escaped(words) + "</text>\n";
  }

  void drawAxes() {
    double right = kWidth - kRight, bottom = height_ - kBottom;
    double step = niceStep(most_, 6);
    for (double value = 0; value <= most_ * 1.0001; value += step) {
      add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", kLeft, y(value), right,
          y(value));
      text(kLeft - 8, y(value) + 4, "end", "", shortNumber(value));
    }
    std::set<double> sizes;
    for (const Line &line : lines_)
      for (const auto &[size, result] : line.points)
        sizes.insert(size);
    double last = -1e9;
    for (double size : sizes) {
      add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#000000\"/>\n", x(size), bottom, x(size),
          bottom + 5);
      if (x(size) - last < 44)
        continue; // numbers do not overlap
      text(x(size), bottom + 20, "middle", "", shortSize(size));
      last = x(size);
    }
    add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#000000\"/>\n", kLeft, top_,
        right - kLeft, bottom - top_);
    text((kLeft + right) / 2, height_ - 18, "middle", "font-size=\"13\"", title_ + " (logarithmic)");
    add("<text x=\"20\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"13\" transform=\"rotate(-90 20 "
        "%.1f)\">%s</text>\n",
        (top_ + bottom) / 2, (top_ + bottom) / 2, isFlops_ ? "TFLOP/s (median)" : "GB/s (median)");
  }

  /// What a copy on each device reaches, as a dashed line in the colour of the device's first line.
  void drawCopies() {
    for (const auto &[device, copy] : copies_) {
      auto line =
          std::ranges::find_if(lines_, [&](const Line &item) { return item.points[0].second->device == device; });
      add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"6 4\"/>\n", kLeft,
          y(copy), kWidth - kRight, y(copy), kColours[size_t(line - lines_.begin()) % kColours.size()]);
    }
    if (!copies_.empty())
      text(kWidth - kRight + 16, top_ + 32 + 22 * double(lines_.size()), "start", "fill=\"#444444\" font-size=\"11\"",
           "dashed: a copy on the device");
  }

  /// The line through the medians, a bar from quartile to quartile at each, and its entry in the legend.
  void drawLine(const Line &line, const char *colour, double legend) {
    std::string path;
    for (const auto &[size, result] : line.points) {
      char point[64];
      std::snprintf(point, sizeof point, "%.1f,%.1f ", x(size), y(rate(*result, result->median)));
      path += point;
      add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", x(size),
          y(rate(*result, result->lower)), x(size), y(rate(*result, result->upper)), colour);
      add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x(size), y(rate(*result, result->median)),
          colour);
    }
    out_ += "<polyline points=\"" + path + "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + colour + "\"/>\n";
    double left = kWidth - kRight + 16;
    add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"3\"/>\n", left, legend,
        left + 24, legend, colour);
    text(left + 32, legend + 4, "start", "", line.label);
  }

  const BenchReport &report_;
  bool isFlops_ = false;
  std::string axis_, title_;
  std::vector<Line> lines_;
  std::vector<std::string> devices_;     // name and description, in the order of the results
  std::map<std::string, double> copies_; // GB/s by device, in a plot of GB/s
  double top_ = 0, height_ = 0;          // where the frame begins; of the picture
  double low_ = INFINITY, high_ = 0, most_ = 0;
  std::string out_;
};

} // namespace

std::string plotReport(const BenchReport &report) {
  if (report.results.empty() || report.results[0].sizes.empty())
    throw Error("there is nothing to plot: no result has sizes");
  return Plot(report).draw();
}

} // namespace tegula::cli
