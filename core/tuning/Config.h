// A configuration in the form of tables and records, and the query that they answer.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/tuning/Json.h"

#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

/// Values of constexpr parameters, and options of a launch.
struct Config {
  Constants constants;
  std::optional<int> numWarps, numStages;
};

/// A launch for which a configuration is to be found.
struct Query {
  std::string kernel;                     // its name
  std::string text;                       // hash of its normalised text: KernelInfo::text
  std::string target;                     // the device's target: Device::Info
  std::string backend;                    // the device's name without a number
  std::string driver;                     // the device, and its driver's version
  std::string build;                      // the compiler's build id
  std::string types;                      // of the arguments, as text: "*f16, *f16, i32"
  std::string given;                      // constants and options that the call fixes: "ACT=None, num_warps=4"
  Constants fixed;                        // the constants that the call fixes, by value
  std::optional<int> numWarps, numStages; // the options that the call fixes
  std::vector<std::string> open;          // constants that a configuration may set
  std::vector<Config> own;                // the kernel's own configurations, in order
  std::vector<ScalarType> floats;         // float element types of pointers and descriptors, each once
  std::vector<std::pair<std::string, uint64_t>> key; // integers of the tuning key: name and bucket
};
/// `M=1024, N=512`
std::string describeKey(const Query &query);

/// The result of a measurement, and the launches that it applies to.
struct Record {
  std::string kernel, text, target, driver, build, types, given; // see Query
  std::string key;                                               // describeKey
  Config config;
  double seconds = 0; // of one launch: the lower quartile of the samples
  double spread = 0;  // difference of the quartiles, divided by `seconds`
  int64_t compared = 0;
  int64_t when = 0; // time of the measurement, in seconds since 1970
};
/// The record for a measurement of `query`, without the measured results.
Record recordFor(const Query &query);

/// Converts constants to the JSON text of an object "config", and the inverse. None becomes null, a dtype becomes
/// {"dtype": "f16"}.
std::string toJson(const Constants &constants);
/// Throws tegula::Error located at the member; `file` is for messages.
Constants constantsFrom(const Json &json, const std::string &file);
int optionFrom(const Json &json, const std::string &name, const std::string &file);

} // namespace tegula::tuning
