#include "core/contracts/KernelOptions.h"
#include "core/runtime/ConstantText.h"
#include "core/runtime/Session.h"
#include "core/runtime/text/Signature.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "core/support/Suggest.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Values.h"

#include <algorithm>
#include <cstdio>

namespace tegula::cli {
namespace {

constexpr const char *kCompileExamples =
    "Examples:\n"
    "  # The tile IR of a kernel with two constants. The signature lists the parameters that are not constexpr, in "
    "order.\n"
    "  tegula compile softmax.py::softmax_kernel --target=cpu --signature='*fp32, *fp32, i32, i32, i32' \\\n"
    "      --const BLOCK_SIZE=1024 --emit=tile\n\n"
    "  # Addresses that 16 divides, a stride that 16 divides, a stride of 1: the literal drops the argument.\n"
    "  tegula compile add.py::add --target=cpu --signature='*fp32:16, *fp32:16, i32:16, 1' --emit=bytecode -o "
    "add.txt\n\n"
    "  # A value that heuristics look at; the code is for any value.\n"
    "  tegula compile softmax.py --target=cpu --signature='*fp32, *fp32, i32=1000'\n\n"
    "  # Only the syntax tree; no types are needed.\n"
    "  tegula compile add.py::add --emit=ast\n\n"
    "  # Which loads are issued ahead of the products that they are for, and why others are not. TARGET: of a GPU, as\n"
    "  # `tegula devices` lists them.\n"
    "  tegula compile matmul.py --target=TARGET --signature='*fp16:16, *fp16:16, *fp32:16, i32' --explain=pipeline\n\n"
    "  # From edited IR on.\n"
    "  tegula compile --start-from=tile add.mlir --target=cpu --emit=bytecode\n\n"
    "Types: i1 i8 i16 i32 i64 u8 .. u64 f16 bf16 f32 f64 f8e4m3 f8e5m2 f8e4m3fnuz f8e5m2fnuz, or as Triton spells "
    "them;\n"
    "*T is a pointer, **T a pointer to pointers, desc<64x64xf16> a tensor descriptor.";

/// Topics of --explain (core/passes/Explain.h).
const std::vector<std::string> kTopics = {"budget", "copies", "dot", "pipeline", "wraps"};

struct CompileOptions {
  std::string file, target, signature, output, startFrom, explain;
  std::vector<std::string> constants, more, emit, modulePath;
  std::optional<int> numWarps, numStages;
  std::optional<int64_t> maxRegisters;
  bool hasSignature = false, timePasses = false;
};

Constants parseConstants(const CompileOptions &options) {
  Constants constants;
  std::vector<std::string> all = options.constants;
  all.insert(all.end(), options.more.begin(), options.more.end());
  for (const std::string &text : all) {
    auto [name, value] = parseAssignment(text);
    if (!constants.emplace(name, parseConstant(name, value)).second)
      throw Error("constant '" + name + "' is given twice");
  }
  if (options.maxRegisters && !constants.emplace(kMaxRegisters, *options.maxRegisters).second)
    throw Error("maxnreg is given twice");
  return constants;
}

/// Sets the parts of the request that follow from the kernel's source: constants, warps, stages.
void resolve(const CompileOptions &options, CompileRequest &request) {
  auto [kernel, surroundings] =
      session::describeKernel(request.path, request.source, request.kernel, {.modulePath = options.modulePath});
  request.kernel = kernel.name;
  request.surroundings = std::move(surroundings);
  bool onlySyntax = request.emitOnly &&
                    std::all_of(request.emit.begin(), request.emit.end(), [](auto &level) { return level == "ast"; });
  if (onlySyntax)
    return;
  session::configureRequest(request, kernel, options.numWarps, options.numStages);
}

void printSummary(const Artifact &artifact) {
  std::printf("%s for %s: %zu bytes, %u threads a program\n", artifact.entry.c_str(), artifact.target.c_str(),
              artifact.binary.size(), artifact.threads);
  for (const ArtifactParam &param : artifact.params) {
    const char *kind = param.kind == ArtifactParam::Kind::Pointer      ? "*"
                       : param.kind == ArtifactParam::Kind::Descriptor ? "descriptor of "
                                                                       : "";
    std::printf("  %s: %s%s", param.name.c_str(), kind, std::string(name(param.type)).c_str());
    if (param.workspace)
      std::printf(", memory of the launch, %llu bytes a program",
                  static_cast<unsigned long long>(param.workspace->bytesPerProgram));
    std::printf("\n");
  }
  if (artifact.gridFactor > 1)
    std::printf("  %u programs for each of the grid\n", artifact.gridFactor);
  if (!artifact.guards.empty())
    std::printf("  %zu guards\n", artifact.guards.size());
  if (artifact.conditions && artifact.conditions->nonNegative)
    std::printf("  for launches without negative integers, and with %zu conditions on arguments and grid\n",
                artifact.conditions->positive.size());
  if (artifact.conditions)
    for (auto [one, other] : artifact.conditions->apart)
      std::printf("  for launches in which %s and %s do not overlap\n", artifact.params[one].name.c_str(),
                  artifact.params[other].name.c_str());
}

void printTimes(const CompileResult &result) {
  double total = 0;
  for (const auto &[stage, seconds] : result.passSeconds)
    total += seconds;
  std::fprintf(stderr, "%-32s %10s %6s\n", "stage", "ms", "%");
  for (const auto &[stage, seconds] : result.passSeconds)
    std::fprintf(stderr, "%-32s %10.3f %6.1f\n", stage.c_str(), seconds * 1e3, total > 0 ? 100 * seconds / total : 0.0);
  std::fprintf(stderr, "%-32s %10.3f %6.1f\n", "total", total * 1e3, 100.0);
}

/// False if there is none on the topic.
bool printRemarks(const std::vector<Diagnostic> &remarks, const std::string &topic) {
  bool any = false;
  for (const Diagnostic &remark : remarks)
    if (remark.message.starts_with(topic + ": ")) {
      std::fputs(format(remark).c_str(), stderr);
      any = true;
    }
  return any;
}

std::string joined(const CompileRequest &request, const CompileResult &result) {
  std::string text;
  for (size_t i = 0; i < result.prints.size(); ++i) {
    if (result.prints.size() > 1)
      text += (i ? "\n// ----- " : "// ----- ") + request.emit[i] + " -----\n";
    text += result.prints[i];
  }
  return text;
}

void deliver(const CompileOptions &options, const CompileRequest &request, const CompileResult &result) {
  if (!request.emit.empty()) {
    std::string text = joined(request, result);
    if (options.output.empty() || options.output == "-")
      std::fwrite(text.data(), 1, text.size(), stdout);
    else
      writeFile(options.output, text);
  } else if (!result.artifact) {
    throw InternalError("the compiler returned neither a kernel nor an error");
  } else if (options.output.empty()) {
    printSummary(*result.artifact);
  } else {
    writeFile(options.output, session::artifactBytes(*result.artifact));
  }
}

/// `FILE.py::KERNEL`
void readSource(const std::string &file, CompileRequest &request) {
  KernelReference reference = parseReference(file);
  request.path = reference.file;
  request.kernel = reference.kernel;
  request.source = readTextFile(reference.file);
}

void checkTopic(const std::string &topic) {
  if (!topic.empty() && std::find(kTopics.begin(), kTopics.end(), topic) == kTopics.end())
    throw Error("--explain: expected one of " + listed(kTopics) + ", found '" + topic + "'");
}

/// Compiles, and prints the remarks on `topic` even if a later stage fails.
CompileResult compileExplained(const CompileRequest &request, const std::string &topic) {
  bool explained = topic.empty();
  CompileResult result = session::compile(
      request, [&](const std::vector<Diagnostic> &remarks) { explained = explained || printRemarks(remarks, topic); });
  if (!explained)
    std::fprintf(stderr, "%s: nothing to decide in this kernel for target %s\n", topic.c_str(), request.target.c_str());
  return result;
}

std::string firstTarget() {
  std::vector<std::string> targets = session::targets();
  return targets.empty() ? std::string() : targets.front();
}

} // namespace

int runCompile(const std::vector<std::string> &arguments) {
  CompileOptions options;
  CLI::App app("Compiles one kernel for a target, or prints a level on the way there. Needs no device.",
               "tegula compile");
  app.add_option("FILE", options.file,
                 "FILE.py::KERNEL or FILE.mlir::KERNEL; the kernel may be left out where the file has one")
      ->required();
  app.add_option("NAME=VALUE", options.more, "More constants, as --const");
  app.add_option(
      "--target", options.target,
      "What to compile for, e.g. cpu (default: the first that is built); the name of\na device or backend is "
      "that device's target");
  CLI::Option *signature =
      app.add_option("--signature", options.signature, "Types of the parameters that are not constexpr, in order");
  app.add_option("--const", options.constants,
                 "A constexpr parameter's value, or an option such as debug=True; repeat for more")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  addModulePath(app, options.modulePath);
  app.add_option("--num-warps", options.numWarps, "Warps a program: a power of two from 1 to 32");
  app.add_option("--num-stages", options.numStages, "Stages of software pipelining");
  app.add_option("--maxnreg", options.maxRegisters, "The most registers of a thread, where the target can cap them");
  app.add_option("--emit", options.emit, "Levels to print: ast, tile, and the target's own, e.g. bytecode")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("-o,--output", options.output, "File for the print, or without --emit for the compiled kernel");
  app.add_option("--explain", options.explain,
                 "Print to standard error what was decided, and why: budget, which buffers take\nshared memory, and "
                 "registers beside a producer; copies, which loads and\nstores through pointers hardware makes; dot, "
                 "which matrix\ninstruction serves each tl.dot; pipeline, which loads go ahead; "
                 "wraps,\nwhich remainders (x % n) a launch knows not to be negative");
  app.add_flag("--time-passes", options.timePasses, "Print the time of each stage to standard error");
  app.add_option("--start-from", options.startFrom,
                 "Read FILE as this level's text: tile, planned or simt (default for .mlir: what it holds)");
  app.footer(kCompileExamples);
  if (auto over = parse(app, arguments))
    return *over;
  options.hasSignature = signature->count() > 0;

  CompileRequest request;
  readSource(options.file, request);
  request.signature = parseSignature(options.signature);
  request.constants = parseConstants(options);
  request.emit = options.emit;
  request.emitOnly = !options.emit.empty();
  request.startFrom = options.startFrom;
  request.explain = !options.explain.empty();
  checkTopic(options.explain);
  request.hasSignature = options.hasSignature || !isIrFile(request.path);
  request.numWarps = options.numWarps.value_or(request.numWarps);
  request.numStages = options.numStages.value_or(request.numStages);
  request.target = options.target.empty() ? firstTarget() : session::targetNamed(options.target);
  if (options.startFrom.empty() && isIrFile(request.path)) {
    KernelInfo kernel = session::findKernel(request.path, request.source, request.kernel);
    request.startFrom = kernel.level;
    request.kernel = kernel.name;
  } else if (options.startFrom.empty()) {
    resolve(options, request);
  }
  CompileResult result = compileExplained(request, options.explain);
  deliver(options, request, result);
  if (options.timePasses)
    printTimes(result);
  return kSuccess;
}

} // namespace tegula::cli
