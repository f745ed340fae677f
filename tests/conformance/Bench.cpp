#include "tests/conformance/Bench.h"
#include "core/support/Hash.h"
#include "tests/conformance/Compare.h"
#include "tests/conformance/Skips.h"

#include <algorithm>
#include <chrono>
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

/// What the launch must fail with; nothing where it must end well.
std::optional<std::string> faultOf(const Case &made, const Runner &runner) {
  return made.checkedFault && runner.isChecked() ? made.checkedFault : made.fault;
}

std::string judgeFault(const std::string &wanted, const Outcome &actual) {
  if (!actual.error)
    return "ran to its end; it must fail with '" + wanted + "'";
  std::string text = actual.error->what();
  if (actual.error->kind() != ApiError::Kind::KernelFault)
    return "failed, but not as a kernel does: " + text;
  return text.find(wanted) == std::string::npos ? "the message has no '" + wanted + "': " + text : "";
}

std::string keyOf(const Case &made) {
  std::string key = made.file + "::" + made.kernel + " " + signatureOf(made) + " w" + std::to_string(made.numWarps);
  for (const auto &[name, value] : made.constants)
    key += " " + name + "=" + textOf(value);
  return key;
}

std::string judgeProducts(const ProductCount &products) {
  if (products.served >= products.eligible)
    return "";
  return std::to_string(products.served) + " of " + std::to_string(products.eligible) +
         " products that a matrix instruction of the device could do are done by one";
}

/// To be raised where Compare.cpp or Bench::judge finds more than before: executions that passed are judged again.
const std::string kJudgement = "1 ";

constexpr std::string_view kChecked = "/checked";

bool isChecked(const std::string &device) { return device.starts_with("cpu") && device.ends_with(kChecked); }

std::string withoutChecked(const std::string &device) {
  return isChecked(device) ? device.substr(0, device.size() - kChecked.size()) : device;
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

std::string Bench::judge(const Case &made, const HostCase &host, const Outcome &actual, const Outcome *expected,
                         const Denormals &flushed) const {
  if (actual.error)
    return actual.error->what();
  if (std::string wrong = judgeProducts(actual.products); !wrong.empty())
    return wrong;
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
    if (std::optional<std::string> wrong = differences(spec, actual.buffers[k], *wanted, flushed))
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

Station::Station(const std::string &name, const Folders &folders)
    : runner(Device::open(withoutChecked(name)), folders, isChecked(name)), flushed(runner.findFlushed()) {}

Bench::Bench(Folders folders, const Memory &memory, int launches, Watching *watching)
    : folders_(std::move(folders)), memory_(memory), launches_(launches), watching_(watching) {}

const Station &Bench::station(const std::string &device) {
  std::unique_ptr<Station> &known = stations_[device];
  if (!known)
    known = std::make_unique<Station>(device, folders_);
  return *known;
}

Bench::Prepared &Bench::prepared(const Case &made, const Denormals &flushed) {
  Prepared &kept = prepared_[flushed];
  if (kept.made != &made)
    kept = {&made, materialise(made, flushed), std::nullopt};
  return kept;
}

const Outcome &Bench::expected(const Case &made, Prepared &prepared) {
  if (!prepared.expected) {
    station("cpu");
    prepared.expected = stations_["cpu"]->runner.run(made, prepared.host);
  }
  return *prepared.expected;
}

void Bench::runCase(const Case &made, Station &station, bool isOracle, Report &report) {
  if (std::optional<std::string> untried = untriedReason(made, station.runner.device().info())) {
    report.status = Status::Skipped;
    report.detail = *untried;
    return;
  }
  Prepared &with = prepared(made, station.flushed);
  const HostCase &host = with.host;
  const std::optional<std::string> fault = faultOf(made, station.runner);
  std::optional<std::string> skipped = skipReason(made, station.runner.device().info());
  std::function<bool(const std::string &)> isKnown;
  std::string context;
  // The CPU backend is what everything is compared with: it runs each time.
  if (!isOracle && !skipped && launches_ == 1) {
    context = judgementOf(made, host, fault ? nullptr : &expected(made, with));
    isKnown = [&](const std::string &key) { return memory_.passed(toHex(hash128(key + context))); };
  }
  bool fresh = station.compiled.emplace(keyOf(made), true).second;
  Outcome actual = station.runner.run(made, host, isKnown);
  report.compileSeconds = actual.compileSeconds;
  report.cold = fresh && actual.compileSeconds > 0;
  report.products = actual.products;
  if (!actual.key.empty())
    report.key = toHex(hash128(actual.key + context));
  report.known = actual.known;
  if (skipped) {
    report.detail = judgeRefusal(actual, *skipped);
    report.status = report.detail.empty() ? Status::Skipped : Status::Failed;
    if (report.detail.empty())
      report.detail = *skipped;
    return;
  }
  if (!actual.known) {
    const Outcome *wanted = isOracle || fault ? nullptr : &expected(made, with);
    for (int launch = 1; report.detail.empty(); ++launch) {
      report.detail = fault ? judgeFault(*fault, actual) : judge(made, host, actual, wanted, station.flushed);
      if (!report.detail.empty() && launch > 1)
        report.detail = "launch " + std::to_string(launch) + ": " + report.detail;
      if (launch >= launches_)
        break;
      actual = station.runner.run(made, host);
    }
  } else {
    report.detail = judgeProducts(actual.products);
  }
  report.status = report.detail.empty() ? Status::Passed : Status::Failed;
  if (isOracle && !station.runner.isChecked() && !with.expected && report.detail.empty() && !fault)
    with.expected = std::move(actual);
}

std::string Bench::judgementOf(const Case &made, const HostCase &host, const Outcome *expected) const {
  std::string text = kJudgement + (watching_ ? watching_->identity() : "unwatched");
  if (!expected || expected->error)
    return text;
  for (size_t k = 0; k < host.buffers.size(); ++k) {
    Policy::Kind kind = host.buffers[k].spec->policy.kind;
    if (kind == Policy::Kind::Exact || kind == Policy::Kind::Close) // others depend on the order of programs
      text += " " + toHex(hash128(expected->buffers[k]));
  }
  for (const std::string &line : sortedLines(expected->printed))
    text += "\n" + line;
  return text;
}

Report Bench::run(const Case &made, const std::string &device) {
  Report report;
  auto start = std::chrono::steady_clock::now();
  try {
    station(device);
    runCase(made, *stations_[device], withoutChecked(device) == "cpu", report);
  } catch (const std::exception &error) {
    report.status = Status::Failed;
    report.detail = error.what();
  }
  if (std::string found = watching_ ? watching_->look() : ""; !found.empty()) {
    report.detail = report.status == Status::Failed ? report.detail + "\n" + found : found;
    report.status = Status::Failed;
  }
  if (report.status != Status::Passed)
    report.key.clear();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

} // namespace tegula::conformance
