// A bundle in memory, and its encoding (docs/bundles.md).
#pragma once

#include "core/contracts/Artifact.h"
#include "core/contracts/Compiler.h"
#include "core/tuning/Table.h"

#include <deque>
#include <span>
#include <string>
#include <vector>

namespace tegula {

/// Raised whenever the encoding changes, also that of artifacts and kernel descriptions, which it contains.
/// 2: kernels say how they are tuned, artifacts whether they depend on facts. 3: tuning rows.
inline constexpr uint32_t kBundleVersion = 4;

struct BundleFile {
  struct Kernel {
    KernelInfo info; // without configurations: the instances are their results
    std::string path, sourceHash;
  };
  /// A kernel with types and constants.
  struct Instance {
    uint32_t kernel = 0;          // index
    std::vector<ParamType> types; // of the parameters that are not constexpr; no facts
    Constants constants;          // all of them
    int numWarps = 4, numStages = 3;
    std::string tile; // IR that holds for any arguments of these types, to compile for further targets
  };
  /// Sizes for which an instance is known to be fast on a target.
  struct TuningRow {
    tuning::KeyRanges ranges; // of integer arguments, by the names of their parameters
    std::string source;       // "measured: ..." or "reasoned: ..."
    bool operator==(const TuningRow &) const = default;
  };
  /// An instance for one target.
  struct Code {
    uint32_t instance = 0; // index
    std::string target;
    std::vector<std::span<const uint8_t>> artifacts; // serialized; the last serves all arguments
    std::vector<TuningRow> tuning;
  };
  std::string path; // of the file, for messages
  std::vector<Kernel> kernels;
  std::vector<Instance> instances;
  std::vector<Code> code;
  std::deque<std::vector<uint8_t>> owned; // what the spans above refer to, unless it is memory of the caller
};

std::vector<uint8_t> serialize(const BundleFile &bundle);
/// The bundle refers to `bytes`. Throws tegula::Error that says what is wrong: foreign, truncated, damaged or of
/// another version.
BundleFile parseBundle(std::span<const uint8_t> bytes, const std::string &path);

} // namespace tegula
