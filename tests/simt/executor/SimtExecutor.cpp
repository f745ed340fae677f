#include "SimtExecutor.h"

#include "Machine.h"

#include "core/support/Diagnostic.h"

namespace tegula::simt_test {

SimtExecutor::SimtExecutor(mlir::func::FuncOp kernel, MatrixRows rows)
    : kernel_(kernel), program_(Flattener(kernel, std::move(rows)).run()) {}

SimtExecutor::~SimtExecutor() = default;

const Slot &SimtExecutor::nextArgument(const char *what) const {
  size_t number = arguments_.size();
  if (number >= program_->arguments.size())
    throw Error("expected " + std::to_string(program_->arguments.size()) + " arguments, found " + what +
                " beyond them");
  return program_->arguments[number];
}

SimtExecutor &SimtExecutor::pointer(std::span<std::byte> bytes, std::string name, int64_t byteOffset) {
  return address(add(bytes, std::move(name)) + static_cast<uint64_t>(byteOffset));
}

SimtExecutor &SimtExecutor::address(uint64_t address) {
  nextArgument("a pointer");
  if (!llvm::isa<tile::PtrType>(kernel_.getArgument(static_cast<unsigned>(arguments_.size())).getType()))
    throw Error("expected another argument than a pointer for number " + std::to_string(arguments_.size()));
  arguments_.push_back({address});
  return *this;
}

SimtExecutor &SimtExecutor::integer(int64_t value) {
  const Slot &slot = nextArgument("an integer");
  arguments_.push_back({truncated(slot.type, static_cast<uint64_t>(value))});
  return *this;
}

SimtExecutor &SimtExecutor::number(double value) {
  const Slot &slot = nextArgument("a number");
  if (!isFloat(slot.type))
    throw Error("expected an integer for argument " + std::to_string(arguments_.size()));
  arguments_.push_back({fromDouble(slot.type, value)});
  return *this;
}

SimtExecutor &SimtExecutor::descriptor(std::span<std::byte> bytes, std::string name, std::vector<int64_t> shape,
                                       std::vector<int64_t> strides, bool paddedWithNan) {
  return describedAddress(add(bytes, std::move(name)), std::move(shape), std::move(strides), paddedWithNan);
}

SimtExecutor &SimtExecutor::describedAddress(uint64_t address, std::vector<int64_t> shape, std::vector<int64_t> strides,
                                             bool paddedWithNan) {
  const Slot &slot = nextArgument("a descriptor");
  if (strides.empty()) {
    strides.assign(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
  }
  if (slot.lanes != 2 + 2 * shape.size() || strides.size() != shape.size())
    throw Error("expected a descriptor of rank " + std::to_string((slot.lanes - 2) / 2) + ", found " +
                std::to_string(shape.size()));
  std::vector<uint64_t> lanes{address, paddedWithNan};
  lanes.insert(lanes.end(), shape.begin(), shape.end());
  lanes.insert(lanes.end(), strides.begin(), strides.end());
  arguments_.push_back(std::move(lanes));
  return *this;
}

RunResult SimtExecutor::run(Grid grid, const RunOptions &options) {
  if (arguments_.size() != program_->arguments.size())
    throw Error("expected " + std::to_string(program_->arguments.size()) + " arguments, found " +
                std::to_string(arguments_.size()));
  if (!program_->isResident && grid[0] % program_->cluster)
    throw Error("expected a multiple of " + std::to_string(program_->cluster) + " programs along axis 0, found " +
                std::to_string(grid[0]));
  Sink sink(options.maxReports);
  Random random(options.seed);
  uint64_t steps = 0;
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
  for (uint64_t first = 0; first < programs; first += program_->cluster) {
    Workgroup group(*program_, memory_, options, grid, first, sink, random);
    steps += group.run(arguments_);
  }
  RunResult result = sink.take();
  result.steps = steps;
  return result;
}

} // namespace tegula::simt_test
