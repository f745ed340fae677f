// Random functions of integer and pointer tile IR: arithmetic, changes of shape, loops and branches, nested.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <random>

namespace tegula::tile::test {

class RandomTiles {
public:
  RandomTiles(mlir::MLIRContext &context, uint64_t seed);
  mlir::ModuleOp module() { return *module_; }
  mlir::func::FuncOp function() { return function_; }
  /// Argument values that satisfy the declared facts, some at the limits of the types.
  std::vector<int64_t> arguments();
  int64_t below(int64_t count) { return int64_t(random_() % uint64_t(count)); }

private:
  using Pools = std::map<const void *, std::vector<mlir::Value>>;

  template <class Op, class... Arguments> mlir::Value make(Arguments &&...arguments) {
    return keep(Op::create(b_, b_.getUnknownLoc(), std::forward<Arguments>(arguments)...)->getResult(0));
  }
  mlir::Value keep(mlir::Value value);
  mlir::Value any(mlir::Type type);
  mlir::Type tensor(mlir::Type element) { return mlir::RankedTensorType::get({8, 16}, element); }
  mlir::Value constant(mlir::Type type, int64_t value);

  void leaves();
  void statements(int count, int depth);
  void binary(mlir::Type type);
  void cast();
  void shape();
  void pointer();
  void choose();
  void loop(int depth);
  void branch(int depth);

  mlir::OpBuilder b_;
  std::mt19937_64 random_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  mlir::Type i32_, i64_, i1_, pointer_;
  Pools pools_;
};

} // namespace tegula::tile::test
