// A kernel on two devices, compared bit for bit.
#pragma once

#include "tests/fuzz/Model.h"

namespace tegula::fuzz {

struct Outcome {
  enum class Kind : uint8_t { Agree, Differ, Refused, Unsupported, Crashed };
  Kind kind = Kind::Agree;
  std::string message; // what differs, or what a compiler or a driver said
  /// The same sort of failure, so that shrinking does not wander off to another one.
  bool sameAs(const Outcome &other) const;
};

class Pair {
public:
  /// Throws ApiError where a device cannot be opened.
  Pair(const std::string &reference, const std::string &device);
  Outcome run(const Model &model);
  /// The device's own name.
  std::string deviceName() const { return device_.info().name; }

private:
  std::vector<std::vector<uint8_t>> runOn(Stream &stream, const Model &model, const Rendered &rendered);
  Device reference_, device_;
  Stream referenceStream_, deviceStream_;
};

/// Bytes of an input: small whole numbers and halves, now and then extremes, infinities and NaNs.
std::vector<uint8_t> inputBytes(uint64_t seed, int64_t buffer, DType type, int64_t elements);

using Trial = std::function<Outcome(const Model &)>;

/// A smaller model that `trial` finds to fail in the same sort of way. `seconds`: when to stop trying.
Model shrink(Model model, const Outcome &failure, const Trial &trial, double seconds);

} // namespace tegula::fuzz
