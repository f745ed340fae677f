// Evaluates integer and pointer tile IR element by element, by the ops' definitions and with no thought of analyses.
#pragma once

#include "core/ir/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

namespace tegula::tile::test {

/// One value at one moment: its elements row-major, sign-extended from the type's width (i1: 0 and 1).
struct Snapshot {
  std::vector<int64_t> elements;
  bool wrapped = false;   // it, or what it was made from, exceeded its type as a signed number
  bool rests = false;     // it was made from a signed quotient or remainder of such a value
  bool undefined = false; // division by zero and the like: nothing holds of it
};

class Interpreter {
public:
  /// Runs the function; pointers are addresses. Throws std::runtime_error for an op that it does not know, and where
  /// the way through the program depends on something undefined.
  Interpreter(mlir::func::FuncOp function, const std::vector<int64_t> &arguments, int64_t program);
  /// What the function returned.
  std::vector<Snapshot> results() const;
  /// What every value was, each time it was defined.
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
