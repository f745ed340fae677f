// All chosen cases on one device, with what to compare each with, and the tally.
#pragma once

#include "tests/conformance/Runner.h"

namespace tegula::conformance {

enum class Status : uint8_t { Passed, Failed, Skipped };

struct Report {
  const Case *made = nullptr;
  Status status = Status::Passed;
  std::string detail; // what was wrong, or why it was skipped
  double compileSeconds = 0;
  bool cold = false; // compiled by this run, not found ready
  ProductCount products;
};

/// What is wrong with the launch of a case that the device must refuse; empty: it was refused with one located message.
std::string judgeRefusal(const Outcome &actual, const std::string &reason);

class Suite {
public:
  /// `oracle` may be null: then outputs are compared with the cases' references. `launches`: how often each case runs;
  /// its results must be right every time.
  Suite(Runner &runner, Runner *oracle, int launches);
  Report run(const Case &made);
  const Denormals &flushed() const { return flushed_; }

private:
  /// What was wrong; empty: nothing.
  std::string judge(const Case &made, const HostCase &host, const Outcome &actual, const Outcome *expected) const;

  Runner &runner_;
  Runner *oracle_;
  int launches_;
  Denormals flushed_;
  std::map<std::string, bool> compiled_;
};

} // namespace tegula::conformance
