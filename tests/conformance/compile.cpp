// Compiles every kernel of the conformance suite for a target, from source to a level such as PTX, which NVIDIA's
// assembler must accept; needs no device. A compilation is identified by kernel, types, constants and warps: cases that
// differ in data or grid share one.
#include "backends/cuda/Ptxas.h"
#include "core/runtime/Session.h"
#include "core/runtime/text/Signature.h"
#include "core/support/Files.h"
#include "tests/conformance/Host.h"
#include "tests/conformance/Runner.h"
#include "tests/conformance/Skips.h"
#include "tests/support/Turn.h"

#include "CLI/CLI.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

namespace tegula::test {
namespace {

using conformance::Case;

struct Options {
  std::string target = "sm_90a", level = "ptx", filter = "*", write;
  int every = 1, threads = 0;
  bool assembleAll = false, assembleNone = false, noSpills = false;
};

/// One compilation.
struct Job {
  const Case *made = nullptr;
  std::string path;
  bool firstOfKernel = false;
};

struct Outcome {
  std::string failure;
  bool assembled = false;
  double compileSeconds = 0, assembleSeconds = 0;
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The case of this thread, for a message if a code generator ends the process.
thread_local const char *currentCase = "none";
void reportCase(int number) {
  for (const char *text : {"\nsignal while compiling case ", currentCase, "\n"})
    if (write(STDERR_FILENO, text, std::char_traits<char>::length(text)) < 0)
      break;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

ConstantValue valueOf(const Constant &constant) {
  return std::visit(
      [](const auto &value) -> ConstantValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DType>)
          return *parseScalarType(name(value));
        else
          return value;
      },
      constant.value());
}

std::string keyOf(const Case &made, const std::string &path) {
  std::string key =
      path + "::" + made.kernel + "|" + conformance::signatureOf(made) + "|" + std::to_string(made.numWarps);
  for (const auto &[name, value] : made.constants)
    key += "|" + name + "=" + conformance::textOf(value);
  return key;
}

/// The distinct compilations of the wanted cases: the first of each kernel, and one in `every` of the others, by turns.
std::vector<Job> jobsOf(const conformance::Cases &cases, const Options &options) {
  conformance::Folders folders = conformance::Folders::standard();
  std::set<std::string> kernels, keys;
  std::vector<Job> jobs;
  uint64_t every = uint64_t(options.every), others = turnOf(every);
  for (const Case &made : cases.all()) {
    if (!conformance::matches(options.filter, made.name))
      continue;
    std::string path = folders.path(made);
    if (!keys.insert(keyOf(made, path)).second)
      continue;
    bool first = kernels.insert(path + "::" + made.kernel).second;
    if (first || others++ % every == 0)
      jobs.push_back({&made, path, first});
  }
  return jobs;
}

CompileRequest requestOf(const Job &job, const Options &options) {
  CompileRequest request;
  request.path = job.path;
  request.source = readTextFile(job.path);
  request.kernel = job.made->kernel;
  request.target = options.target;
  request.signature = parseSignature(conformance::signatureOf(*job.made));
  for (const auto &[name, constant] : job.made->constants)
    request.constants[name] = valueOf(constant);
  KernelInfo kernel = session::findKernel(request.path, request.source, request.kernel);
  std::optional<int> warps = job.made->numWarps > 0 ? std::optional(job.made->numWarps) : std::nullopt;
  Configuration configuration = session::configure(kernel, request.constants, warps, std::nullopt,
                                                   [](std::string_view) { return std::optional<HostValue>(); });
  request.constants = configuration.constants;
  request.numWarps = configuration.numWarps;
  request.numStages = configuration.numStages;
  request.emit = {options.level};
  request.emitOnly = true;
  return request;
}

Outcome run(const Job &job, const Options &options, const std::optional<std::string> &ptxas) {
  Outcome outcome;
  currentCase = job.made->name.c_str();
  double start = seconds();
  try {
    CompileResult result = session::compile(requestOf(job, options));
    double compiled = seconds();
    outcome.compileSeconds = compiled - start;
    if (result.prints.size() != 1 || result.prints[0].empty())
      throw InternalError("the compiler printed no " + options.level);
    if (!options.write.empty())
      writeFile(options.write, result.prints[0]);
    if (options.assembleNone || !(job.firstOfKernel || options.assembleAll))
      return outcome;
    cuda::Assembled made = cuda::assemble(*ptxas, {result.prints[0], job.made->kernel + ".ptx", options.target, 0});
    outcome.assembled = true;
    for (const cuda::PtxasReport::Kernel &kernel : made.report.kernels)
      if (options.noSpills && kernel.spillStoreBytes)
        outcome.failure = "a thread spills " + std::to_string(kernel.spillStoreBytes) + " bytes, with " +
                          std::to_string(kernel.registers) + " registers";
    outcome.assembleSeconds = seconds() - compiled;
  } catch (const ApiError &error) {
    outcome.failure = error.what();
  } catch (const Error &error) {
    outcome.failure = format(error.diagnostic());
  } catch (const std::exception &error) {
    outcome.failure = error.what();
  }
  return outcome;
}

std::vector<Outcome> runAll(const std::vector<Job> &jobs, const Options &options,
                            const std::optional<std::string> &ptxas) {
  std::vector<Outcome> outcomes(jobs.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < jobs.size();)
      outcomes[i] = run(jobs[i], options, ptxas);
  };
  unsigned count = options.threads > 0 ? unsigned(options.threads) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  return outcomes;
}

/// Prints the failures; returns the number of failing cases.
int report(const std::vector<Job> &jobs, const std::vector<Outcome> &outcomes, const Options &options) {
  int failed = 0, assembled = 0;
  double compile = 0, assemble = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Outcome &outcome = outcomes[i];
    compile += outcome.compileSeconds;
    assemble += outcome.assembleSeconds;
    assembled += outcome.assembled;
    if (outcome.failure.empty())
      continue;
    ++failed;
    std::printf("FAILED %s\n%s\n", jobs[i].made->name.c_str(), outcome.failure.c_str());
  }
  std::printf("%s: %zu compilations, %d assembled, %d failed; compiling %.1f s, assembling %.1f s\n",
              options.target.c_str(), jobs.size(), assembled, failed, compile, assemble);
  return failed;
}

int runProgram(int argc, char **argv) {
  Options options;
  CLI::App app("Compiles the conformance suite's kernels for a target, and assembles them where they are PTX.");
  app.add_option("--target", options.target, "What to compile for");
  app.add_option("--level", options.level, "The level to compile to, e.g. ptx or hsaco");
  app.add_option("--filter", options.filter, "Cases by name; * stands for any text");
  app.add_option("--every", options.every, "Beside the first case of each kernel, one in so many, by turns")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "0: as many as there are processors");
  app.add_option("--write", options.write, "Writes the level (of the last case) to this file");
  app.add_flag("--assemble-all", options.assembleAll, "Assemble all, not only the first case of each kernel");
  app.add_flag("--no-spills", options.noSpills, "Registers that the assembler spills are a failure");
  app.add_flag("--assemble-none", options.assembleNone, "Only compile");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGABRT, reportCase);
  std::signal(SIGSEGV, reportCase);
  conformance::Cases cases = conformance::allCases();
  std::vector<Job> jobs = jobsOf(cases, options);
  std::optional<std::string> ptxas = cuda::findPtxas();
  bool isPtx = options.level == "ptx";
  options.assembleNone |= !ptxas || !isPtx;
  if (!ptxas && isPtx)
    std::printf("no ptxas was found: nothing is assembled\n");
  return jobs.empty() || report(jobs, runAll(jobs, options, ptxas), options) ? 1 : 0;
}

} // namespace
} // namespace tegula::test

int main(int argc, char **argv) {
  try {
    return tegula::test::runProgram(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
