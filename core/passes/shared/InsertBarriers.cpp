// simt-insert-barriers (SimtPasses.td): inserts a barrier wherever two accesses to memory are unordered, and nowhere
// else.
//
// A forward dataflow analysis over structured control flow. Its state is the set of accesses since the last barrier on
// some path (*pending*), and which of them were executed in an iteration of a loop that has ended. Conflicts between
// two accesses inside a region get barriers first, inside the region; then conflicts with accesses before the region
// get barriers before the region. A barrier of sets of warps (four warps that wait only for each other) is enough if
// each byte that two accesses both touch belongs to threads of one set (SharedAccesses::conflictsInSets); it orders no
// other accesses. Then barriers that other barriers have made unnecessary are removed, fences for copies by hardware
// are added, and fences that others make unnecessary are removed (FenceCopies.h).
#include "core/passes/Passes.h"
#include "core/passes/shared/FenceCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "core/passes/SimtPasses.h.inc"

namespace {

/// The state of the analysis at a point of the kernel: sets of accesses, by their numbers in SharedAccesses.
struct State {
  llvm::BitVector pending;  // executed since the last barrier, on some path to this point
  llvm::BitVector inSet;    // the pending accesses since the last barrier of sets of warps
  llvm::BitVector earlier;  // the pending accesses of which some were in an iteration that has ended (changesWith)
  llvm::BitVector underWay; // asynchronous accesses that were started but not waited for
  void add(unsigned access) {
    pending.set(access);
    inSet.set(access);
  }
  void passBarrier() {
    pending.reset();
    inSet.reset();
    earlier.reset();
  }
  void merge(const State &other) {
    pending |= other.pending;
    inSet |= other.inSet;
    earlier |= other.earlier;
    underWay |= other.underWay;
  }
  bool operator==(const State &) const = default;
};

class Inserter {
public:
  explicit Inserter(func::FuncOp kernel)
      : accesses_(kernel, /*withGlobal=*/true), none_(unsigned(accesses_.all().size())) {
    accesses_.findConflicts();
    kernel.walk([&](Operation *op) { // innermost first
      bool matters = isRegionBarrier(op) || isSetBarrier(op) || waitedKind(op) ||
                     accesses_.of(op).first != accesses_.of(op).second;
      for (; matters && op && op != kernel; op = op->getParentOp())
        matters_.insert(op);
    });
  }

  LogicalResult run(Block &scope) {
    State start = empty();
    insert(scope, start);
    prune(scope);
    fenceBeforeCopies(scope, accesses_);
    mergeFences(scope);
    return failure(failed_);
  }

private:
  State empty() const { return {none_, none_, none_, none_}; }
  State onlyUnderWay(const State &state) const { return {none_, none_, none_, state.underWay}; }

  /// Ends an iteration of a loop: the pending accesses that change with it are now those of an earlier iteration.
  void endIteration(Operation *loop, State &state) const {
    for (unsigned a : state.pending.set_bits())
      if (accesses_.conflictsAcrossIterations(a).any() && changesWith(loop, *accesses_.all()[a].global))
        state.earlier.set(a);
  }

  /// Those accesses in `state` that conflict with access `a` and that no barrier separates from it.
  llvm::BitVector conflicting(const State &state, unsigned a) const {
    if (!state.pending.anyCommon(accesses_.conflictsOf(a)))
      return none_; // state.inSet is a subset of state.pending
    llvm::BitVector met = accesses_.conflictsOf(a), inSets = accesses_.conflictsInSets(a),
                    across = accesses_.conflictsAcrossIterations(a);
    met.reset(inSets);
    met.reset(across);
    met &= state.pending;
    across &= state.earlier;
    met |= across;
    inSets &= state.inSet;
    met |= inSets;
    return met;
  }

  // --- transfer functions: update the state; return true if an access conflicts with a pending one ---

  bool flow(Block &block, State &state) {
    for (Operation &op : block)
      if (matters_.contains(&op) && flow(&op, state))
        return true;
    return false;
  }

  bool flow(Operation *op, State &state) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return flowIf(branch, state);
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return flowLoop(op, state);
    if (auto groups = dyn_cast<WarpGroupsOp>(op))
      return flowGroups(groups, state);
    if (isRegionBarrier(op)) {
      state.passBarrier();
    } else if (isSetBarrier(op)) {
      state.inSet.reset();
    } else if (std::optional<AccessKind> kind = waitedKind(op)) {
      for (unsigned a : state.underWay.set_bits())
        if (accesses_.all()[a].kind == *kind) {
          state.add(a);
          if (waitsForAll(op))
            state.underWay.reset(a);
        }
    } else {
      auto [first, last] = accesses_.of(op);
      for (unsigned a = first; a < last; ++a)
        if (llvm::BitVector met = conflicting(state, a); met.any()) {
          met_ = {unsigned(met.find_first()), a};
          return true;
        }
      for (unsigned a = first; a < last; ++a)
        if (accesses_.all()[a].kind == AccessKind::Ordinary)
          state.add(a);
        else
          state.underWay.set(a);
    }
    return false;
  }

  bool flowIf(scf::IfOp branch, State &state) {
    State other = state;
    if (flow(*branch.thenBlock(), state))
      return true;
    if (!allAgree(branch)) // one thread may enter the second arm after another has executed the first arm
      other.merge(state);
    if (branch.elseBlock() && flow(*branch.elseBlock(), other))
      return true;
    state.merge(other);
    return false;
  }

  bool flowLoop(Operation *loop, State &state) {
    State before = state;
    for (;;) {
      State inside = state, after;
      if (auto counted = dyn_cast<scf::ForOp>(loop)) {
        if (flow(*counted.getBody(), inside))
          return true;
        after = inside;
        if (!surelyRuns(loop))
          after.merge(before);
      } else {
        auto conditional = cast<scf::WhileOp>(loop);
        if (flow(*conditional.getBeforeBody(), inside))
          return true;
        after = inside;
        if (flow(*conditional.getAfterBody(), inside))
          return true;
      }
      endIteration(loop, inside);
      State again = state;
      again.merge(inside);
      if (again == state) {
        state = after;
        return false;
      }
      state = again;
    }
  }

  /// Inserts barriers in the regions of warp groups. The groups run concurrently: each begins with the state before the
  /// op, not with another group's state.
  bool flowGroups(WarpGroupsOp groups, State &state) {
    State after = state;
    for (Region &group : groups.getGroups()) {
      bool met = false;
      group.walk([&](Operation *op) {
        auto [first, last] = accesses_.of(op);
        for (unsigned a = first; a < last; ++a) {
          met |= conflicting(state, a).any();
          after.add(a);
        }
      });
      if (met)
        return true;
    }
    state = after;
    return false;
  }

  bool meets(Operation *op, const State &state) {
    State copy = state;
    return flow(op, copy);
  }
  bool meets(Block *block, const State &state) {
    State copy = state;
    return block && flow(*block, copy);
  }

  // --- inserting barriers: the transfer functions, with a barrier before each conflict ---

  void insert(Block &block, State &state) {
    for (Operation &op : block)
      if (matters_.contains(&op))
        insert(&op, state);
  }

  /// If a barrier within each set of warps is enough, sets need not wait for each other.
  void insertBefore(Operation *op, State &state) {
    OpBuilder builder(op);
    State apart = state;
    apart.inSet.reset();
    bool isOfSets = !meets(op, apart);
    auto barrier = BarrierOp::create(builder, op->getLoc(),
                                     isOfSets ? builder.getI32IntegerAttr(int32_t(kSetWarps)) : IntegerAttr());
    matters_.insert(barrier);
    inserted_.push_back(barrier);
    flow(barrier, state);
  }

  void insert(Operation *op, State &state) {
    bool branches = isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
    if (branches && allAgree(op)) {
      settle(op, state);
      if (isa<scf::IfOp>(op))
        return insertIf(cast<scf::IfOp>(op), state);
    } else if (branches && !given_.contains(op) && meets(op, onlyUnderWay(state))) {
      reportHopeless(op);
    }
    if (meets(op, state))
      insertBefore(op, state);
    if (given_.contains(op)) { // an error was reported for this op: continue as if it ended with a barrier
      state = empty();
      return;
    }
    flow(op, state);
  }

  void insertIf(scf::IfOp branch, State &state) {
    bool then = meets(branch.thenBlock(), state), otherwise = meets(branch.elseBlock(), state);
    if (then && otherwise)
      insertBefore(branch, state);
    State other = state;
    insert(*branch.thenBlock(), state);
    if (branch.elseBlock())
      insert(*branch.elseBlock(), other);
    state.merge(other);
  }

  /// Inserts barriers for conflicts between two accesses in the regions of `op`, including conflicts around its back
  /// edge.
  void settle(Operation *op, const State &before) {
    auto [it, isNew] = settled_.try_emplace(op, before.underWay);
    if (!isNew && it->second == before.underWay)
      return;
    it->second = before.underWay;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Block *block : {branch.thenBlock(), branch.elseBlock()})
        if (block) {
          State state = onlyUnderWay(before);
          insert(*block, state);
        }
      return;
    }
    size_t count = 0;
    do { // repeat, because the inserted barriers changed the state
      count = inserted_.size();
      State state = onlyUnderWay(before);
      for (bool stable = false; !stable;) {
        State inside = state;
        for (Region &region : op->getRegions())
          insert(region.front(), inside);
        endIteration(op, inside);
        State again = state;
        again.merge(inside);
        stable = again == state || inserted_.size() != count;
        state = again;
      }
    } while (inserted_.size() != count);
  }

  void reportHopeless(Operation *op) {
    given_.insert(op);
    failed_ = true;
    const SharedAccess &first = accesses_.all()[met_.first], &second = accesses_.all()[met_.second];
    InFlightDiagnostic error =
        second.op->emitOpError()
        << "expected no other thread's access to the same shared memory within a branch or loop in "
           "which threads part, where no barrier can stand, found one";
    error.attachNote(first.op->getLoc()) << "the other access is here";
  }

  /// Removes inserted barriers without which no conflict appears, those in the innermost loops first. A barrier at the
  /// top level of the scope separates the accesses before it from those after it. So for each removed barrier only the
  /// ops between two such barriers are analysed, not the whole scope.
  void prune(Block &scope) {
    if (failed_)
      return;
    // for each barrier at the scope's top level, the asynchronous accesses in flight there; removed barriers do not
    // change it
    llvm::DenseMap<Operation *, llvm::BitVector> underWay;
    State state = empty();
    for (Operation &op : scope) {
      if (isRegionBarrier(&op))
        underWay[&op] = state.underWay;
      if (matters_.contains(&op) && flow(&op, state))
        inserted_.clear(); // no barrier prevents this conflict: it would be found again for each removed barrier
    }
    auto depth = [](Operation *op) {
      int loops = 0;
      for (; op; op = op->getParentOp())
        loops += isa<scf::ForOp, scf::WhileOp>(op);
      return loops;
    };
    llvm::stable_sort(inserted_, [&](Operation *a, Operation *b) { return depth(a) > depth(b); });
    for (Operation *barrier : inserted_) {
      Operation *next = barrier->getNextNode();
      barrier->remove();
      if (meetsAround(scope.findAncestorOpInBlock(*next), underWay)) {
        next->getBlock()->getOperations().insert(next->getIterator(), barrier);
      } else {
        matters_.erase(barrier);
        barrier->destroy();
      }
    }
    inserted_.clear();
    settled_.clear();
  }

  /// Whether two accesses conflict between the last top-level barrier of the scope before `op` (an op of the scope) and
  /// the first such barrier from `op` on.
  bool meetsAround(Operation *op, const llvm::DenseMap<Operation *, llvm::BitVector> &underWay) {
    Operation *first = op;
    while (first->getPrevNode() && !isRegionBarrier(first->getPrevNode()))
      first = first->getPrevNode();
    State state = empty();
    if (Operation *before = first->getPrevNode())
      state.underWay = underWay.at(before);
    for (Operation *at = first; at && !isRegionBarrier(at); at = at->getNextNode())
      if (matters_.contains(at) && flow(at, state))
        return true;
    return false;
  }

  SharedAccesses accesses_;
  llvm::BitVector none_;
  llvm::DenseSet<Operation *> matters_; // barriers, waits, accesses, and the ops that contain them
  SmallVector<Operation *> inserted_;
  llvm::DenseMap<Operation *, llvm::BitVector>
      settled_;                       // ops that settle() has handled, with the accesses in flight before them
  llvm::DenseSet<Operation *> given_; // ops for which an error was reported
  std::pair<unsigned, unsigned> met_; // the last conflict that flow() found
  bool failed_ = false;
};

struct InsertBarriersPass : impl::InsertBarriersBase<InsertBarriersPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      if (!isKernel(function) || function.isExternal())
        return;
      Inserter inserter(function);
      for (Block *scope : barrierScopes(function))
        if (failed(inserter.run(*scope)))
          signalPassFailure();
    });
  }
};

} // namespace
} // namespace tegula::simt
