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

/// The version of the encoding. It must be raised when the encoding changes, including that of artifacts and kernel
/// descriptions, which a bundle contains. Bundles of other versions are refused.
inline constexpr uint32_t kBundleVersion = 4;

struct BundleFile {
  struct Kernel {
    KernelInfo info; // without configurations, which the instances replace
    std::string path, sourceHash;
  };
  /// A kernel with one set of types and constants.
  struct Instance {
    uint32_t kernel = 0;          // index
    std::vector<ParamType> types; // of the parameters that are not constexpr; without facts
    Constants constants;          // the value of every constexpr parameter
    int numWarps = 4, numStages = 3;
    std::string tile; // tile IR, valid for any arguments of these types; compiled for targets without code
  };
  /// A range of sizes for which an instance is known to be fast on a target.
  struct TuningRow {
    tuning::KeyRanges ranges; // ranges of integer arguments, by parameter name
    std::string source;       // "measured: ..." or "reasoned: ..."
    bool operator==(const TuningRow &) const = default;
  };
  /// The code of an instance for one target.
  struct Code {
    uint32_t instance = 0; // index
    std::string target;
    std::vector<std::span<const uint8_t>> artifacts; // serialised; the last one serves all arguments
    std::vector<TuningRow> tuning;
  };
  std::string path; // the bundle's file, for messages
  std::vector<Kernel> kernels;
  std::vector<Instance> instances;
  std::vector<Code> code;
  std::deque<std::vector<uint8_t>> owned; // the bytes of the spans above, unless the caller owns them
};

std::vector<uint8_t> serialize(const BundleFile &bundle);
/// Parses a bundle, which refers to `bytes`. Throws tegula::Error with the defect: the bytes are no bundle, truncated,
/// damaged or of another version.
BundleFile parseBundle(std::span<const uint8_t> bytes, const std::string &path);

} // namespace tegula
