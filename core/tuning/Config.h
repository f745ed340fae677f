// A configuration as tables and records store it, and the question that they answer.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/tuning/Json.h"

#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

/// Values of constexpr parameters and options of a launch.
struct Config {
  Constants constants;
  std::optional<int> numWarps, numStages;
};

/// A launch whose configuration is open.
struct Query {
  std::string kernel;                     // its name
  std::string text;                       // hash of its normalized text: KernelInfo::text
  std::string target;                     // as Device::Info has it
  std::string backend;                    // of the device: its name without a number
  std::string driver;                     // the device and its driver's version
  std::string build;                      // of the compiler
  std::string types;                      // of the arguments: "*f16, *f16, i32"
  std::string given;                      // constants and options that the call fixes: "ACT=None, num_warps=4"
  Constants fixed;                        // the same constants, by value
  std::optional<int> numWarps, numStages; // the same options
  std::vector<std::string> open;          // constants that a configuration may set
  std::vector<Config> own;                // the kernel's own configurations, in order
  std::vector<ScalarType> floats;         // element types of pointers and descriptors that are floats, each once
  std::vector<std::pair<std::string, uint64_t>> key; // arguments that tuning looks at: names and buckets
};
/// `M=1024, N=512`
std::string describeKey(const Query &query);

/// What a measurement found, and for which launches.
struct Record {
  std::string kernel, text, target, driver, build, types, given; // as in Query
  std::string key;                                               // describeKey
  Config config;
  double seconds = 0; // of one launch: the lower quartile of the samples
  double spread = 0;  // difference of the quartiles over `seconds`
  int64_t compared = 0;
  int64_t when = 0; // seconds since 1970
};
/// The record that the result of a measurement for `query` becomes.
Record recordFor(const Query &query);

/// Members of a JSON object with "config", "num_warps" and "num_stages" as text, and back. None is null, a dtype
/// {"dtype": "f16"}.
std::string toJson(const Constants &constants);
/// Throws tegula::Error located at the member; `file` for messages.
Constants constantsFrom(const Json &json, const std::string &file);
int optionFrom(const Json &json, const std::string &name, const std::string &file);

} // namespace tegula::tuning
