// Measures configurations of a kernel on the arguments of one launch: prunes, compiles in parallel, searches.
#pragma once

#include "core/runtime/launch/Variants.h"
#include "core/runtime/tune/Trial.h"
#include "core/tuning/Search.h"

namespace tegula {

struct Measurement {
  struct Candidate {
    std::unique_ptr<Configured> configured; // with one variant where it was measured
    tuning::Timed timed;
  };
  std::vector<Candidate> candidates; // without duplicates, in the order of the configurations
  std::optional<size_t> best;        // nothing where none could be launched
  double seconds = 0;                // of all of it
  bool isComplete = true;            // false: the budget ended it
  bool sawEmptyGrid = false;         // of a candidate, which was dropped for it
  bool isKept = false;               // as a record

  /// How many candidates `best` was compared with, itself included.
  size_t timed() const;
  /// Whether `best` is the best of several, or all that can be launched.
  bool isDecided() const;

  /// `BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None`, as Triton writes a configuration.
  std::string describe(size_t candidate) const;
  /// One line for each candidate: its time, or why it was dropped. The fastest first, so that `best` leads; those that
  /// were dropped last.
  std::string report() const;
};

struct MeasureRequest {
  const Kernel::Impl &kernel;
  const Specialization &specialization;
  const Binding &binding;
  const Constants &given;
  const LaunchOptions &options;
};

/// Throws tegula::Error where nothing can be measured at all, such as a buffer that cannot be restored.
Measurement measure(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                    const tuning::SearchOptions &search);

/// The kernel's own configurations that its `prune_configs_by` keeps for this launch; all of them where that cannot be
/// evaluated, which a warning says.
std::vector<KernelConfig> prunedConfigs(const MeasureRequest &request);

} // namespace tegula
