#include "tests/conformance/Suite.h"
#include "tests/conformance/Compare.h"
#include "tests/conformance/Skips.h"

#include <algorithm>
#include <sstream>

namespace tegula::conformance {

namespace {

std::vector<std::string> sortedLines(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string comparePrinted(std::vector<std::string> actual, std::vector<std::string> expected) {
  std::sort(expected.begin(), expected.end());
  if (actual == expected)
    return "";
  std::string text = "printed " + std::to_string(actual.size()) + " lines, expected " + std::to_string(expected.size());
  for (size_t i = 0; i < std::max(actual.size(), expected.size()); ++i)
    if (i >= actual.size() || i >= expected.size() || actual[i] != expected[i])
      return text + "; the first that differs in order is '" + (i < actual.size() ? actual[i] : "") + "', expected '" +
             (i < expected.size() ? expected[i] : "") + "'";
  return text;
}

std::string judgeFault(const Case &made, const Outcome &actual) {
  if (!actual.error)
    return "ran to its end; it must fail with '" + *made.fault + "'";
  std::string text = actual.error->what();
  if (actual.error->kind() != ApiError::Kind::KernelFault)
    return "failed, but not as a kernel does: " + text;
  return text.find(*made.fault) == std::string::npos ? "the message has no '" + *made.fault + "': " + text : "";
}

std::string keyOf(const Case &made) {
  std::string key = made.file + "::" + made.kernel + " " + signatureOf(made) + " w" + std::to_string(made.numWarps);
  for (const auto &[name, value] : made.constants)
    key += " " + name + "=" + textOf(value);
  return key;
}

} // namespace

std::string judgeRefusal(const Outcome &actual, const std::string &reason) {
  if (!actual.error)
    return "runs, although it is to be skipped because " + reason;
  std::string text = actual.error->what();
  size_t first = text.find(": error: ");
  bool one = first != std::string::npos && text.find(": error: ", first + 1) == std::string::npos;
  if (actual.error->kind() != ApiError::Kind::BadKernel || !actual.error->located() || !one)
    return "is skipped because " + reason + ", but is not refused by one located message: " + text;
  return "";
}

Suite::Suite(Runner &runner, Runner *oracle, int launches)
    : runner_(runner), oracle_(oracle), launches_(launches), flushed_(runner.findFlushed()) {}

std::string Suite::judge(const Case &made, const HostCase &host, const Outcome &actual, const Outcome *expected) const {
  if (made.fault)
    return judgeFault(made, actual);
  if (actual.error)
    return actual.error->what();
  if (actual.products.served < actual.products.eligible)
    return std::to_string(actual.products.served) + " of " + std::to_string(actual.products.eligible) +
           " products that a matrix instruction of the device could do are done by one";
  if (expected && expected->error)
    return std::string("the CPU backend fails: ") + expected->error->what();
  std::vector<std::optional<std::vector<uint8_t>>> references;
  if (!expected)
    references = referenceOf(made, host);
  std::string problems;
  for (size_t k = 0; k < host.buffers.size(); ++k) {
    const BufferSpec &spec = *host.buffers[k].spec;
    // What is only read must stay as it was.
    const std::vector<uint8_t> *wanted = &host.buffers[k].bytes;
    if (spec.output)
      wanted = expected ? &expected->buffers[k] : references[k] ? &*references[k] : nullptr;
    if (!wanted)
      continue;
    if (std::optional<std::string> wrong = differences(spec, actual.buffers[k], *wanted, flushed_))
      problems += (problems.empty() ? "" : "\n") + ("buffer " + std::to_string(k) + ": " + *wrong);
  }
  std::vector<std::string> lines = sortedLines(actual.printed);
  std::vector<std::string> wanted =
      expected ? sortedLines(expected->printed) : made.printed.value_or(std::vector<std::string>());
  if (expected || made.printed)
    if (std::string wrong = comparePrinted(std::move(lines), std::move(wanted)); !wrong.empty())
      problems += (problems.empty() ? "" : "\n") + wrong;
  return problems;
}

Report Suite::run(const Case &made) {
  Report report;
  report.made = &made;
  HostCase host = materialise(made, flushed_);
  bool fresh = compiled_.emplace(keyOf(made), true).second;
  Outcome actual = runner_.run(made, host);
  report.compileSeconds = actual.compileSeconds;
  report.cold = fresh && actual.compileSeconds > 0;
  report.products = actual.products;
  if (std::optional<std::string> reason = skipReason(made, runner_.device().info())) {
    report.detail = judgeRefusal(actual, *reason);
    report.status = report.detail.empty() ? Status::Skipped : Status::Failed;
    if (report.detail.empty())
      report.detail = *reason;
    return report;
  }
  std::optional<Outcome> expected;
  if (oracle_ && !made.fault)
    expected = oracle_->run(made, host);
  for (int launch = 1; report.detail.empty(); ++launch) {
    report.detail = judge(made, host, actual, expected ? &*expected : nullptr);
    if (!report.detail.empty() && launch > 1)
      report.detail = "launch " + std::to_string(launch) + ": " + report.detail;
    if (launch >= launches_)
      break;
    actual = runner_.run(made, host);
  }
  report.status = report.detail.empty() ? Status::Passed : Status::Failed;
  return report;
}

} // namespace tegula::conformance
