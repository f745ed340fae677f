#include "core/passes/StorageAssignment.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tegula::simt {
namespace {

using Order = std::function<bool(const StorageRequest &, const StorageRequest &)>;

int64_t aligned(int64_t place, int64_t alignment) { return (place + alignment - 1) / alignment * alignment; }

/// Each request in turn gets the lowest place that is free for its whole life.
std::vector<int64_t> firstFit(std::span<const StorageRequest> requests, const Order &before) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (requests[a].fixed.has_value() != requests[b].fixed.has_value())
      return requests[a].fixed.has_value();
    return before(requests[a], requests[b]);
  });
  std::vector<int64_t> places(requests.size(), 0);
  std::vector<size_t> placed; // by place
  for (size_t i : order) {
    const StorageRequest &request = requests[i];
    int64_t place = 0;
    if (request.fixed) {
      place = *request.fixed;
    } else {
      for (size_t j : placed) {
        if (!request.meets(requests[j]))
          continue;
        if (place + request.bytes <= places[j])
          break;
        place = std::max(place, aligned(places[j] + requests[j].bytes, request.alignment));
      }
    }
    places[i] = place;
    placed.insert(std::upper_bound(placed.begin(), placed.end(), place,
                                   [&](int64_t at, size_t j) { return at < places[j]; }),
                  i);
  }
  return places;
}

} // namespace

std::vector<int64_t> assignStorage(std::span<const StorageRequest> requests) {
  auto length = [](const StorageRequest &request) { return request.last - request.first + 1; };
  const Order orders[] = {
      [](const StorageRequest &a, const StorageRequest &b) { return a.bytes > b.bytes; },
      [&](const StorageRequest &a, const StorageRequest &b) { return a.bytes * length(a) > b.bytes * length(b); },
      [](const StorageRequest &a, const StorageRequest &b) { return a.first < b.first; },
      [](const StorageRequest &a, const StorageRequest &b) { return a.last > b.last; },
  };
  std::vector<int64_t> best;
  int64_t bound = storageBound(requests);
  for (const Order &order : orders) {
    std::vector<int64_t> places = firstFit(requests, order);
    if (best.empty() || storageEnd(requests, places) < storageEnd(requests, best))
      best = std::move(places);
    if (storageEnd(requests, best) <= bound)
      break;
  }
  return best;
}

int64_t storageEnd(std::span<const StorageRequest> requests, std::span<const int64_t> places) {
  int64_t end = 0;
  for (size_t i = 0; i < requests.size(); ++i)
    end = std::max(end, places[i] + requests[i].bytes);
  return end;
}

int64_t storageBound(std::span<const StorageRequest> requests) {
  int64_t most = 0;
  for (const StorageRequest &at : requests) {
    int64_t alive = 0; // where this one begins: the sum only grows at beginnings
    for (const StorageRequest &request : requests)
      if (request.first <= at.first && at.first <= request.last)
        alive += request.bytes;
    most = std::max(most, alive);
  }
  return most;
}

} // namespace tegula::simt
