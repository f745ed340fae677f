#include "tests/conformance/Workers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::conformance {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

Json encode(size_t device, const Report &report) {
  return {{"device", device},
          {"status", static_cast<int>(report.status)},
          {"detail", report.detail},
          {"seconds", report.seconds},
          {"compile", report.compileSeconds},
          {"cold", report.cold},
          {"key", report.key},
          {"known", report.known},
          {"eligible", report.products.eligible},
          {"served", report.products.served}};
}

Report failure(const std::string &detail) {
  Report report;
  report.status = Status::Failed;
  report.detail = detail;
  return report;
}

Report decode(const Json &json) {
  Report report;
  report.status = static_cast<Status>(json.at("status").get<int>());
  report.detail = json.at("detail");
  report.seconds = json.at("seconds");
  report.compileSeconds = json.at("compile");
  report.cold = json.at("cold");
  report.key = json.at("key");
  report.known = json.at("known");
  report.products = {json.at("eligible"), json.at("served")};
  return report;
}

// --- the worker's side: a line `case device device ...` in, a line of JSON out for each device, then {"done": true}
// ---

class Worker {
public:
  Worker(const WorkerPlan &plan, const Memory &memory, int in, int out)
      : plan_(plan), in_(fdopen(in, "r")), out_(out), told_(plan.devices.size()) {
    if (!plan.watch.empty())
      watching_.emplace(plan.watch);
    bench_.emplace(plan.folders, memory, plan.launches, watching_ ? &*watching_ : nullptr);
  }

  void run() {
    std::array<char, 4096> line;
    while (std::fgets(line.data(), line.size(), in_)) {
      std::istringstream words(line.data());
      size_t made = 0;
      words >> made;
      for (size_t device = 0; words >> device;)
        runOn(*plan_.cases.at(made), device);
      say({{"done", true}});
    }
    bench_.reset(); // closes the devices
    std::string found = watching_ ? watching_->look() : "";
    say({{"end", true}, {"modules", watching_ ? watching_->modules() : 0}, {"found", found}});
  }

private:
  void runOn(const Case &made, size_t device) {
    Report report = bench_->run(made, plan_.devices[device]);
    if (!told_[device] && report.status == Status::Passed)
      tell(device);
    say(encode(device, report));
  }

  void tell(size_t device) {
    told_[device] = true;
    const Station &station = bench_->station(plan_.devices[device]);
    Json flushed = Json::array();
    for (DType type : station.flushed)
      flushed.push_back(std::string(name(type)));
    say({{"facts", device}, {"target", station.runner.device().info().target}, {"flushed", flushed}});
  }

  void say(const Json &json) {
    std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    for (size_t at = 0; at < line.size();) {
      ssize_t written = write(out_, line.data() + at, line.size() - at);
      if (written < 0 && errno != EINTR)
        _exit(3); // nobody listens
      at += static_cast<size_t>(std::max<ssize_t>(written, 0));
    }
  }

  const WorkerPlan &plan_;
  std::FILE *in_;
  int out_;
  std::vector<bool> told_;
  std::optional<Watching> watching_;
  std::optional<Bench> bench_;
};

// --- the coordinator's side ---

/// A worker process and the job that it has.
struct Process {
  pid_t pid = -1;
  int to = -1, from = -1;
  std::string received; // the beginning of a line
  const Job *job = nullptr;
  std::vector<size_t> left; // devices of the job without a report
  Clock::time_point since;
  bool ended = false; // all was said
};

class Coordinator {
public:
  Coordinator(const WorkerPlan &plan, const Memory &memory, std::vector<Job> jobs,
              const std::function<void(const Job &, size_t, const Report &)> &done)
      : plan_(plan), memory_(memory), jobs_(std::move(jobs)), done_(done) {
    results_.facts.resize(plan.devices.size());
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job &a, const Job &b) {
      return (a.cost < 0) != (b.cost < 0) ? a.cost < 0 : a.cost > b.cost;
    });
  }

  WorkerResults run(size_t count) {
    std::signal(SIGPIPE, SIG_IGN);
    count = std::min(count, jobs_.size());
    processes_.resize(count);
    for (Process &process : processes_)
      start(process);
    while (std::any_of(processes_.begin(), processes_.end(), [](const Process &p) { return p.pid >= 0; }))
      wait();
    return std::move(results_);
  }

private:
  void start(Process &process) {
    std::array<int, 2> to, from;
    if (pipe2(to.data(), O_CLOEXEC) || pipe2(from.data(), O_CLOEXEC))
      throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    std::fflush(nullptr);
    pid_t pid = fork();
    if (pid < 0)
      throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
    if (pid == 0) {
      close(to[1]);
      close(from[0]);
      for (const Process &other : processes_) {
        if (other.pid < 0)
          continue;
        close(other.to); // else the others would not see their end
        close(other.from);
      }
      runWorker(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    process = {pid, to[1], from[0], {}, nullptr, {}, Clock::now(), false};
    give(process);
  }

  [[noreturn]] void runWorker(int in, int out) {
    int status = 0;
    try {
      Worker(plan_, memory_, in, out).run();
    } catch (const std::exception &error) {
      std::fprintf(stderr, "conformance_test: %s\n", error.what());
      status = 2;
    }
    std::fflush(nullptr);
    _exit(status); // the destructors of statics belong to the coordinator
  }

  /// The next job, or the end.
  void give(Process &process) {
    process.job = next_ < jobs_.size() ? &jobs_[next_++] : nullptr;
    process.since = Clock::now();
    if (!process.job) {
      if (process.to >= 0)
        close(process.to);
      process.to = -1;
      return;
    }
    process.left = process.job->devices;
    std::string line = std::to_string(process.job->made);
    for (size_t device : process.job->devices)
      line += " " + std::to_string(device);
    line += "\n";
    (void)!write(process.to, line.data(), line.size()); // a process that is gone is seen when it is read from
  }

  void wait() {
    std::vector<pollfd> polled;
    std::vector<Process *> of;
    for (Process &process : processes_)
      if (process.pid >= 0) {
        polled.push_back({process.from, POLLIN, 0});
        of.push_back(&process);
      }
    poll(polled.data(), polled.size(), 1000);
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents)
        receive(*of[i]);
      else if (std::chrono::duration<double>(Clock::now() - of[i]->since).count() > plan_.limitSeconds)
        kill(of[i]->pid, SIGKILL); // its end is received like any other
    }
  }

  void receive(Process &process) {
    std::array<char, 65536> bytes;
    ssize_t count = read(process.from, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      return;
    if (count <= 0)
      return finish(process);
    process.received.append(bytes.data(), static_cast<size_t>(count));
    for (size_t end; (end = process.received.find('\n')) != std::string::npos;) {
      std::string line = process.received.substr(0, end);
      process.received.erase(0, end + 1);
      take(process, Json::parse(line));
    }
  }

  void take(Process &process, const Json &said) {
    if (said.contains("done")) {
      for (size_t device : std::exchange(process.left, {}))
        done_(*process.job, device, failure("the process that ran the case did not report on it"));
      give(process);
    } else if (said.contains("end")) {
      process.ended = true;
      results_.modules += said.at("modules").get<size_t>();
      if (std::string found = said.at("found"); !found.empty())
        results_.findings.push_back(found);
    } else if (said.contains("facts")) {
      size_t device = said.at("facts");
      results_.facts[device] = {plan_.devices[device], said.at("target"), said.at("flushed")};
    } else {
      size_t device = said.at("device");
      std::erase(process.left, device);
      done_(*process.job, device, decode(said));
    }
  }

  /// The process is gone. Where it had work, that work failed, and another process takes what is left to do.
  void finish(Process &process) {
    int status = 0;
    waitpid(process.pid, &status, 0);
    close(process.from);
    if (process.to >= 0)
      close(process.to);
    const Job *job = std::exchange(process.job, nullptr);
    std::vector<size_t> left = std::exchange(process.left, {});
    process.pid = process.to = process.from = -1;
    std::string how = WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                                strsignal(WTERMSIG(status)) + ")"
                                          : "ended with status " + std::to_string(WEXITSTATUS(status));
    if (WIFSIGNALED(status) && std::chrono::duration<double>(Clock::now() - process.since).count() > plan_.limitSeconds)
      how = "gave no answer within " + std::to_string(static_cast<int>(plan_.limitSeconds)) + " seconds";
    if (job) {
      for (size_t device : left)
        done_(*job, device, failure("the process that ran the case " + how));
      start(process);
    } else if (!process.ended || status != 0) {
      results_.findings.push_back("a process " + how + " after its last case");
    }
  }

  const WorkerPlan &plan_;
  const Memory &memory_;
  std::vector<Job> jobs_;
  const std::function<void(const Job &, size_t, const Report &)> &done_;
  size_t next_ = 0;
  std::vector<Process> processes_;
  WorkerResults results_;
};

} // namespace

std::vector<std::string> listDevices() {
  std::array<int, 2> ends;
  if (pipe(ends.data()))
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0) {
    std::string names;
    try {
      for (const Device::Info &info : Device::list())
        names += info.name + "\n";
    } catch (const std::exception &error) {
      std::fprintf(stderr, "conformance_test: %s\n", error.what());
    }
    (void)!write(ends[1], names.data(), names.size());
    _exit(0);
  }
  close(ends[1]);
  std::string names;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = read(ends[0], bytes.data(), bytes.size())) > 0;)
    names.append(bytes.data(), static_cast<size_t>(count));
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  std::istringstream lines(names);
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);)
    result.push_back(line);
  return result;
}

WorkerResults runJobs(const WorkerPlan &plan, const Memory &memory, std::vector<Job> jobs, size_t count,
                      const std::function<void(const Job &job, size_t device, const Report &report)> &done) {
  return Coordinator(plan, memory, std::move(jobs), done).run(count);
}

} // namespace tegula::conformance
