// Assigns places to buffers whose lives are intervals, so that buffers that are alive at the same time do not overlap.
// No IR here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tegula::simt {

struct StorageRequest {
  int64_t bytes = 0;
  int64_t alignment = 1;        // a power of two
  int64_t first = 0, last = -1; // the life, both ends included; last < first: never alive
  std::optional<int64_t> fixed; // the given place of a buffer that is already placed
  bool meets(const StorageRequest &other) const { return first <= other.last && other.first <= last; }
};

/// The smallest multiple of `alignment` that is at least `place`.
int64_t alignedTo(int64_t place, int64_t alignment);

/// The place of each request, in bytes; requests with `fixed` keep their place. Dynamic storage allocation is NP-hard.
/// This function tries first fit in four orders (by size, by size * length of life, by begin, by end of life), each
/// order in two variants, from the bottom only and alternately from the bottom and from the top, and returns the
/// assignment with the lowest end. The second variant is optimal for chains, in which each buffer overlaps in time with
/// its neighbours only.
std::vector<int64_t> assignStorage(std::span<const StorageRequest> requests);

/// The highest end of all placed requests.
int64_t storageEnd(std::span<const StorageRequest> requests, std::span<const int64_t> places);

/// A lower bound of the end of every assignment: the most bytes that are alive at one time.
int64_t storageBound(std::span<const StorageRequest> requests);

} // namespace tegula::simt
