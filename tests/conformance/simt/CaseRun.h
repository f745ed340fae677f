// A case's kernel, as text of the simt level, in the simt executor.
#pragma once

#include "tests/conformance/Host.h"
#include "tests/simt/executor/Options.h"

#include <string>

namespace tegula::conformance {

/// What each buffer must hold: from the case's references, else from the CPU backend; what is only read stays as it
/// was. Throws tegula::Error where the CPU backend fails.
std::vector<std::vector<uint8_t>> expectedOf(const Case &made, const HostCase &host);

/// What a case costs the executor, roughly: elements that all programs may touch.
int64_t costOf(const Case &made);

struct SimtOutcome {
  bool isRefused = false; // nothing ran: no launch of this code could derive its descriptors from the arguments
  std::vector<std::vector<uint8_t>> buffers; // as Case::buffers()
  simt_test::RunResult result;
  bool leavesZeros = true; // in the launch's memory that held zeros
};

/// Runs all programs of the case. Throws tegula::Error where the text does not parse or verify.
SimtOutcome runInExecutor(const std::string &text, const Case &made, const HostCase &host,
                          const simt_test::RunOptions &options = {});

/// Where a case's buffers differ from `expected` by more than its policies allow; empty: nowhere.
std::string differencesOf(const std::vector<std::vector<uint8_t>> &buffers, const HostCase &host,
                          const std::vector<std::vector<uint8_t>> &expected);

/// Reports of the executor and differences from `expected`; empty: the kernel did what it must.
std::string judge(const SimtOutcome &outcome, const HostCase &host, const std::vector<std::vector<uint8_t>> &expected);

} // namespace tegula::conformance
