// GPU benchmarks on the public interface: hand-written kernels of tests/simt, the samples' kernels from source and the
// device's own copies, each checked against double precision before it is timed. The room holds cases and what they
// share; peers are measured by tests/bench/peers.py in the same way, and ci/gpu runs both in turns. Nothing of a
// vendor's API may enter.
#pragma once

#include "tegula/tegula.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpubench {

/// What a case was found to compute. `checked` results were compared with a reference; `firstWrong` is empty where all
/// of them are within its tolerance.
struct Verdict {
  size_t checked = 0;
  double maxError = 0; // largest |actual - expected|; NaN where a result is none
  std::string firstWrong;
  bool ok() const { return checked > 0 && firstWrong.empty(); }
  /// One result more. It is right where |actual - expected| <= absolute + relative * |expected|.
  void add(size_t index, double actual, double expected, double absolute, double relative);
  void merge(const Verdict &other);
};

/// A prepared case: its arrays are on the device.
class Prepared {
public:
  virtual ~Prepared() = default;
  /// Puts one run into the stream.
  virtual void launch() = 0;
  /// Spoils the result, runs once and compares.
  virtual Verdict check() = 0;
};

/// What cases are prepared with.
struct Setting {
  tegula::Stream &stream;
  std::string modules; // folder with the .mlir files of tests/simt
  std::string samples; // folder with the samples' own folders
};

/// One row of the table of cases.
struct Case {
  std::string name;
  double work = 0;      // bytes or operations of one run: what it must do at least
  std::string unit;     // "GB/s" or "TFLOP/s"
  bool isQuick = false; // small: for trying the benchmark itself
  /// Why it does not run on a device; empty where it does.
  std::function<std::string(const tegula::Device::Info &)> leftOut;
  std::function<std::unique_ptr<Prepared>(const Setting &)> prepare;

  double rate(double seconds) const { return work / seconds / (unit == "GB/s" ? 1e9 : 1e12); }
};

/// All cases, in the order in which they run.
const std::vector<Case> &allCases();

// Rows of that table, by kind.
void addMemoryCases(std::vector<Case> &cases);
void addMatmulCases(std::vector<Case> &cases);
void addAttentionCases(std::vector<Case> &cases);
/// The samples' kernels, compiled from their source.
void addSourceCases(std::vector<Case> &cases);

/// Nothing is left out.
std::string anyDevice(const tegula::Device::Info &device);
/// A simt module is compiled for the device's target; the CPU has no such level.
std::string needsSimt(const tegula::Device::Info &device);
/// Asynchronous matrix products, tensor copies: targets sm_90a.
std::string needsHopper(const tegula::Device::Info &device);
/// Warp matrix products, asynchronous copies: targets sm_80 and later.
std::string needsAmpere(const tegula::Device::Info &device);

/// A property of the device that is a number, such as "multiprocessors"; throws ApiError where there is none.
int64_t numberOf(const tegula::Device::Info &device, const std::string &property);

} // namespace gpubench
