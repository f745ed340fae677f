// Emits scheduled ops of a loop where their schedules want them, for the iteration that they then belong to. Private to
// tile-expand-schedules.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/loops/LoopAdvance.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace tegula::tile {

/// For each scheduled load or copy, its results (a copy's is its token) in consecutive iterations: the first is that of
/// the iteration that runs now. In the loop's body, all but the last are carried by the loop; this step emits the last.
using MadeAhead = llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value>>;

/// The state of the iteration `ahead` iterations later. A loop with copies that run so far ahead carries it; otherwise
/// each step would compute it from its own iteration, once for each iteration in between.
struct FarIteration {
  int64_t ahead = 0;                              // 0: the loop carries no such state
  mlir::Value runs, induction;                    // as in StepEmitter::Iteration
  llvm::SetVector<mlir::BlockArgument> arguments; // of the loop, on which copies depend
  llvm::SmallVector<mlir::Value> carried;         // their values in that iteration
};

/// What all places of a loop share.
struct ExpandedLoop {
  mlir::scf::ForOp loop;
  const AxisAnalysis *axes = nullptr; // of the kernel before the expansion; null if no load is an index
  MadeAhead made;
  FarIteration far;
  std::map<int64_t, mlir::Value> stages; // for rings of so many stages: the stage that this iteration reads
  // for copies by hardware, so many iterations ahead, to rings of so many stages: the phase of the copies of this step
  std::map<std::pair<int64_t, int64_t>, mlir::Value> phases;
};

/// Emits scheduled ops, and what they need, for the iteration that runs now and later ones: at one place of the loop's
/// body, or before the loop, where the first iteration counts as the one that runs.
class StepEmitter {
public:
  StepEmitter(ExpandedLoop &expanded, mlir::OpBuilder builder, bool isBeforeLoop)
      : expanded_(expanded), loop_(expanded.loop), builder_(builder), isBeforeLoop_(isBeforeLoop) {}

  /// Emits the op for the iteration `ahead` iterations later. `isIndex`: addresses of copies or loads depend on the op.
  void emit(mlir::Operation *op, int64_t ahead, bool isIndex);
  /// The value of the iteration `ahead` iterations later.
  mlir::Value valueOf(mlir::Value value, int64_t ahead) { return clonerFor(ahead).clone(value); }
  /// The induction variable in that iteration. If the loop has no such iteration, the variable's last value.
  mlir::Value inductionOf(int64_t ahead) { return at(ahead).induction; }
  /// Whether that iteration takes place, an i1; null if it certainly does.
  mlir::Value runsIn(int64_t ahead) { return at(ahead).runs; }
  /// The stage of that iteration in a ring of `stages`.
  mlir::Value stageIn(int64_t ahead, int64_t stages);

private:
  /// The state of one iteration, computed when it is first needed.
  struct Iteration {
    mlir::Value induction, runs;
    std::unique_ptr<LoopCloner> cloner;
  };

  Iteration &at(int64_t ahead);
  Iteration first();
  Iteration after(const Iteration &before);
  bool isFar(int64_t ahead) const { return !isBeforeLoop_ && ahead > 0 && ahead == expanded_.far.ahead; }
  LoopCloner &clonerFor(int64_t ahead);
  mlir::Value argumentIn(mlir::BlockArgument argument, int64_t ahead);
  mlir::Operation *clone(mlir::Operation *op, int64_t ahead);
  mlir::Operation *emitCopy(simt::CopyOp copy, int64_t ahead);
  mlir::Operation *emitTile(simt::CopyTileOp copy, int64_t ahead);
  bool joinsLast(mlir::Operation *op);
  mlir::Value withFacts(LoadOp load, mlir::Value loaded);
  mlir::Value number(int64_t value);

  ExpandedLoop &expanded_;
  mlir::scf::ForOp loop_;
  mlir::OpBuilder builder_;
  bool isBeforeLoop_;
  std::map<int64_t, Iteration> iterations_; // a map: references stay valid when iterations are added
  std::map<std::pair<int64_t, int64_t>, mlir::Value> stages_;
  llvm::SmallVector<mlir::Operation *, 2> last_; // waits and fences that were emitted since the last other op
};

} // namespace tegula::tile
