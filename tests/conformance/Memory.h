// What earlier runs on this machine learned: which executions passed, and how long each case took on each device.
// Two files below `conformance` in the user's cache directory, shared by all checkouts.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tegula::conformance {

class Memory {
public:
  /// Reads the files of `folder`; a damaged line is ignored. Without a folder nothing is remembered.
  explicit Memory(std::string folder);
  /// Below the user's cache directory; empty where there is none.
  static std::string standardFolder();

  /// Whether an execution passed before. `key` is the checksum of all that decides its result (Runner.h).
  bool passed(const std::string &key) const { return passed_.contains(key); }
  /// Remembers the key for 60 days.
  void add(const std::string &key) { used_.insert(key); }

  /// Seconds of the case's last run on the device; negative: not known.
  double cost(const std::string &device, const std::string &name) const;
  void setCost(const std::string &device, const std::string &name, double seconds);

  /// Writes the files anew, together with what other processes have written meanwhile. Failures are ignored: the next
  /// run is slower, not wrong.
  void save();

private:
  std::string folder_;
  std::map<std::string, int64_t> passed_; // key -> day of the execution, since 1970
  std::set<std::string> used_;            // executed by this run
  std::map<std::string, double> costs_, newCosts_;
};

} // namespace tegula::conformance
