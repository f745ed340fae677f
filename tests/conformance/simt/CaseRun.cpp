#include "tests/conformance/simt/CaseRun.h"
#include "tests/conformance/Compare.h"
#include "tests/conformance/Runner.h"
#include "tests/simt/Kernel.h"

#include "core/support/Diagnostic.h"

#include <cstring>

namespace tegula::conformance {
namespace {

std::vector<std::vector<uint8_t>> fromCpu(const Case &made, const HostCase &host) {
  static Runner runner(Device::open("cpu"), Folders::standard());
  Outcome outcome = runner.run(made, host);
  if (outcome.error)
    throw Error(std::string("the CPU backend fails: ") + outcome.error->what());
  return outcome.buffers;
}

/// Hands a case's arguments to the executor; buffers are added to its memory once, however often they are named.
class Arguments {
public:
  Arguments(simt_test::SimtExecutor &executor, std::vector<std::vector<uint8_t>> &buffers, const HostCase &host)
      : executor_(executor) {
    for (size_t k = 0; k < buffers.size(); ++k) {
      const BufferSpec &spec = *host.buffers[k].spec;
      uint64_t first = executor.add(std::as_writable_bytes(std::span(buffers[k])), "buffer " + std::to_string(k));
      elements_.push_back(first + static_cast<uint64_t>(spec.lead) * byteSize(spec.type));
    }
  }

  void operator()(const BufferSpec &) { executor_.address(elements_.at(next_++)); }
  void operator()(const SameBuffer &same) { executor_.address(elements_.at(same.buffer)); }
  void operator()(const DescriptorSpec &spec) {
    executor_.describedAddress(elements_.at(next_++), spec.shape, spec.strides, spec.paddingNaN);
  }
  void operator()(const PointersSpec &spec) {
    std::vector<uint64_t> &table = tables_.emplace_back();
    for (size_t i = 0; i < spec.targets.size(); ++i)
      table.push_back(elements_.at(next_++));
    executor_.pointer(table, "table of pointers");
  }
  void operator()(int64_t value) { executor_.integer(value); }
  void operator()(double value) { executor_.number(value); }
  void operator()(bool value) { executor_.integer(value); }

private:
  simt_test::SimtExecutor &executor_;
  std::vector<uint64_t> elements_; // addresses of first elements
  std::deque<std::vector<uint64_t>> tables_;
  size_t next_ = 0;
};

} // namespace

std::vector<std::vector<uint8_t>> expectedOf(const Case &made, const HostCase &host) {
  std::vector<std::optional<std::vector<uint8_t>>> references = referenceOf(made, host);
  std::vector<std::vector<uint8_t>> expected, fallback;
  for (size_t k = 0; k < host.buffers.size(); ++k) {
    bool needed = host.buffers[k].spec->output && !references[k];
    if (needed && fallback.empty())
      fallback = fromCpu(made, host);
    expected.push_back(references[k] ? *references[k] : needed ? fallback[k] : host.buffers[k].bytes);
  }
  return expected;
}

SimtOutcome runInExecutor(const std::string &text, const Case &made, const HostCase &host,
                          const simt_test::RunOptions &options) {
  simt_test::Kernel kernel(text, made.kernel + ".simt.mlir");
  simt_test::SimtExecutor executor = kernel.executor();
  SimtOutcome outcome;
  for (const HostBuffer &buffer : host.buffers)
    outcome.buffers.push_back(buffer.bytes);
  Arguments arguments(executor, outcome.buffers, host);
  for (const ArgumentSpec &argument : made.arguments)
    std::visit(arguments, argument);
  auto axis = [&](size_t i) { return static_cast<uint32_t>(made.programs[i]); };
  outcome.result = executor.run({axis(0), axis(1), axis(2)}, options);
  return outcome;
}

std::string judge(const SimtOutcome &outcome, const HostCase &host, const std::vector<std::vector<uint8_t>> &expected) {
  std::string problems = outcome.result.text();
  for (size_t k = 0; k < host.buffers.size(); ++k)
    if (auto wrong = differences(*host.buffers[k].spec, outcome.buffers[k], expected[k]))
      problems += "buffer " + std::to_string(k) + ": " + *wrong + "\n";
  return problems;
}

} // namespace tegula::conformance
