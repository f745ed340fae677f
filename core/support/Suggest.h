// "did you mean": the valid name that is nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// The candidate with the least edit distance (insert, delete, substitute, exchange neighbours; case counts half), at
/// most a third of the name's length; empty without one. Near whatever the length: the name itself in another case.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

/// "; did you mean 'BLOCK_SIZE'?", or nothing where no candidate is near.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// "a, b and c"
std::string listed(std::span<const std::string> names);

} // namespace tegula
