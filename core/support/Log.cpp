#include "core/support/Log.h"

#include "core/support/Environment.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tegula {
namespace {

constexpr std::array<std::string_view, 3> kTopics = {"cache", "compile", "tuning"};

/// True if a comma-separated list contains the item.
bool lists(std::string_view list, std::string_view item) {
  for (std::string_view left = list; !left.empty();) {
    size_t comma = left.find(',');
    if (left.substr(0, comma) == item)
      return true;
    left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
  }
  return false;
}

} // namespace

bool logs(std::string_view topic) {
  if (!environmentFlag(Variable::Log))
    return false;
  std::string_view value = environmentValue(Variable::Log);
  bool namesTopics = std::ranges::any_of(kTopics, [&](std::string_view known) { return lists(value, known); });
  return !namesTopics || lists(value, topic);
}

void logLine(std::string_view topic, const std::string &line) {
  if (logs(topic))
    std::fprintf(stderr, "tegula: %s\n", line.c_str());
}

} // namespace tegula
