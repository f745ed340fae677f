// Cases on several devices, each case made and its expected results computed once.
#pragma once

#include "tests/conformance/Memory.h"
#include "tests/conformance/Runner.h"
#include "tests/conformance/Watching.h"

#include <memory>

namespace tegula::conformance {

enum class Status : uint8_t { Passed, Failed, Skipped };

/// What became of a case on a device.
struct Report {
  Status status = Status::Passed;
  std::string detail; // what was wrong, or why the device does not run the case
  double seconds = 0, compileSeconds = 0;
  bool cold = false;  // compiled by this run, not found ready
  std::string key;    // of the execution (Runner.h), where it passed
  bool known = false; // it passed before and was not executed
  ProductCount products;
};

/// What is wrong with the launch of a case that the device must refuse; empty: it was refused with one located message.
std::string judgeRefusal(const Outcome &actual, const std::string &reason);

/// A device's part of the bench. `cpu/checked` is the device cpu with every access tested.
struct Station {
  Station(const std::string &name, const Folders &folders);
  Runner runner;
  Denormals flushed;
  std::map<std::string, bool> compiled;
};

class Bench {
public:
  /// `launches`: how often each case runs; its results must be right every time. `watching` may be null.
  Bench(Folders folders, const Memory &memory, int launches, Watching *watching);
  /// The device is opened at its first case. Results are compared with the CPU backend's; those of the CPU backend with
  /// the case's references. Findings of the watch fail the case.
  Report run(const Case &made, const std::string &device);
  const Station &station(const std::string &device);

private:
  /// A case's inputs for devices that flush the same types, and the CPU backend's results.
  struct Prepared {
    const Case *made = nullptr;
    HostCase host;
    std::optional<Outcome> expected;
  };
  Prepared &prepared(const Case &made, const Denormals &flushed);
  const Outcome &expected(const Case &made, Prepared &prepared);
  /// What was wrong; empty: nothing. `expected` is null for the CPU backend.
  std::string judge(const Case &made, const HostCase &host, const Outcome &actual, const Outcome *expected,
                    const Denormals &flushed) const;
  /// What a passed execution was compared with, and by whom it was watched: a part of its key.
  std::string judgementOf(const Case &made, const HostCase &host, const Outcome *expected) const;
  void runCase(const Case &made, Station &station, bool isOracle, Report &report);

  Folders folders_;
  const Memory &memory_;
  int launches_;
  Watching *watching_;
  std::map<std::string, std::unique_ptr<Station>> stations_;
  std::map<Denormals, Prepared> prepared_; // of the last case
};

} // namespace tegula::conformance
