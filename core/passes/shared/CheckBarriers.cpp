// simt-check-barriers (SimtPasses.td): reports each pair of accesses to memory that no barrier orders.
//
// A reachability search in a graph of program points: from each access along all edges, up to the next barrier. A
// barrier of a set of warps (four warps that wait only for each other) ends the search only for some pairs of accesses:
// those in which only threads of the same set touch the same byte (SharedAccesses::conflictsInSets). Pairs that
// conflict only in different iterations of a loop are reported if the search has followed the loop's back edge.
#include "core/passes/Passes.h"
#include "core/passes/shared/SharedAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_CHECKBARRIERS
#include "core/passes/SimtPasses.h.inc"

namespace {

struct Point {
  bool barrier = false, setBarrier = false;
  std::optional<AccessKind> waits;
  bool waitsForAll = false;
  SmallVector<unsigned, 2> accesses;
  /// The points that follow, each with the loop of which an iteration ends on the way; null if none does.
  SmallVector<std::pair<unsigned, Operation *>, 2> next;
};

/// The program points of one scope, and the control flow edges between them.
class Graph {
public:
  Graph(Block &scope, const SharedAccesses &accesses) : accesses_(accesses) { add(scope, addPoint()); }
  const std::vector<Point> &points() const { return points_; }

private:
  unsigned addPoint() {
    points_.emplace_back();
    return unsigned(points_.size() - 1);
  }
  void edge(unsigned from, unsigned to, Operation *ended = nullptr) { points_[from].next.push_back({to, ended}); }
  unsigned addAfter(unsigned from) {
    unsigned point = addPoint();
    edge(from, point);
    return point;
  }

  /// Adds a point for each op of the block, in order, with an edge from the point `at` to the first of them; returns
  /// the last point.
  unsigned add(Block &block, unsigned at) {
    for (Operation &op : block)
      at = add(&op, at);
    return at;
  }

  unsigned add(Operation *op, unsigned at) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return addIf(branch, at);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned head = addAfter(at);
      unsigned end = add(*loop.getBody(), head);
      edge(end, head, loop);
      unsigned exit = addAfter(end);
      if (!surelyRuns(loop))
        edge(at, exit);
      return exit;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      unsigned head = addAfter(at);
      unsigned decided = add(*loop.getBeforeBody(), head);
      unsigned end = add(*loop.getAfterBody(), addAfter(decided));
      edge(end, head, loop);
      return addAfter(decided);
    }
    if (auto groups = dyn_cast<WarpGroupsOp>(op)) {
      unsigned point = addAfter(at);
      groups.walk([&](Operation *inner) { addAccesses(inner, point); });
      return point;
    }
    auto [first, last] = accesses_.of(op);
    if (first == last && !isRegionBarrier(op) && !isSetBarrier(op) && !waitedKind(op))
      return at;
    unsigned point = addAfter(at);
    points_[point].barrier = isRegionBarrier(op);
    points_[point].setBarrier = isSetBarrier(op);
    points_[point].waits = waitedKind(op);
    points_[point].waitsForAll = waitsForAll(op);
    addAccesses(op, point);
    return point;
  }

  unsigned addIf(scf::IfOp branch, unsigned at) {
    unsigned then = add(*branch.thenBlock(), addAfter(at));
    unsigned otherwise = at;
    if (branch.elseBlock()) {
      unsigned begin = addAfter(at);
      if (!allAgree(branch)) // one thread may have left the first arm while another enters the second
        edge(then, begin);
      otherwise = add(*branch.elseBlock(), begin);
    }
    unsigned exit = addAfter(then);
    edge(otherwise, exit);
    return exit;
  }

  void addAccesses(Operation *op, unsigned point) {
    auto [first, last] = accesses_.of(op);
    for (unsigned a = first; a < last; ++a)
      points_[point].accesses.push_back(a);
  }

  const SharedAccesses &accesses_;
  std::vector<Point> points_;
};

class Checker {
public:
  explicit Checker(func::FuncOp kernel) : accesses_(kernel, /*withGlobal=*/true) { accesses_.findConflicts(); }

  LogicalResult run(Block &scope) {
    Graph graph(scope, accesses_);
    for (auto [number, point] : llvm::enumerate(graph.points()))
      for (unsigned a : point.accesses)
        search(graph.points(), unsigned(number), a);
    for (auto groups : scope.getOps<WarpGroupsOp>())
      checkGroups(groups);
    return failure(!reported_.empty());
  }

private:
  /// Reports all accesses that conflict with access `a` at point `from` and are reached without a barrier. An
  /// asynchronous access may happen as late as the wait for it, so its search begins at the wait.
  void search(const std::vector<Point> &points, unsigned from, unsigned a) {
    AccessKind kind = accesses_.all()[a].kind;
    enum Phase : unsigned { UnderWay, Done, DoneInSet, Phases }; // DoneInSet: done, and its set has passed a barrier
    // isEarlier: the access is of an iteration that has ended, of a loop with which it changes
    const std::optional<GlobalAccess> &global = accesses_.all()[a].global;
    std::vector<bool> seen(points.size() * Phases * 2);
    SmallVector<std::tuple<unsigned, Phase, bool>> work;
    auto go = [&](const Point &point, Phase phase, bool isEarlier) {
      for (auto [next, ended] : point.next) {
        bool isEarlierThere = isEarlier || (ended && global && changesWith(ended, *global));
        std::vector<bool>::reference isSeen = seen[(next * Phases + phase) * 2 + isEarlierThere];
        if (!isSeen) {
          isSeen = true;
          work.push_back({next, phase, isEarlierThere});
        }
      }
    };
    go(points[from], kind == AccessKind::Ordinary ? Done : UnderWay, /*isEarlier=*/false);
    while (!work.empty()) {
      auto [number, phase, isEarlier] = work.pop_back_val();
      const Point &point = points[number];
      if (phase == UnderWay) {
        bool waits = point.waits == kind;
        if (waits)
          go(point, Done, isEarlier);
        if (!waits || !point.waitsForAll)
          go(point, UnderWay, isEarlier);
        continue;
      }
      if (point.barrier)
        continue;
      if (point.setBarrier)
        phase = DoneInSet;
      for (unsigned b : point.accesses)
        if (accesses_.mayConflict(a, b) && (phase == Done || !accesses_.conflictsInSets(a).test(b)) &&
            (isEarlier || !accesses_.conflictsAcrossIterations(a).test(b)))
          report(a, b);
      go(point, phase, isEarlier);
    }
  }

  /// Reports conflicting accesses of two warp groups. The groups run concurrently, so nothing but barrier objects
  /// orders their accesses.
  void checkGroups(WarpGroupsOp groups) {
    bool objects = false;
    groups.walk([&](Operation *op) { objects |= isa<BarrierArriveOp, BarrierExpectOp, BarrierWaitOp>(op); });
    if (objects)
      return;
    auto groupOf = [&](Operation *op) -> Region * {
      for (Region &group : groups.getGroups())
        if (group.isAncestor(op->getParentRegion()))
          return &group;
      return nullptr;
    };
    for (unsigned a = 0; a < accesses_.all().size(); ++a)
      for (unsigned b = 0; b < a; ++b) {
        Region *one = groupOf(accesses_.all()[a].op), *other = groupOf(accesses_.all()[b].op);
        if (one && other && one != other && accesses_.mayConflict(a, b))
          report(b, a);
      }
  }

  void report(unsigned a, unsigned b) {
    Operation *first = accesses_.all()[a].op, *second = accesses_.all()[b].op;
    if (!reported_.insert({std::min(first, second), std::max(first, second)}).second)
      return;
    const char *memory = accesses_.all()[b].global ? "global" : "shared";
    InFlightDiagnostic error = second->emitOpError() << "expected a barrier between this access to " << memory
                                                     << " memory and another, by other threads to the same bytes, "
                                                        "found a path without one";
    error.attachNote(first->getLoc()) << "the other access is here";
  }

  SharedAccesses accesses_;
  std::set<std::pair<Operation *, Operation *>> reported_;
};

struct CheckBarriersPass : impl::CheckBarriersBase<CheckBarriersPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      if (!isKernel(function) || function.isExternal())
        return;
      Checker checker(function);
      for (Block *scope : barrierScopes(function))
        if (failed(checker.run(*scope)))
          signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tegula::simt
