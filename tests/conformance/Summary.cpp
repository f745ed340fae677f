#include "tests/conformance/Summary.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace tegula::conformance {

namespace {

struct Tally {
  size_t passed = 0, failed = 0, skipped = 0;
  void add(Status status) { ++(status == Status::Passed ? passed : status == Status::Failed ? failed : skipped); }
};

const char *nameOf(Status status) {
  return status == Status::Passed ? "passed" : status == Status::Failed ? "failed" : "skipped";
}

} // namespace

Summary::Summary(const WorkerPlan &plan, const std::vector<Job> &jobs, bool quiet)
    : plan_(plan), quiet_(quiet), terminal_(isatty(2)), entries_(plan.devices.size()),
      start_(std::chrono::steady_clock::now()), last_(start_) {
  for (const Job &job : jobs)
    total_ += job.devices.size();
}

void Summary::progress() {
  auto now = std::chrono::steady_clock::now();
  if (quiet_ || (done_ < total_ && now - last_ < std::chrono::milliseconds(terminal_ ? 100 : 10000)))
    return;
  last_ = now;
  std::fprintf(stderr, "%s%zu of %zu cases, %zu failed%s", terminal_ ? "\r" : "", done_, total_, failed_,
               terminal_ && done_ < total_ ? "" : "\n");
}

void Summary::add(size_t made, size_t device, const Report &report) {
  entries_[device].push_back({made, report});
  ++done_;
  if (report.status == Status::Failed) {
    ++failed_;
    if (terminal_ && !quiet_)
      std::fprintf(stderr, "\r%*s\r", 70, "");
    std::printf("FAILED %s %s: %s\n", plan_.devices[device].c_str(), plan_.cases[made]->name.c_str(),
                report.detail.c_str());
    std::fflush(stdout);
  }
  progress();
}

bool Summary::concludeDevice(size_t device, const WorkerResults &results) const {
  std::map<std::string, Tally> families;
  std::map<std::string, size_t> reasons;
  std::vector<std::pair<double, const std::string *>> compilations;
  Tally all;
  ProductCount products;
  size_t known = 0;
  double seconds = 0;
  for (const auto &[made, report] : entries_[device]) {
    const Case &ofCase = *plan_.cases[made];
    families[ofCase.family()].add(report.status);
    all.add(report.status);
    if (report.status == Status::Skipped)
      ++reasons[report.detail];
    if (report.cold)
      compilations.emplace_back(report.compileSeconds * 1e3, &ofCase.name);
    products.eligible += report.products.eligible;
    products.served += report.products.served;
    known += report.known;
    seconds += report.seconds;
  }
  std::printf("\n%-16s %8s %8s %8s\n", "family", "passed", "failed", "skipped");
  for (const auto &[family, tally] : families)
    std::printf("%-16s %8zu %8zu %8zu\n", family.c_str(), tally.passed, tally.failed, tally.skipped);
  for (const auto &[reason, count] : reasons)
    std::printf("skipped %zu: %s\n", count, reason.c_str());
  for (const std::string &type : results.facts[device].flushed)
    std::printf("denormal numbers of %s are not kept by this device; cases leave them out\n", type.c_str());
  std::printf("products of matrices: %u that an instruction of the device could do, %u done by one\n",
              products.eligible, products.served);
  std::sort(compilations.begin(), compilations.end());
  if (!compilations.empty())
    std::printf("compilation: %zu cases compiled cold, median %.1f ms, 95%% %.1f ms, maximum %.1f ms (%s)\n",
                compilations.size(), compilations[compilations.size() / 2].first,
                compilations[compilations.size() * 95 / 100].first, compilations.back().first,
                compilations.back().second->c_str());
  if (known)
    std::printf("%zu of %zu executions were left out: their code, inputs and driver passed before on this machine\n",
                known, entries_[device].size());
  const std::string &target = results.facts[device].target;
  std::printf("%s%s: %zu passed, %zu failed, %zu skipped; %.1f s of work\n", plan_.devices[device].c_str(),
              target.empty() ? "" : (" (" + target + ")").c_str(), all.passed, all.failed, all.skipped, seconds);
  return all.failed == 0 && all.passed > 0;
}

bool Summary::conclude(const WorkerResults &results) const {
  bool good = true;
  for (size_t device = 0; device < plan_.devices.size(); ++device)
    good = concludeDevice(device, results) && good;
  if (done_ != total_) {
    std::printf("FAILED: %zu cases have no report\n", total_ - done_);
    good = false;
  }
  if (!plan_.watch.empty()) {
    std::printf("%zu modules were looked at by spirv-val and, on validated devices, the validation layer\n",
                results.modules);
    if (results.modules == 0) { // each device that is opened runs a few modules before its cases
      std::printf("FAILED: nothing was watched\n");
      good = false;
    }
  }
  for (const std::string &finding : results.findings)
    std::printf("FAILED: %s\n", finding.c_str());
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::printf("%zu cases in %.1f s\n", done_, seconds);
  return good && results.findings.empty();
}

nlohmann::ordered_json Summary::json(const WorkerResults &results) const {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (size_t device = 0; device < plan_.devices.size(); ++device) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto &[made, report] : entries_[device])
      list.push_back({{"name", plan_.cases[made]->name},
                      {"status", nameOf(report.status)},
                      {"detail", report.detail},
                      {"seconds", report.seconds},
                      {"compile_ms", report.compileSeconds * 1e3},
                      {"cold", report.cold},
                      {"known", report.known},
                      {"products", {report.products.eligible, report.products.served}}});
    devices.push_back({{"device", plan_.devices[device]},
                       {"target", results.facts[device].target},
                       {"flushed", results.facts[device].flushed},
                       {"results", std::move(list)}});
  }
  return devices;
}

} // namespace tegula::conformance
