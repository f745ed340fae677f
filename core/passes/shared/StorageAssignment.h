// Assigns places to buffers whose lives are intervals, so that buffers that are alive together do not overlap. No IR
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tegula::simt {

struct StorageRequest {
  int64_t bytes = 0;
  int64_t alignment = 1;        // a power of two
  int64_t first = 0, last = -1; // the life, both ends included; never alive where last < first
  std::optional<int64_t> fixed; // already placed here
  bool meets(const StorageRequest &other) const { return first <= other.last && other.first <= last; }
};

/// The least multiple of `alignment` that is not below `place`.
int64_t alignedTo(int64_t place, int64_t alignment);

/// The place of each request, in bytes; fixed requests keep theirs. Dynamic storage allocation is NP-hard; this
/// function tries first fit in four orders (by size, by size * length of life, by begin, by end of life), each once
/// from the bottom only, and once from bottom and top in turn, and returns the assignment with the lowest end. The
/// second kind is optimal for chains, in which each buffer overlaps in time with its neighbours only.
std::vector<int64_t> assignStorage(std::span<const StorageRequest> requests);

/// The highest end of a place.
int64_t storageEnd(std::span<const StorageRequest> requests, std::span<const int64_t> places);

/// A lower bound of every assignment's end: the most bytes that are alive at one time.
int64_t storageBound(std::span<const StorageRequest> requests);

} // namespace tegula::simt
