// Places for buffers whose lives are intervals: buffers that live at the same time do not overlap. No IR in here.
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

/// A place in bytes for each request: fixed ones keep theirs. Dynamic storage allocation is NP-hard; this takes the
/// best of several orders of first fit (by size, by size * length of life, by begin, by end of life), each from the
/// bottom, and from bottom and top in turn. The latter is optimal for chains in which each buffer meets its neighbours
/// only.
std::vector<int64_t> assignStorage(std::span<const StorageRequest> requests);

/// The highest end of a place.
int64_t storageEnd(std::span<const StorageRequest> requests, std::span<const int64_t> places);

/// What no assignment can stay below: the most bytes alive at one time.
int64_t storageBound(std::span<const StorageRequest> requests);

} // namespace tegula::simt
