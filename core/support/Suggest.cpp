#include "core/support/Suggest.h"

#include <algorithm>
#include <cctype>

namespace tegula {
namespace {

// The optimal string alignment distance in units of one half, so that a wrong case counts less than a wrong letter.
unsigned distance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<unsigned> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = static_cast<unsigned>(2 * j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<unsigned>(2 * i);
    for (size_t j = 1; j <= b.size(); ++j) {
      unsigned change = a[i - 1] == b[j - 1] ? 0 : same(a[i - 1], b[j - 1]) ? 1 : 2;
      row[j] = std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + change});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 2);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string toLower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

} // namespace

std::string nearestName(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > 200)
    return {};
  const std::string *best = nullptr;
  unsigned least = std::max<unsigned>(2, static_cast<unsigned>(2 * name.size() / 3)) + 1;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > 200 || candidate == name)
      continue;
    unsigned d = toLower(name) == toLower(candidate) ? 1 : distance(name, candidate);
    if (name.size() < 2 && d > 1)
      continue; // a single letter is one substitution from any other
    if (d < least) {
      least = d;
      best = &candidate;
    }
  }
  return best ? *best : std::string();
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  std::string nearest = nearestName(name, candidates);
  return nearest.empty() ? nearest : "; did you mean '" + nearest + "'?";
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

} // namespace tegula
