// What integers each thread computes from its own number: the proof behind 'the same thread' and 'all of the buffer'.
#pragma once

#include "core/ir/Simt.h"

#include <optional>
#include <vector>

namespace tegula::simt {

/// Evaluates integer values of a kernel, for all its threads at once, where they depend on constants and on the numbers
/// of thread, warp and lane only. Values of warp groups are not evaluated: threads are numbered anew there.
class ThreadValues {
public:
  explicit ThreadValues(mlir::func::FuncOp kernel);

  int64_t threads() const { return threads_; }
  int64_t warpSize() const { return warpSize_; }
  /// `lanes` numbers a thread, sign-extended: the one at `thread * lanes + i` is element i of a vector, or the scalar.
  /// Null where the value is not known, or larger than 2^18 numbers in all. Good until the next call.
  const std::vector<int64_t> *of(mlir::Value value);

private:
  using Numbers = std::vector<int64_t>;
  std::optional<Numbers> evaluate(mlir::Value value);
  std::optional<Numbers> evaluateRegisters(mlir::Operation *op, int64_t lanes);
  std::optional<Numbers> evaluateArithmetic(mlir::Operation *op, int64_t lanes);

  int64_t threads_, warpSize_;
  llvm::DenseMap<mlir::Value, std::optional<Numbers>> known_;
};

} // namespace tegula::simt
