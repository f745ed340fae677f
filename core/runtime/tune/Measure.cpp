#include "core/runtime/tune/Measure.h"
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/launch/Configure.h"
#include "core/runtime/tune/Repeats.h"
#include "core/runtime/tune/SavedBuffers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tegula {
namespace {

constexpr double kCompiling = 0.3;      // the share of compilation in the progress that is reported
constexpr unsigned kMostCompilers = 16; // threads; each compilation takes up to some hundred MiB of memory

/// Runs `body`. An exception becomes a tegula::Error, which drops only the candidate. A fault of the kernel or an
/// interruption is passed on unchanged and ends the whole measurement: after a fault, buffers and device are in no
/// state for further measurements.
template <class Body> auto orDropped(Body &&body) {
  auto firstLine = [](const std::exception &e) {
    std::string text = e.what();
    return text.substr(0, text.find('\n'));
  };
  try {
    return body();
  } catch (const Error &) {
    throw;
  } catch (const ApiError &e) {
    if (e.kind() == ApiError::Kind::KernelFault || e.kind() == ApiError::Kind::Interrupted)
      throw;
    if (e.kind() == ApiError::Kind::OutOfResources)
      throw Error("out of resources: " + firstLine(e),
                  {e.shortage().resource, e.shortage().required, e.shortage().limit});
    throw Error(firstLine(e));
  } catch (const std::exception &e) {
    throw Error(firstLine(e));
  }
}

using Candidates = std::vector<Measurement::Candidate>;

Candidates makeCandidates(const MeasureRequest &request, const std::vector<KernelConfig> &configs) {
  Candidates made;
  for (const KernelConfig &config : configs) {
    Measurement::Candidate candidate;
    try {
      candidate.configured = configureWith(request.kernel, request.binding, request.given, request.options, &config);
    } catch (const Error &e) {
      candidate.configured = std::make_unique<Configured>();
      candidate.configured->configuration.constants = config.constants;
      candidate.timed.dropped = e.diagnostic().message;
    }
    bool isNew = std::ranges::none_of(made, [&](const Measurement::Candidate &other) {
      return isSame(other.configured->configuration, candidate.configured->configuration);
    });
    if (isNew)
      made.push_back(std::move(candidate));
  }
  return made;
}

void compileOne(const MeasureRequest &request, Measurement::Candidate &candidate) {
  try {
    orDropped([&] {
      std::unique_ptr<Variant> variant =
          compileFitting({request.kernel, request.specialization, *candidate.configured}, request.binding);
      candidate.configured->variants = variant.release();
    });
  } catch (const Error &e) {
    candidate.timed.dropped = (e.diagnostic().shortage ? "" : "it does not compile: ") + e.diagnostic().message;
  }
}

/// Compiles the candidates in several threads. Calls `compiled` with the number of candidates compiled so far; in the
/// calling thread, because the function is the code of the library's user.
void compileAll(const MeasureRequest &request, Candidates &candidates, const std::function<void(size_t)> &compiled) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::condition_variable changed;
  size_t done = 0; // guarded by `mutex`
  auto work = [&] {
    for (size_t i = next++; i < candidates.size(); i = next++) {
      if (candidates[i].timed.dropped.empty())
        compileOne(request, candidates[i]);
      std::lock_guard lock(mutex);
      ++done;
      changed.notify_one();
    }
  };
  std::vector<std::jthread> threads; // declared last: joined before the objects that the threads use are destroyed
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 0; i < std::min<size_t>({cores, kMostCompilers, candidates.size()}); ++i)
    threads.emplace_back(work);
  for (size_t told = 0; told < candidates.size();) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return done > told; });
      told = done;
    }
    compiled(told);
  }
}

/// Launches candidates and measures the duration by the device's clock.
class Runner {
public:
  Runner(const MeasureRequest &request, Trial &trial)
      : request_(request), trial_(trial), stream_(trial.stream),
        saved_(trial.stream, request.kernel.prototype, request.binding) {}
  /// Restores the buffers for the launch that asked for the measurement, which is executed next.
  ~Runner() {
    try {
      saved_.prepare();
    } catch (const Error &) {
      // The launch that asked for the measurement comes next, and reports the failure.
    }
  }

  double run(Configured &configured, size_t launches) {
    if (!configured.variants.load()->kernel)
      load(configured);
    const Variant &variant = *configured.variants.load();
    if (saved_.isEmpty())
      return timed(configured, variant, launches) / double(launches);
    double sum = 0;
    for (size_t i = 0; i < launches; ++i) {
      saved_.prepare();
      sum += timed(configured, variant, 1);
    }
    return sum / double(launches);
  }

  /// True if the grid of a candidate was empty, so that the candidate could not be timed.
  bool sawEmptyGrid() const { return sawEmptyGrid_; }

private:
  void load(Configured &configured) {
    std::unique_ptr<Variant> variant(configured.variants.exchange(nullptr));
    try {
      loadAccepted({request_.kernel, request_.specialization, configured}, variant, request_.binding);
    } catch (...) {
      configured.variants = variant.release();
      throw;
    }
    configured.variants = variant.release();
  }

  double timed(const Configured &configured, const Variant &variant, size_t launches) {
    Event start = stream_.record();
    for (size_t i = 0; i < launches; ++i)
      if (!trial_.launch(configured, variant)) {
        sawEmptyGrid_ = true;
        throw Error("its grid is empty");
      }
    Event end = stream_.record();
    end.wait();
    return std::max(end.secondsSince(start), 1e-9);
  }

  const MeasureRequest &request_;
  Trial &trial_;
  Stream stream_;
  SavedBuffers saved_;
  bool sawEmptyGrid_ = false;
};

void warnOfRepeats(const Kernel::Impl &kernel, const Measurement::Candidate &candidate) {
  std::vector<std::string> restored = kernel.prototype.info.resetToZero;
  restored.insert(restored.end(), kernel.prototype.info.restoreValue.begin(), kernel.prototype.info.restoreValue.end());
  const Artifact &artifact = candidate.configured->variants.load()->compiled.artifact;
  std::string warning = warningOfRepeats(kernel, artifact, restored);
  if (!warning.empty() && !kernel.saidRepeats.exchange(true))
    report(Severity::Warning, "warning: " + warning + "\n");
}

PruneRequest::Value valueOf(const std::string &name, const BoundArgument &argument,
                            const std::optional<HostValue> &value) {
  PruneRequest::Value made;
  made.name = name;
  if (argument.isAddress) {
    made.type = argument.type; // its shape is unknown
  } else if (argument.buffer) {
    made.type = argument.type;
    made.shape = argument.buffer->shape;
    made.strides = argument.buffer->strides;
  } else if (value) {
    made.constant = std::visit(
        [](const auto &v) -> ConstantValue {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, OpaqueValue>)
            return std::monostate();
          else
            return v;
        },
        *value);
  }
  return made;
}

PruneRequest pruneRequest(const MeasureRequest &request) {
  const Prototype &prototype = request.kernel.prototype;
  PruneRequest made;
  made.path = request.kernel.path;
  made.source = request.kernel.source;
  made.kernel = prototype.info.name;
  made.surroundings = request.kernel.surroundings;
  for (size_t i = 0; i < request.binding.arguments.size(); ++i) {
    const std::string &name = prototype.info.params[prototype.runtime[i]].name;
    made.values.push_back(valueOf(name, request.binding.arguments[i], request.binding.find(prototype, name)));
  }
  for (const auto &[name, value] : request.given) {
    made.values.emplace_back().name = name;
    made.values.back().constant = value;
  }
  return made;
}

} // namespace

size_t Measurement::timed() const {
  auto isTimed = [](const Candidate &candidate) { return !candidate.timed.samples.empty(); };
  return static_cast<size_t>(std::ranges::count_if(candidates, isTimed));
}

bool Measurement::isDecided() const {
  auto hadTurn = [](const Candidate &candidate) { return candidate.timed.hadTurn; };
  return best && (timed() > 1 || std::ranges::all_of(candidates, hadTurn));
}

std::vector<KernelConfig> prunedConfigs(const MeasureRequest &request) {
  const std::vector<KernelConfig> &all = request.kernel.prototype.info.configs;
  if (!request.kernel.prototype.info.prunesConfigs)
    return all;
  const ForkBlocker blocker;
  PruneResult result = compiler().prune(pruneRequest(request));
  if (!result.internalError.empty())
    throw InternalError(result.internalError);
  std::vector<KernelConfig> kept;
  for (uint32_t index : result.kept)
    if (index < all.size())
      kept.push_back(all[index]);
  if (result.error) {
    Diagnostic warning = *result.error;
    warning.severity = Diagnostic::Severity::Warning;
    warning.message = "no configuration is pruned: " + warning.message;
    report(Severity::Warning, format(warning));
    return all;
  }
  return kept;
}

Measurement measure(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                    const tuning::SearchOptions &options) {
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  Measurement result;
  Runner runner(request, trial); // before compiling, which would be in vain if buffers cannot be saved
  Candidates &all = result.candidates = makeCandidates(request, configs);
  auto progress = [&](double done) {
    if (options.progress && done > 0)
      options.progress(done, std::clamp(elapsed() * (1 - done) / done, 0.0, std::max(options.budget - elapsed(), 0.0)));
  };
  compileAll(request, all, [&](size_t done) { progress(kCompiling * double(done) / double(all.size())); });
  std::vector<size_t> runnable;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].timed.dropped.empty())
      runnable.push_back(i);
  for (size_t candidate : runnable)
    warnOfRepeats(request.kernel, all[candidate]);
  tuning::SearchOptions left = options;
  left.budget = std::max(options.budget - elapsed(), 0.0);
  left.progress = [&](double done, double) { progress(kCompiling + (1 - kCompiling) * done); };
  auto run = [&](size_t candidate, size_t launches) {
    return orDropped([&] { return runner.run(*all[runnable[candidate]].configured, launches); });
  };
  tuning::SearchResult found = tuning::search(runnable.size(), run, left);
  for (size_t i = 0; i < runnable.size(); ++i)
    all[runnable[i]].timed = std::move(found.candidates[i]);
  if (found.best)
    result.best = runnable[*found.best];
  result.isComplete = found.isComplete;
  result.sawEmptyGrid = runner.sawEmptyGrid();
  result.seconds = elapsed();
  return result;
}

} // namespace tegula
