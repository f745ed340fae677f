// Evaluates the integers that each thread computes from its own number. Other analyses use them to prove that two
// accesses to a byte are by the same thread, or that stores cover a whole buffer.
#pragma once

#include "core/ir/simt/Simt.h"

#include <optional>
#include <vector>

namespace tegula::simt {

/// Evaluates integer values of a kernel for all of its threads, if the values depend only on constants and on thread,
/// warp and lane ids. Values inside warp groups are not evaluated, because threads have other ids there.
class ThreadValues {
public:
  explicit ThreadValues(mlir::func::FuncOp kernel);

  int64_t threads() const { return threads_; }
  int64_t warpSize() const { return warpSize_; }
  /// The value in all threads, sign-extended: index `thread * n + i` is element i of a vector of n elements (n = 1 for
  /// a scalar). Null if the value cannot be evaluated, or has more than 2^18 numbers in all. The pointer is valid until
  /// the next call.
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
