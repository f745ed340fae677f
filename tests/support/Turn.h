// Which part of a long test this run takes.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tegula {

/// One of 0 to `turns` - 1: ci/test numbers its runs by the number of commits (TEGULA_TEST_SEED), so that as many
/// consecutive commits take every turn. Without ci/test it is the first.
inline uint64_t turnOf(uint64_t turns) {
  const char *seed = std::getenv("TEGULA_TEST_SEED");
  return seed ? std::strtoull(seed, nullptr, 10) % turns : 0;
}

} // namespace tegula
