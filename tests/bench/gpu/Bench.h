// GPU benchmarks on the public interface: hand-written kernels of tests/simt, the samples' kernels from source and the
// device's own copies, each checked against double precision before it is timed. This room holds the cases and their
// common parts; tests/bench/peers.py measures peers in the same way, and ci/gpu runs both alternately. Nothing of a
// vendor's API may enter.
#pragma once

#include "tegula/tegula.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpubench {

/// The check of a case: `checked` results were compared with a reference; `firstWrong` is empty if all were within
/// tolerance.
struct Verdict {
  size_t checked = 0;
  double maxError = 0; // largest |actual - expected|; NaN if a result is NaN
  std::string firstWrong;
  bool ok() const { return checked > 0 && firstWrong.empty(); }
  /// Checks one more result: right if |actual - expected| <= absolute + relative * |expected|.
  void add(size_t index, double actual, double expected, double absolute, double relative);
  void merge(const Verdict &other);
};

/// A prepared case: its arrays are on the device.
class Prepared {
public:
  virtual ~Prepared() = default;
  /// Enqueues one run.
  virtual void launch() = 0;
  /// Overwrites the result, runs once and compares.
  virtual Verdict check() = 0;
};

/// The environment of a case.
struct Setting {
  tegula::Stream &stream;
  std::string modules; // folder with the .mlir files of tests/simt
  std::string samples; // folder with the samples' folders
};

/// An entry of the table of cases.
struct Case {
  std::string name;
  double work = 0;      // bytes or operations that one run needs at least
  std::string unit;     // "GB/s" or "TFLOP/s"
  bool isQuick = false; // a small case, to test the benchmark itself
  /// The reason why the case does not run on a device; empty where it does.
  std::function<std::string(const tegula::Device::Info &)> leftOut;
  std::function<std::unique_ptr<Prepared>(const Setting &)> prepare;

  double rate(double seconds) const { return work / seconds / (unit == "GB/s" ? 1e9 : 1e12); }
};

/// All cases, in the order in which they run.
const std::vector<Case> &allCases();

// These add the entries of one kind.
void addMemoryCases(std::vector<Case> &cases);
void addMatmulCases(std::vector<Case> &cases);
void addAttentionCases(std::vector<Case> &cases);
/// The samples' kernels, compiled from their source.
void addSourceCases(std::vector<Case> &cases);

/// For cases that run on every device: empty.
std::string anyDevice(const tegula::Device::Info &device);
/// Why a simt module does not run: the device's target has no simt level (the CPU).
std::string needsSimt(const tegula::Device::Info &device);
/// Why asynchronous matrix products and tensor copies do not run: they need target sm_90a.
std::string needsHopper(const tegula::Device::Info &device);
/// Why warp matrix products and asynchronous copies do not run: they need target sm_80 or later.
std::string needsAmpere(const tegula::Device::Info &device);

/// A numeric property of the device, such as "multiprocessors"; throws ApiError if the device lacks it.
int64_t numberOf(const tegula::Device::Info &device, const std::string &property);

} // namespace gpubench
