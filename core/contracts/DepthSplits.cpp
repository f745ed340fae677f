#include "core/contracts/DepthSplits.h"

namespace tegula {

int64_t depthSplitsOf(const Constants &constants) {
  auto found = constants.find(kDepthSplits);
  if (found == constants.end())
    return 1;
  const auto *splits = std::get_if<int64_t>(&found->second);
  if (!splits || *splits < 1 || *splits > kMostDepthSplits)
    throw Error("depth_splits is " + (splits ? std::to_string(*splits) : "no integer") +
                "; it must be an integer from 1 to " + std::to_string(kMostDepthSplits));
  return *splits;
}

} // namespace tegula
