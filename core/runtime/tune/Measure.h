// Measures configurations of a kernel on the arguments of one launch: prunes them, compiles them in parallel, and
// searches for the fastest.
#pragma once

#include "core/runtime/launch/Variants.h"
#include "core/runtime/tune/Trial.h"
#include "core/tuning/Search.h"

namespace tegula {

struct Measurement {
  struct Candidate {
    std::unique_ptr<Configured> configured; // has one variant if it was measured
    tuning::Timed timed;
  };
  std::vector<Candidate> candidates; // distinct ones, in the order of the configurations
  std::optional<size_t> best;        // nothing if no candidate could be launched
  double seconds = 0;                // duration of the whole measurement
  bool isComplete = true;            // false: the time limit ended it
  bool sawEmptyGrid = false;         // a candidate was dropped because its grid was empty
  bool isKept = false;               // stored as a record

  /// The number of candidates that were timed, `best` included.
  size_t timed() const;
  /// True if `best` is the best of several candidates, or the only one that can be launched.
  bool isDecided() const;

  /// A configuration in Triton's form: `BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None`
  std::string describe(size_t candidate) const;
  /// One line for each candidate: its time, or why it was dropped. The fastest one, `best`, stands first, dropped ones
  /// last.
  std::string report() const;
};

struct MeasureRequest {
  const Kernel::Impl &kernel;
  const Specialization &specialization;
  const Binding &binding;
  const Constants &given;
  const LaunchOptions &options;
};

/// Compiles `configs` and searches for the fastest, launching them through `trial`. Throws tegula::Error if nothing can
/// be measured, for example because a buffer cannot be restored.
Measurement measure(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                    const tuning::SearchOptions &search);

/// The kernel's own configurations that its `prune_configs_by` keeps for this launch. If `prune_configs_by` cannot be
/// evaluated, gives a warning and returns all configurations.
std::vector<KernelConfig> prunedConfigs(const MeasureRequest &request);

} // namespace tegula
