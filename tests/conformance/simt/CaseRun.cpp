#include "tests/conformance/simt/CaseRun.h"
#include "tests/conformance/Compare.h"
#include "tests/conformance/Runner.h"
#include "tests/simt/Kernel.h"

#include "core/ir/tile/ConditionsAttr.h"
#include "core/ir/tile/DerivedTensorAttr.h"
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

  void operator()(const BufferSpec &) { address(elements_.at(next_++)); }
  void operator()(const SameBuffer &same) { address(elements_.at(same.buffer)); }
  void operator()(const DescriptorSpec &spec) {
    executor_.describedAddress(elements_.at(next_++), spec.shape, spec.strides, spec.paddingNaN);
    values_.push_back(0);
  }
  void operator()(const PointersSpec &spec) {
    std::vector<uint64_t> &table = tables_.emplace_back();
    for (size_t i = 0; i < spec.targets.size(); ++i)
      table.push_back(elements_.at(next_++));
    executor_.pointer(table, "table of pointers");
    values_.push_back(0);
  }
  void operator()(int64_t value) {
    executor_.integer(value);
    values_.push_back(value);
  }
  void operator()(double value) {
    executor_.number(value);
    values_.push_back(0);
  }
  void operator()(bool value) { operator()(int64_t(value)); }

  /// Supplies the memory that the function wants of its launch: zeros where it asks for them, else other numbers.
  void supply(mlir::func::FuncOp function, uint64_t programs) {
    for (unsigned i = unsigned(values_.size()); i < function.getNumArguments(); ++i) {
      auto bytes = function.getArgAttrOfType<mlir::IntegerAttr>(i, tile::kWorkspaceAttr);
      if (!bytes)
        return;
      bool isZero = bool(function.getArgAttr(i, tile::kZeroedAttr));
      auto &memory = workspaces_.emplace_back(uint64_t(bytes.getInt()) * programs, std::byte(isZero ? 0 : 0x5a));
      if (isZero)
        zeroed_.push_back(&memory);
      address(executor_.add(memory, "workspace " + std::to_string(workspaces_.size())));
    }
  }
  /// Whether the memory that held zeros does again.
  bool leavesZeros() const {
    return llvm::all_of(zeroed_, [](const std::vector<std::byte> *memory) {
      return llvm::all_of(*memory, [](std::byte byte) { return byte == std::byte(0); });
    });
  }

  /// Derives the descriptors of the other arguments of the function as a launch does; false if that is not possible, or
  /// the launch breaks a condition of the code.
  bool derive(mlir::func::FuncOp function, const std::array<uint32_t, 3> &grid) {
    if (!areMet(tile::launchConditions(function), grid))
      return false;
    for (unsigned i = values_.size(); i < function.getNumArguments(); ++i) {
      std::optional<DerivedTensor> tensor = tile::derivedTensor(function.getArgAttr(i, tile::kTensorAttr));
      auto type = mlir::cast<tile::DescType>(function.getArgumentTypes()[i]);
      std::optional<TensorShape> shape =
          tensor ? shapeOf(*tensor, type.getElementType().getIntOrFloatBitWidth() / 8, values_) : std::nullopt;
      if (!shape)
        return false;
      size_t rank = tensor->axes.size();
      executor_.describedAddress(uint64_t(values_[tensor->pointer]), {shape->extents, shape->extents + rank},
                                 {shape->strides, shape->strides + rank}, false);
    }
    return true;
  }

private:
  bool areMet(const std::optional<LaunchConditions> &conditions, const std::array<uint32_t, 3> &grid) const {
    auto isMet = [&](const ProgramExpression &expression) { return isPositive(expression, values_, grid); };
    // two arguments of a case are different memory, or one buffer
    auto areApart = [&](std::pair<uint32_t, uint32_t> pair) { return values_[pair.first] != values_[pair.second]; };
    return !conditions ||
           ((!conditions->nonNegative || llvm::none_of(values_, [](int64_t value) { return value < 0; })) &&
            llvm::all_of(conditions->positive, isMet) && llvm::all_of(conditions->apart, areApart));
  }

  void address(uint64_t value) {
    executor_.address(value);
    values_.push_back(int64_t(value));
  }

  simt_test::SimtExecutor &executor_;
  std::vector<uint64_t> elements_; // addresses of first elements
  std::deque<std::vector<uint64_t>> tables_;
  std::deque<std::vector<std::byte>> workspaces_;
  std::vector<const std::vector<std::byte> *> zeroed_;
  std::vector<int64_t> values_; // of integers and addresses, one an argument
  size_t next_ = 0;
};

} // namespace

int64_t costOf(const Case &made) {
  int64_t elements = 0;
  for (const BufferSpec *buffer : made.buffers())
    elements += buffer->count;
  return elements * made.numWarps + made.programs[0] * made.programs[1] * made.programs[2] * 100;
}

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
  auto factor = kernel.function()->getAttrOfType<mlir::IntegerAttr>(tile::kGridFactorAttr);
  std::array<uint32_t, 3> grid;
  for (size_t i = 0; i < grid.size(); ++i)
    grid[i] = static_cast<uint32_t>(made.programs[i] * (i == 0 && factor ? factor.getInt() : 1));
  arguments.supply(kernel.function(), uint64_t(grid[0]) * grid[1] * grid[2]);
  outcome.isRefused = !arguments.derive(kernel.function(), grid);
  if (outcome.isRefused)
    return outcome;
  outcome.result = executor.run(grid, options);
  outcome.leavesZeros = arguments.leavesZeros();
  return outcome;
}

std::string differencesOf(const std::vector<std::vector<uint8_t>> &buffers, const HostCase &host,
                          const std::vector<std::vector<uint8_t>> &expected) {
  std::string problems;
  for (size_t k = 0; k < host.buffers.size(); ++k)
    if (auto wrong = differences(*host.buffers[k].spec, buffers[k], expected[k]))
      problems += "buffer " + std::to_string(k) + ": " + *wrong + "\n";
  return problems;
}

std::string judge(const SimtOutcome &outcome, const HostCase &host, const std::vector<std::vector<uint8_t>> &expected) {
  if (outcome.isRefused)
    return "no launch could meet the conditions, or derive the descriptors\n";
  std::string problems = outcome.result.text();
  if (!outcome.leavesZeros)
    problems += "memory of the launch that held zeros does not hold zeros afterwards\n";
  return problems + differencesOf(outcome.buffers, host, expected);
}

} // namespace tegula::conformance
