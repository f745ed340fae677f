// A kernel on two devices, compared bit for bit.
#pragma once

#include "tests/fuzz/Model.h"

namespace tegula::fuzz {

struct Outcome {
  enum class Kind : uint8_t { Agree, Differ, Refused, Unsupported };
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

/// A smaller model with the same sort of failure. `seconds`: when to stop trying; `beforeEach` is called before each try.
Model shrink(Model model, const Outcome &failure, Pair &pair, double seconds, const std::function<void()> &beforeEach);

} // namespace tegula::fuzz
