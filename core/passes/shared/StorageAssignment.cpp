#include "core/passes/shared/StorageAssignment.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tegula::simt {
namespace {

using Order = std::function<bool(const StorageRequest &, const StorageRequest &)>;

/// The highest place below `height` at which the request overlaps no placed request that is alive at the same time;
/// nothing if there is no such place.
std::optional<int64_t> highestFit(std::span<const StorageRequest> requests, const std::vector<int64_t> &places,
                                  const std::vector<size_t> &placed, size_t i, int64_t height) {
  const StorageRequest &request = requests[i];
  int64_t end = height;
  for (auto it = placed.rbegin(); it != placed.rend(); ++it) {
    int64_t place = (end - request.bytes) / request.alignment * request.alignment;
    if (end < request.bytes)
      return std::nullopt;
    const StorageRequest &other = requests[*it];
    if (request.meets(other) && place < places[*it] + other.bytes && places[*it] < place + request.bytes)
      end = places[*it];
  }
  if (end < request.bytes)
    return std::nullopt;
  int64_t place = (end - request.bytes) / request.alignment * request.alignment;
  for (size_t j : placed)
    if (request.meets(requests[j]) && place < places[j] + requests[j].bytes && places[j] < place + request.bytes)
      return std::nullopt;
  return place;
}

/// Gives each request in turn the lowest place that is free during its whole life. With a `height`, every second
/// request gets the highest free place below `height` instead, if there is one. In a chain, in which each request is
/// alive together with its neighbours only, and with the `height` that two neighbours need, neighbours then alternate
/// between bottom and top.
std::vector<int64_t> firstFit(std::span<const StorageRequest> requests, const Order &before, int64_t height = 0) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (requests[a].fixed.has_value() != requests[b].fixed.has_value())
      return requests[a].fixed.has_value();
    return before(requests[a], requests[b]);
  });
  std::vector<int64_t> places(requests.size(), 0);
  std::vector<size_t> placed; // in ascending order of their places
  bool fromTop = false;
  for (size_t i : order) {
    const StorageRequest &request = requests[i];
    std::optional<int64_t> high;
    if (height != 0 && !request.fixed) {
      if (fromTop)
        high = highestFit(requests, places, placed, i, height);
      fromTop = !fromTop;
    }
    int64_t place = 0;
    if (request.fixed || high) {
      place = request.fixed ? *request.fixed : *high;
    } else {
      for (size_t j : placed) {
        if (!request.meets(requests[j]))
          continue;
        if (place + request.bytes <= places[j])
          break;
        place = std::max(place, alignedTo(places[j] + requests[j].bytes, request.alignment));
      }
    }
    places[i] = place;
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), place, [&](int64_t at, size_t j) { return at < places[j]; }), i);
  }
  return places;
}

} // namespace

int64_t alignedTo(int64_t place, int64_t alignment) { return (place + alignment - 1) / alignment * alignment; }

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
  for (int64_t height : {int64_t(0), bound})
    for (const Order &order : orders) {
      std::vector<int64_t> places = firstFit(requests, order, height);
      if (best.empty() || storageEnd(requests, places) < storageEnd(requests, best))
        best = std::move(places);
      if (storageEnd(requests, best) <= bound)
        return best;
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
    int64_t alive = 0; // bytes alive when this request begins; the maximum is always at the begin of a life
    for (const StorageRequest &request : requests)
      if (request.first <= at.first && at.first <= request.last)
        alive += request.bytes;
    most = std::max(most, alive);
  }
  return most;
}

} // namespace tegula::simt
