// Computes how much shared memory an exchange between threads may use.
#pragma once

#include "core/ir/simt/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tosimt {

/// Whether the op's result is a matrix in memory from which products load fragments when they need them.
bool isMatrixInMemory(mlir::Operation *op);

/// The shared memory that the planned buffers of a kernel leave to the exchanges that lowering adds. An exchange is
/// over before the next op begins, so at each op it may use all bytes that no planned buffer needs there.
///
/// On some targets each element width has a separate range of shared memory, for the whole kernel
/// (TargetFeatures::sharesWidths is false). There the planned buffers occupy their bytes at every op, and the rest is
/// divided equally among the element widths of exchanges.
class ExchangeRoom {
public:
  ExchangeRoom(mlir::func::FuncOp planned, const TargetFeatures &features);

  /// Bytes that an exchange at this op may use; at least kLeastBytes.
  int64_t at(mlir::Operation *op) const;

private:
  /// With less memory, an exchange would spend most of its time in barriers; the planned buffers are too large then.
  static constexpr int64_t kLeastBytes = 1 << 10;

  /// A planned buffer, and the numbers in the text of the first and the last op that may use it.
  struct Buffer {
    int64_t bytes, first, last;
  };
  void add(simt::SharedAllocOp buffer);
  int64_t endBeside(mlir::Operation *producer) const;
  /// The number of the op at which the buffers of an asynchronous copy or product are free again.
  int64_t endOf(mlir::Operation *started) const;
  static int64_t countWidths(mlir::func::FuncOp planned, int64_t narrowest);

  mlir::func::FuncOp planned_;
  int64_t sharedBytes_;
  bool hasOwnRanges_;  // each element width has a separate range of shared memory, for the whole kernel
  int64_t shares_ = 1; // the number of element widths of exchanges
  // numbers of an op and of the last op nested in it
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> span_;
  llvm::SmallVector<Buffer> buffers_;
};

} // namespace tegula::tosimt
