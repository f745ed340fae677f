// The pieces of a grid, counted one by one.
#include "backends/gpu/Grid.h"

#include <gtest/gtest.h>

#include <vector>

namespace tegula::gpu {
namespace {

TEST(GridPieces, CoverEachProgramOnce) {
  const Extent3 limits = {6, 3, 2};
  for (uint32_t cluster : {1u, 2u, 4u})
    for (uint32_t x : {4u, 8u, 12u, 20u})
      for (uint32_t y : {1u, 3u, 4u, 10u})
        for (uint32_t z : {1u, 2u, 5u}) {
          std::vector<int> seen(x * y * z);
          forEachPiece({x, y, z}, limits, cluster, [&](const Extent3 &base, const Extent3 &size) {
            EXPECT_TRUE(fits(size, limits));
            EXPECT_EQ(base[0] % cluster, 0u);
            EXPECT_EQ(size[0] % cluster, 0u);
            for (uint32_t k = 0; k < size[2]; ++k)
              for (uint32_t j = 0; j < size[1]; ++j)
                for (uint32_t i = 0; i < size[0]; ++i)
                  ++seen.at(((base[2] + k) * y + base[1] + j) * x + base[0] + i);
          });
          for (int count : seen)
            ASSERT_EQ(count, 1) << x << " " << y << " " << z << " " << cluster;
        }
}

TEST(GridPieces, DoNotOverflow) {
  uint64_t programs = 0, pieces = 0;
  forEachPiece({2147483647, 1, 1}, {2147483646, 65535, 65535}, 1, [&](const Extent3 &, const Extent3 &size) {
    programs += size[0];
    ++pieces;
  });
  EXPECT_EQ(programs, 2147483647u);
  EXPECT_EQ(pieces, 2u);
}

} // namespace
} // namespace tegula::gpu
