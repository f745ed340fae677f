// "did you mean": suggests the valid name that is nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// The candidate with the least edit distance (insertions, deletions, substitutions, exchanges of neighbours; a wrong
/// case counts half). The distance may be at most a third of the name's length; a candidate that differs only in case
/// is always near enough. Empty if no candidate is near enough.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

/// "; did you mean 'BLOCK_SIZE'?"; empty if no candidate is near enough.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// The names as a list: "a, b and c"
std::string listed(std::span<const std::string> names);

} // namespace tegula
