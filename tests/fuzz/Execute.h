// A kernel on two devices, compared bit for bit.
#pragma once

#include "tests/fuzz/Model.h"

namespace tegula::fuzz {

struct Outcome {
  enum class Kind : uint8_t { Agree, Differ, Refused, Unsupported, Crashed };
  Kind kind = Kind::Agree;
  std::string message; // the difference, or the message of a compiler or a driver
  /// Whether both failures are of the same sort, so that shrinking does not change to another failure.
  bool sameAs(const Outcome &other) const;
};

/// The contents of the rendered buffers after a launch, in their order. Throws ApiError.
std::vector<std::vector<uint8_t>> runOn(Stream &stream, const Model &model, const Rendered &rendered);

/// Runs a kernel on the stream's device and writes what another implementation needs to repeat it (interpreter.py):
/// SEED.py, its text; SEED.json, the launch and the buffers; SEED.before and SEED.after, the bytes of all buffers in
/// order. Throws ApiError, and std::ios_base::failure where a file cannot be written.
void record(const std::string &folder, uint64_t seed, Stream &stream);

class Pair {
public:
  /// Throws ApiError where a device cannot be opened.
  Pair(const std::string &reference, const std::string &device);
  Outcome run(const Model &model);
  /// The device's own name.
  std::string deviceName() const { return device_.info().name; }

private:
  Device reference_, device_;
  Stream referenceStream_, deviceStream_;
};

/// The contents of a buffer before the launch.
std::vector<uint8_t> initialBytes(const Model &model, const BufferPlan &plan);
/// Bytes of an input: mostly small whole numbers and halves, some extremes, infinities and NaNs.
std::vector<uint8_t> inputBytes(uint64_t seed, int64_t buffer, DType type, int64_t elements);

using Trial = std::function<Outcome(const Model &)>;

/// A smaller model for which `trial` fails in the same sort of way. Stops after `seconds`.
Model shrink(Model model, const Outcome &failure, const Trial &trial, double seconds);

} // namespace tegula::fuzz
