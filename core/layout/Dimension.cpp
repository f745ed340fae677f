#include "core/layout/Dimension.h"

#include <array>
#include <charconv>

namespace tegula::layout {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"register", "lane", "warp", "block", "offset"};
constexpr std::string_view kTensorPrefix = "dim";

} // namespace

std::string name(Dim dim) {
  if (isTensorDim(dim))
    return std::string(kTensorPrefix) + std::to_string(tensorIndex(dim));
  return std::string(kNames[static_cast<size_t>(dim)]);
}

std::optional<Dim> parseDim(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (text == kNames[i])
      return static_cast<Dim>(i);
  if (!text.starts_with(kTensorPrefix))
    return std::nullopt;
  text.remove_prefix(kTensorPrefix.size());
  unsigned index = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index >= kMaxTensorRank)
    return std::nullopt;
  return tensorDim(index);
}

std::vector<Extent> tensorExtents(const std::vector<uint32_t> &shape) {
  std::vector<Extent> extents;
  for (unsigned i = 0; i < shape.size(); ++i)
    extents.push_back({tensorDim(i), shape[i]});
  return extents;
}

} // namespace tegula::layout
