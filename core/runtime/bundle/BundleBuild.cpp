#include "core/runtime/bundle/BundleBuild.h"
#include "core/runtime/Compilation.h"
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/ConstantText.h"
#include "core/runtime/Translate.h"
#include "core/runtime/bundle/BundleChoice.h"
#include "core/runtime/bundle/BundleTuning.h"
#include "core/runtime/launch/Requests.h"
#include "core/support/Hash.h"
#include "core/support/ThreadPool.h"

#include <algorithm>
#include <mutex>

namespace tegula {
namespace {

/// The compilation of one instance for one target. `withFacts`, for arguments with the signature's facts, is compiled
/// first, and a second time without conditions if the code has conditions; then `general`, for any arguments, unless
/// the last artifact serves all arguments already.
struct Job {
  uint32_t instance;
  CompileRequest withFacts, general;
  std::vector<BundleFile::TuningRow> tuning;
  std::vector<Artifact> results;
};
using Progress = std::function<void(const std::string &)>;

/// Replaces a literal 1 in the signature by the fact that the argument is 1, because launches of a bundle's kernel pass
/// this argument like any other.
std::vector<ParamType> factsOf(const KernelInfo &info, std::vector<ParamType> signature) {
  for (ParamType &type : signature) {
    if (type.kind != ParamType::Kind::Constant || std::holds_alternative<std::monostate>(type.value))
      continue;
    if (type.value != ConstantValue(int64_t(1)))
      throw Error("a signature of kernel '" + info.name + "' has the literal " + describe(type.value) +
                  "; in a bundle only 1 and None can stand for an argument, since launches pass the others as numbers");
    type = ParamType();
    type.isOne = true;
  }
  return signature;
}

std::vector<ParamType> withoutFacts(std::vector<ParamType> types) {
  for (ParamType &type : types) {
    type.divisibility = 1;
    type.isOne = false;
  }
  return types;
}

/// Makes the request that compiles an item with the constants of `config`, one of its configurations. If `config` is
/// null, the item's first configuration is used.
CompileRequest requestOf(const BundleItem &item, const std::vector<ParamType> &signature, const KernelConfig *config) {
  CompileRequest request;
  request.path = item.path;
  request.portable = true;
  request.source = item.source;
  request.surroundings = item.surroundings;
  request.kernel = item.info.name;
  request.startFrom = item.info.level;
  request.constants = item.constants;
  request.signature = signature; // heuristics read its literals
  KernelInfo info = item.info;
  if (config)
    info.configs = {*config};
  configureRequest(request, info, item.numWarps, item.numStages);
  request.signature = factsOf(item.info, std::move(request.signature));
  return request;
}

/// Annotates each parameter that has the same scalar type in all instances with that type, so that launches convert
/// their arguments to it.
void annotate(KernelInfo &info, const BundleFile &bundle, uint32_t kernel) {
  size_t runtime = 0;
  for (KernelInfo::Param &param : info.params) {
    if (param.isConstexpr)
      continue;
    size_t index = runtime++;
    std::optional<ScalarType> common;
    bool isOne = !param.annotatedType;
    for (const BundleFile::Instance &instance : bundle.instances) {
      if (instance.kernel != kernel)
        continue;
      const ParamType &type = instance.types[index];
      isOne = isOne && type.kind == ParamType::Kind::Scalar && type.type != ScalarType::I1 &&
              common.value_or(type.type) == type.type;
      common = type.type;
    }
    if (isOne)
      param.annotatedType = common;
  }
}

/// True if two instances are equal in everything that their code depends on: kernel, types, constants, warps and
/// stages.
bool sameInstance(const BundleFile::Instance &a, const BundleFile::Instance &b) {
  return a.kernel == b.kernel && a.types == b.types && sameConstants(a.constants, b.constants) &&
         a.numWarps == b.numWarps && a.numStages == b.numStages;
}

uint32_t addInstance(BundleFile &bundle, uint32_t kernel, const CompileRequest &request) {
  BundleFile::Instance instance;
  instance.kernel = kernel;
  instance.types = withoutFacts(request.signature);
  instance.constants = request.constants;
  instance.numWarps = request.numWarps;
  instance.numStages = request.numStages;
  for (uint32_t i = 0; i < bundle.instances.size(); ++i)
    if (sameInstance(bundle.instances[i], instance))
      return i;
  bundle.instances.push_back(std::move(instance));
  return static_cast<uint32_t>(bundle.instances.size() - 1);
}

/// A configuration that an item is compiled with for one target (null: the item's first one), and the tuning rows that
/// name it.
struct Choice {
  const KernelConfig *config = nullptr;
  std::vector<BundleFile::TuningRow> rows;
};

/// The configurations that an item is compiled with for a target: all of its own, the tuned ones, or the first, as
/// `item.configs` says. `tuned` gets the tuned configurations, because the returned choices point to them.
std::vector<Choice> choicesOf(const BundleItem &item, const std::vector<ParamType> &signature,
                              const std::string &target, std::vector<TunedConfig> &tuned, const Progress &progress) {
  std::vector<Choice> choices;
  if (item.configs == BundleConfigs::All)
    for (const KernelConfig &config : item.info.configs)
      choices.push_back({&config, {}});
  if (item.configs == BundleConfigs::Tuned) {
    tuned = tunedConfigs(item, withoutFacts(factsOf(item.info, signature)), target);
    for (const TunedConfig &config : tuned)
      choices.push_back({&config.config, config.rows});
    if (tuned.empty())
      progress(item.info.name + " for " + target + ": no record and no table has a configuration; " +
               (item.info.configs.empty() ? "given constants and defaults hold" : "the first one is built"));
  }
  if (choices.empty())
    choices.emplace_back();
  return choices;
}

/// Appends to `jobs` one Job for each configuration that the item is compiled with, for one signature and one target.
/// Configurations that result in equal constants become one job.
void addJobs(BundleFile &bundle, uint32_t kernel, std::vector<Job> &jobs, const BundleItem &item,
             const std::vector<ParamType> &signature, const std::string &target, const Progress &progress) {
  size_t first = jobs.size();
  std::vector<TunedConfig> tuned;
  for (Choice &choice : choicesOf(item, signature, target, tuned, progress)) {
    CompileRequest request = requestOf(item, signature, choice.config);
    uint32_t instance = addInstance(bundle, kernel, request);
    auto same = std::find_if(jobs.begin() + static_cast<ptrdiff_t>(first), jobs.end(),
                             [&](const Job &job) { return job.instance == instance; });
    if (same != jobs.end()) {
      same->tuning.insert(same->tuning.end(), choice.rows.begin(), choice.rows.end());
      continue;
    }
    request.target = target;
    CompileRequest general = request;
    general.signature = withoutFacts(request.signature);
    general.conditional = false;
    jobs.push_back({instance, std::move(request), std::move(general), std::move(choice.rows), {}});
  }
}

void addKernel(BundleFile &bundle, std::vector<Job> &jobs, const BundleItem &item,
               const std::vector<std::string> &targets, const Progress &progress) {
  auto kernel = static_cast<uint32_t>(bundle.kernels.size());
  for (const BundleFile::Kernel &other : bundle.kernels)
    if (other.info.name == item.info.name)
      throw Error("two kernels of the bundle are called '" + item.info.name + "', in " + other.path + " and " +
                  item.path);
  BundleFile::Kernel &added = bundle.kernels.emplace_back();
  added.info = item.info;
  added.path = portablePath(item.path, item.path);
  for (KernelHeuristic &heuristic : added.info.heuristics) // their file's name is for messages
    for (size_t at = 0; (at = heuristic.problem.find(item.path, at)) != std::string::npos; at += added.path.size())
      heuristic.problem.replace(at, item.path.size(), added.path);
  added.sourceHash = toHex(hash128(item.source));
  for (const std::vector<ParamType> &signature : item.signatures)
    for (const std::string &target : targets)
      addJobs(bundle, kernel, jobs, item, signature, target, progress);
}

/// Removes the configurations of @triton.autotune, because a launch chooses among the bundle's instances instead.
/// Heuristics stay: each launch evaluates them.
void clearConfigurations(KernelInfo &info) {
  info.configs.clear();
  info.autotuneKey.clear();
  info.configsProblem.clear();
  info.heuristicsProblem.clear();
}

void run(Job &job) {
  job.results.push_back(compileCached(job.withFacts).artifact);
  if (job.results.front().conditions) { // adds code for launches that break a condition
    CompileRequest unconditional = job.withFacts;
    unconditional.conditional = false;
    job.results.push_back(compileCached(unconditional).artifact);
  }
  if (!job.results.back().servesAll())
    job.results.push_back(compileCached(job.general).artifact);
}

void runAll(std::vector<Job> &jobs, const Progress &progress) {
  std::mutex mutex;
  std::exception_ptr failure;
  ThreadPool::shared().parallelFor(jobs.size(), 0, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      {
        std::lock_guard lock(mutex);
        if (failure)
          return;
        progress(jobs[i].withFacts.kernel + " for " + jobs[i].withFacts.target);
      }
      try {
        run(jobs[i]);
      } catch (...) {
        std::lock_guard lock(mutex);
        failure = failure ? failure : std::current_exception();
      }
    }
  });
  if (failure)
    std::rethrow_exception(failure);
}

void addCode(BundleFile &bundle, const Job &job) {
  auto same = [&](const BundleFile::Code &code) {
    return code.instance == job.instance && code.target == job.results.front().target;
  };
  auto at = std::ranges::find_if(bundle.code, same);
  bool isNew = at == bundle.code.end();
  BundleFile::Code &code = isNew ? bundle.code.emplace_back() : *at;
  code.instance = job.instance;
  code.target = job.results.front().target;
  for (const BundleFile::TuningRow &row : job.tuning)
    if (std::ranges::find(code.tuning, row) == code.tuning.end())
      code.tuning.push_back(row);
  for (const Artifact &artifact : job.results) {
    if (!isNew && artifact.servesAll())
      continue; // another signature with the same types has added it
    bundle.owned.push_back(serialize(artifact));
    // Artifacts of a further signature are inserted at the front, so that the artifact that serves all arguments stays
    // last.
    code.artifacts.insert(isNew ? code.artifacts.end() : code.artifacts.begin(), std::span(bundle.owned.back()));
  }
}

/// The given targets, followed by the further targets whose code a bundle for them needs (CodeGenerator::bundledWith).
std::vector<std::string> withCompanions(const std::vector<std::string> &targets) {
  std::vector<std::string> all = targets;
  for (const std::string &target : targets)
    for (std::string &companion : compiler().bundledWith(target))
      if (std::ranges::find(all, companion) == all.end())
        all.push_back(std::move(companion));
  return all;
}

} // namespace

BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                       const std::function<void(const std::string &)> &progress) {
  return translated(ApiError::Kind::BadUse, [&] {
    BundleFile bundle;
    std::vector<Job> jobs;
    const std::vector<std::string> all = withCompanions(targets);
    for (const BundleItem &item : items)
      addKernel(bundle, jobs, item, all, progress);
    runAll(jobs, progress);
    for (const Job &job : jobs)
      addCode(bundle, job);
    for (BundleFile::Instance &instance : bundle.instances) {
      auto job = std::ranges::find(jobs, static_cast<uint32_t>(&instance - bundle.instances.data()), &Job::instance);
      CompileRequest request = job->general;
      request.emit = {"tile"};
      request.emitOnly = true;
      instance.tile = compileNow(request).prints.at(0);
    }
    for (uint32_t i = 0; i < bundle.kernels.size(); ++i) {
      clearConfigurations(bundle.kernels[i].info);
      annotate(bundle.kernels[i].info, bundle, i);
    }
    return bundle;
  });
}

} // namespace tegula
