// How much shared memory an exchange between threads may use.
#pragma once

#include "core/ir/simt/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tosimt {

/// Whether the op reads a matrix in memory from which products load the fragments that they need, when they need them.
bool isMatrixInMemory(mlir::Operation *op);

/// The shared memory that the planned buffers of a kernel leave to the exchanges that lowering adds. An exchange is
/// over before the next op begins, so at each op it can have all bytes that no planned buffer needs there.
///
/// On some targets each element width has a range of shared memory of its own, for the whole kernel
/// (TargetFeatures::sharesWidths is false). There the planned buffers take their bytes at every op, and what remains is
/// divided equally among the widths that exchanges have.
class ExchangeRoom {
public:
  ExchangeRoom(mlir::func::FuncOp planned, const TargetFeatures &features);

  /// Bytes; at least kLeastBytes.
  int64_t at(mlir::Operation *op) const;

private:
  /// With less, an exchange would spend its time in barriers; the planned buffers are too large then.
  static constexpr int64_t kLeastBytes = 1 << 10;

  /// A planned buffer and the ops, by their numbers in the text, from the first that may use it to the last.
  struct Buffer {
    int64_t bytes, first, last;
  };
  void add(simt::SharedAllocOp buffer);
  int64_t endBeside(mlir::Operation *producer) const;
  /// Where the buffers of an asynchronous copy or product are free again.
  int64_t endOf(mlir::Operation *started) const;
  static int64_t countWidths(mlir::func::FuncOp planned, int64_t narrowest);

  mlir::func::FuncOp planned_;
  int64_t sharedBytes_;
  bool hasOwnRanges_;  // each element width has a range of shared memory of its own, in the whole kernel
  int64_t shares_ = 1; // how many widths exchanges have
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> span_; // numbers of an op and of the last op in it
  llvm::SmallVector<Buffer> buffers_;
};

} // namespace tegula::tosimt
