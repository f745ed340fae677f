// Offsets of buffers, compared with the best result of first fit in any order.
#include "core/passes/shared/StorageAssignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tegula::simt {
namespace {

bool overlap(const StorageRequest &a, int64_t at, const StorageRequest &b, int64_t other) {
  return a.first <= b.last && b.first <= a.last && at < other + b.bytes && other < at + a.bytes;
}

void expectValid(const std::vector<StorageRequest> &requests, const std::vector<int64_t> &places) {
  ASSERT_EQ(places.size(), requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_GE(places[i], 0);
    EXPECT_EQ(places[i] % requests[i].alignment, 0);
    if (requests[i].fixed)
      EXPECT_EQ(places[i], *requests[i].fixed);
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(overlap(requests[i], places[i], requests[j], places[j])) << i << ' ' << j;
  }
}

/// Brute force: for each order, every buffer gets the lowest free offset. One of these results is optimal.
int64_t optimum(const std::vector<StorageRequest> &requests) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do {
    std::vector<int64_t> places(requests.size(), -1);
    int64_t end = 0;
    for (size_t i : order) {
      int64_t place = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < requests.size(); ++j)
          if (places[j] >= 0 && overlap(requests[i], place, requests[j], places[j])) {
            place = places[j] + requests[j].bytes;
            moved = true;
          }
      }
      places[i] = place;
      end = std::max(end, place + requests[i].bytes);
    }
    best = std::min(best, end);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Storage, RandomLivesAreNearTheOptimum) {
  std::mt19937_64 random(5);
  double worst = 1, sum = 0;
  constexpr int kCases = 500;
  for (int number = 0; number < kCases; ++number) {
    std::vector<StorageRequest> requests(1 + random() % 7);
    for (StorageRequest &request : requests) {
      request.bytes = int64_t(1 + random() % 12) * 16;
      request.first = int64_t(random() % 12);
      request.last = request.first + int64_t(random() % 6);
    }
    std::vector<int64_t> places = assignStorage(requests);
    expectValid(requests, places);
    int64_t end = storageEnd(requests, places), best = optimum(requests);
    EXPECT_GE(best, storageBound(requests));
    EXPECT_GE(end, best);
    double ratio = double(end) / double(best);
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  std::cout << "worst " << worst << " of the optimum, mean " << sum / kCases << '\n';
  EXPECT_LE(worst, 1.34);
  EXPECT_LE(sum / kCases, 1.01);
}

TEST(Storage, ChainsTakeTheOptimum) {
  std::mt19937_64 random(6);
  for (int number = 0; number < 200; ++number) {
    // A chain: each buffer is live together with the previous and the next one only.
    std::vector<StorageRequest> requests(2 + random() % 30);
    for (size_t i = 0; i < requests.size(); ++i)
      requests[i] = {int64_t(1 + random() % 64) * 16, 16, int64_t(2 * i), int64_t(2 * i + 2), {}};
    std::vector<int64_t> places = assignStorage(requests);
    expectValid(requests, places);
    EXPECT_EQ(storageEnd(requests, places), storageBound(requests));
  }
}

TEST(Storage, AlignmentAndFixedPlaces) {
  std::mt19937_64 random(7);
  for (int number = 0; number < 300; ++number) {
    std::vector<StorageRequest> requests(1 + random() % 20);
    int64_t fixedAt = 0, sum = 0;
    for (StorageRequest &request : requests) {
      request.bytes = int64_t(1 + random() % 200) * 4;
      request.alignment = int64_t(16) << random() % 7;
      request.first = int64_t(random() % 40);
      request.last = request.first + int64_t(random() % 20) - 1; // some are never live
      if (random() % 5 == 0) {
        fixedAt = (fixedAt + request.alignment - 1) / request.alignment * request.alignment;
        request.fixed = fixedAt;
        fixedAt += request.bytes;
      }
      sum += request.bytes + request.alignment;
    }
    std::vector<int64_t> places = assignStorage(requests);
    expectValid(requests, places);
    EXPECT_LE(storageEnd(requests, places), fixedAt + sum);
  }
  EXPECT_TRUE(assignStorage({}).empty());
}

} // namespace
} // namespace tegula::simt
