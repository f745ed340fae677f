#include "backends/cuda/Ptxas.h"
#include "backends/cuda/MorePrograms.h"
#include "backends/cuda/PtxasProcess.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/Files.h"

namespace tegula::cuda {
namespace {

constexpr const char *kToolkitPtxas = "/usr/local/cuda/bin/ptxas";
constexpr size_t kMaxNotes = 8; // a message lists at most so many errors after the first

std::string lineOf(std::string_view text, uint32_t number) {
  for (uint32_t line = 1; line < number; ++line) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return {};
    text = text.substr(end + 1);
  }
  return std::string(text.substr(0, text.find('\n')));
}

Diagnostic diagnose(const AssembleRequest &request, const PtxasReport::Failure &failure) {
  Diagnostic diagnostic;
  diagnostic.message = failure.text;
  diagnostic.location.file = request.name;
  if (failure.line) {
    diagnostic.location.line = failure.line;
    diagnostic.location.column = 1;
    diagnostic.sourceLine = lineOf(request.text, failure.line);
    size_t indent = diagnostic.sourceLine.find_first_not_of(" \t");
    if (indent != std::string::npos)
      diagnostic.location.column += static_cast<uint32_t>(indent);
  }
  return diagnostic;
}

[[noreturn]] void fail(const AssembleRequest &request, const PtxasReport &report, const std::string &how,
                       const std::string &output) {
  if (report.failures.empty())
    throw Error("ptxas cannot assemble " + request.name + " for " + request.target + ": " +
                (how.empty() ? "it wrote no code" : how) + (output.empty() ? "" : "\n" + output));
  Diagnostic first = diagnose(request, report.failures[0]);
  first.message = "ptxas refuses this for " + request.target + ": " + first.message;
  for (size_t i = 1; i < report.failures.size() && i <= kMaxNotes; ++i) {
    first.notes.push_back(diagnose(request, report.failures[i]));
    first.notes.back().severity = Diagnostic::Severity::Note;
  }
  if (const PtxasReport::Failure &why = report.failures[0]; why.lacksRegisters)
    first.shortage = {"registers", why.registersNeeded, why.registersAllowed};
  throw Error(std::move(first));
}

} // namespace

std::optional<std::string> findPtxas() {
  if (const char *chosen = environmentValue(Variable::PtxasPath)) {
    if (!isExecutable(chosen))
      throw Error("TRITON_PTXAS_PATH names '" + std::string(chosen) + "', which is no program that can be run");
    return chosen;
  }
  if (std::optional<std::string> found = findProgram("ptxas"))
    return found;
  if (isExecutable(kToolkitPtxas))
    return kToolkitPtxas;
  return std::nullopt;
}

Finding examinePtxas() {
  constexpr const char *kRemedy = "install NVIDIA's CUDA toolkit, or set TRITON_PTXAS_PATH to its bin/ptxas";
  try {
    std::optional<std::string> program = findPtxas();
    if (!program)
      return {"ptxas", Finding::State::Absent, "not found: a device's driver assembles each kernel when it is loaded",
              kRemedy};
    MemoryFile output("version");
    std::string how = runProgram(*program, {"--version"}, output, {});
    std::vector<uint8_t> bytes = output.content();
    std::string text(bytes.begin(), bytes.end());
    size_t release = text.find("release ");
    if (!how.empty() || release == std::string::npos)
      return {"ptxas", Finding::State::Broken,
              *program + " does not answer to --version" + (how.empty() ? how : ": " + how), kRemedy};
    return {
        "ptxas", Finding::State::Fine, text.substr(release, text.find('\n', release) - release) + ", " + *program, {}};
  } catch (const Error &error) {
    return {"ptxas", Finding::State::Broken, error.diagnostic().message, kRemedy};
  }
}

Assembled assemble(const std::string &ptxas, const AssembleRequest &request) {
  MemoryFile input("kernel.ptx", request.text), output("kernel.cubin"), log("log");
  std::vector<std::string> arguments = {"-O3", "-lineinfo", "-v", "-arch=" + request.target};
  if (request.registerCap)
    arguments.push_back("-maxrregcount=" + std::to_string(request.registerCap));
  arguments.insert(arguments.end(), {"-o", output.path(), input.path()});
  std::string how = runProgram(ptxas, arguments, log, {&input, &output});
  std::vector<uint8_t> messages = log.content();
  std::string text(messages.begin(), messages.end());
  Assembled result;
  result.report = parsePtxasReport(text);
  result.binary = output.content();
  if (!how.empty() || result.binary.empty())
    fail(request, result.report, how, text);
  return result;
}

std::optional<PtxasReport> setCode(Artifact &artifact, const std::string &text, const std::optional<std::string> &ptxas,
                                   uint64_t loadedBytes) {
  if (!ptxas) {
    artifact.binary.assign(text.begin(), text.end());
    return std::nullopt;
  }
  Assembled assembled = assembleKernel(*ptxas, artifact, text);
  if (std::optional<Assembled> better = assembleForMore(*ptxas, artifact, text, assembled.report, loadedBytes))
    assembled = std::move(*better);
  artifact.binary = std::move(assembled.binary);
  return std::move(assembled.report);
}

} // namespace tegula::cuda
