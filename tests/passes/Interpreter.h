// Evaluates integer and pointer tile IR element by element, by the ops' definitions and without any analysis.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

namespace tegula::tile::test {

/// The content of a value at one execution: row-major elements, sign-extended from the type's width (i1: 0 and 1).
struct Snapshot {
  std::vector<int64_t> elements;
  bool wrapped = false;   // the value, or one that it was computed from, exceeded its type as a signed number
  bool rests = false;     // the value was computed from a signed quotient or remainder of a wrapped value
  bool undefined = false; // division by zero and the like: no fact holds
};

class Interpreter {
public:
  /// Runs the function; pointers are addresses. Throws std::runtime_error for an unknown op, and where control flow
  /// depends on an undefined value.
  Interpreter(mlir::func::FuncOp function, const std::vector<int64_t> &arguments, int64_t program);
  /// The function's results.
  std::vector<Snapshot> results() const;
  /// The content of every value at each of its definitions, in order of execution.
  const std::vector<std::pair<mlir::Value, Snapshot>> &history() const { return history_; }

private:
  void set(mlir::Value value, Snapshot snapshot);
  const Snapshot &of(mlir::Value value) const { return now_.find(value)->second; }
  void run(mlir::Block &block);
  void runFor(mlir::scf::ForOp loop);
  void runIf(mlir::scf::IfOp branch);
  void runOp(mlir::Operation &op);

  mlir::func::FuncOp function_;
  int64_t program_;
  llvm::DenseMap<mlir::Value, Snapshot> now_;
  std::vector<std::pair<mlir::Value, Snapshot>> history_;
};

} // namespace tegula::tile::test
