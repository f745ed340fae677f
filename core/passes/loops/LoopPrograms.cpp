// tile-loop-programs; see LoopPasses.td.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/OperandBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_LOOPPROGRAMS
#include "core/passes/Passes.h.inc"

namespace {

constexpr int32_t kGroupRows = 16; // measured, docs/performance.md
// Bytes of shared memory for barrier objects, and for what threads exchange: in reductions up to 8 a thread, of results
// in parts.
constexpr int64_t kSpareBytes = 2 << 10, kSpareForReductions = 10 << 10;
constexpr int64_t kLeastLine = 128; // bytes of a line of a result's part: what hardware copies at a time

/// Whether one launched program may execute `op` for several programs of the grid, one after another. Listed are pure
/// ops and accesses to memory that order nothing: no op that a program could use to wait for another, or to be seen in
/// an order.
bool servesSeveral(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getIsVolatile();
  return isa<StoreOp, DescLoadOp, simt::SharedAllocOp, simt::SharedStoreOp, simt::SharedLoadOp, simt::MoveRingOp,
             simt::FenceOp, simt::ProductOp, simt::WaitProductsOp, simt::BarrierWaitOp, simt::ArriveWarpsOp,
             simt::CopyTileOp, simt::CopyOutOp, scf::ForOp, scf::IfOp, scf::YieldOp, simt::EndGroupOp>(op) ||
         isMemoryEffectFree(op);
}

/// Whether a predicate holds for `op` or an op inside of it.
bool anyInside(Operation *op, llvm::function_ref<bool(Operation *)> predicate) {
  return op->walk([&](Operation *inner) { return predicate(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// The stage, and the phase if any, that an op on a ring's barrier objects or buffer names; empty for other ops.
SmallVector<Value> placeOf(Operation *op) {
  if (auto wait = dyn_cast<simt::BarrierWaitOp>(op))
    return {wait.getIndex(), wait.getPhase()};
  if (auto copy = dyn_cast<simt::CopyTileOp>(op))
    return {copy.getIndex(), copy.getPhase()};
  if (auto arrive = dyn_cast<simt::ArriveWarpsOp>(op))
    return {arrive.getIndex()};
  if (auto stage = dyn_cast<simt::StageOp>(op))
    return {stage.getIndex()};
  return {};
}

/// A loop over the stages of rings. It carries their places, stages and phases, which are 0 before the first iteration.
struct RingLoop {
  scf::ForOp loop;
  SmallVector<unsigned> places; // which of the carried values they are
  SmallVector<Value> next;      // for each place, where the next program's iterations go on
};

/// Collects the places of a loop's rings; false where one does not follow from carried numbers alone.
bool collectPlaces(RingLoop &ring) {
  SmallVector<Value> pending;
  ring.loop.walk([&](Operation *op) { llvm::append_range(pending, placeOf(op)); });
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second || matchPattern(value, m_Constant()))
      continue;
    if (Operation *op = value.getDefiningOp()) {
      if (op->getParentOp() != ring.loop || op->getNumRegions() || !isMemoryEffectFree(op))
        return false;
      llvm::append_range(pending, op->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner() != ring.loop.getBody() || argument == ring.loop.getInductionVar())
      return false;
    unsigned number = argument.getArgNumber() - 1;
    if (!argument.getType().isInteger(32) || !matchPattern(ring.loop.getInitArgs()[number], m_Zero()))
      return false;
    ring.places.push_back(number);
    pending.push_back(ring.loop.getYieldedValues()[number]);
  }
  llvm::sort(ring.places);
  return !ring.places.empty();
}

/// Takes what ops behind the loop do with its rings: they name places that follow from the loop's results alone, and
/// `simt.move_ring` says where the rings go on. False where that is not so.
bool takeBehind(RingLoop &ring, ArrayRef<Operation *> behind) {
  for (unsigned number : ring.places)
    ring.next.push_back(ring.loop.getResult(number));
  SmallVector<Value> pending;
  bool moves = false;
  for (Operation *op : behind) {
    llvm::append_range(pending, placeOf(op));
    auto move = dyn_cast<simt::MoveRingOp>(op);
    if (!move)
      continue;
    for (auto [from, to] :
         {std::pair(move.getStage(), move.getNextStage()), std::pair(move.getPhase(), move.getNextPhase())}) {
      auto known = llvm::find(ring.next, from);
      if (known == ring.next.end())
        return false;
      *known = to;
    }
    moves = true;
  }
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second || matchPattern(value, m_Constant()))
      continue;
    if (op == ring.loop && llvm::is_contained(ring.places, cast<OpResult>(value).getResultNumber()))
      continue;
    if (!op || op->getBlock() != ring.loop->getBlock() || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return moves || behind.empty();
}

/// The only loop of `ops` with rings; nothing if there is none or the code is not of this form. Ops behind it may use
/// the rings, too (takeBehind).
std::optional<RingLoop> ringLoopOf(ArrayRef<Operation *> ops) {
  std::optional<RingLoop> found;
  SmallVector<Operation *> behind;
  for (Operation *op : ops) {
    if (!isa<simt::MoveRingOp>(op) && !anyInside(op, [](Operation *inner) { return !placeOf(inner).empty(); }))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (found && !op->getNumRegions())
      behind.push_back(op);
    else if (loop && !found)
      found = RingLoop{loop, {}, {}};
    else
      return std::nullopt;
  }
  return found && collectPlaces(*found) && takeBehind(*found, behind) ? found : std::nullopt;
}

/// Whether the loop has as many iterations in all programs: its bounds follow from arguments and constants. Programs
/// with different work are better taken by the device, whichever multiprocessor is free first.
bool isAlike(scf::ForOp loop) {
  SmallVector<Value> pending = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second || !op)
      continue;
    if (isa<ProgramIdOp>(op) || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

/// Rewrites one kernel.
class Programs {
public:
  Programs(func::FuncOp kernel, simt::ProducerOp producer, int64_t sharedBytes)
      : kernel_(kernel), producer_(producer), sharedBytes_(sharedBytes) {}

  void run() {
    collectOwn();
    for (Operation &op : producer_.getBody().front().without_terminator())
      copying_.push_back(&op);
    if (!isAllowed() || !fits())
      return;
    std::optional<RingLoop> own = ringLoopOf(own_), copying = ringLoopOf(copying_);
    if (!own || !copying || !isAlike(own->loop))
      return;
    if (share_ > 1)
      divideResult();
    for (Operation *op : llvm::reverse(buffers_)) // one for all programs: it is alive in the whole loop
      op->moveBefore(producer_);
    llvm::erase_if(own_, [](Operation *op) { return isa<simt::SharedAllocOp>(op); });
    scf::ForOp programs = repeat(own_, *own, simt::kUniformAttr);
    sinkBehind(own->loop);
    waitLater(programs);
    repeat(copying_, *copying, simt::kDivergentAttr);
    kernel_->setAttr(simt::kResidentAttr, UnitAttr::get(kernel_.getContext()));
  }

private:
  bool isAllowed() {
    auto allServe = [](ArrayRef<Operation *> ops) {
      return llvm::none_of(
          ops, [](Operation *op) { return anyInside(op, [](Operation *inner) { return !servesSeveral(inner); }); });
    };
    // What stands before the producer runs once, so it must not depend on the program.
    bool isOnce = llvm::none_of(*producer_->getBlock(), [&](Operation &op) {
      return op.isBeforeInBlock(producer_) && anyInside(&op, [](Operation *inner) { return isa<ProgramIdOp>(inner); });
    });
    return isOnce && allServe(own_) && allServe(copying_);
  }

  void collectOwn() {
    own_.clear();
    buffers_.clear();
    for (Operation *op = producer_->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
      if (!isa<simt::EndBarriersOp>(op)) // these stay behind the loop
        own_.push_back(op);
      if (isa<simt::SharedAllocOp>(op))
        buffers_.push_back(op);
    }
  }

  /// Whether all buffers fit shared memory side by side: the buffer of the result cannot share storage with the rings,
  /// which the next program's copies fill while the result is stored. If it does not fit as a whole, a smaller buffer
  /// that the result passes through in parts of its columns may.
  bool fits() {
    bool reduces = anyInside(kernel_, [](Operation *op) { return isa<ReduceOp, ScanOp>(op); });
    int64_t bytes = reduces ? kSpareForReductions : kSpareBytes;
    kernel_.walk([&](simt::SharedAllocOp op) { bytes += op.getType().getBytes(); });
    if (bytes <= sharedBytes_)
      return true;
    findResult();
    if (!result_)
      return false;
    simt::SharedType type = result_->buffer.getType();
    int64_t line = type.getShape().back() * simt::elementBytes(type.getElementType());
    for (share_ = 2; line % share_ == 0 && line / share_ >= kLeastLine; share_ *= 2)
      if (bytes - type.getBytes() / share_ * (share_ - 1) <= sharedBytes_)
        return true;
    return false;
  }

  /// Finds the result if there is one copy out, of a buffer that is written as a whole, once, right before.
  void findResult() {
    simt::CopyOutOp copy;
    for (Operation *op : own_)
      if (auto each = dyn_cast<simt::CopyOutOp>(op)) {
        if (copy)
          return;
        copy = each;
      }
    auto buffer = copy ? copy.getSrc().getDefiningOp<simt::SharedAllocOp>() : simt::SharedAllocOp();
    if (!buffer || !llvm::is_contained(buffers_, buffer) || !llvm::hasNItems(buffer->getUsers(), 2))
      return;
    auto fence = dyn_cast_or_null<simt::FenceOp>(copy->getPrevNode());
    auto store = fence ? dyn_cast_or_null<simt::SharedStoreOp>(fence->getPrevNode()) : simt::SharedStoreOp();
    if (store && store.getDst() == copy.getSrc() && !store.getPart())
      result_ = Result{buffer, store, fence, copy};
  }

  /// Stores and copies the result in parts of its columns, one after another, through a buffer of a `share_`-th of its
  /// size: if lines are long enough, in twice as many parts through its two halves, so that one is written while the
  /// other is copied.
  void divideResult() {
    auto [whole, store, fence, copy] = *result_;
    SmallVector<int64_t> shape(whole.getType().getShape());
    Type element = whole.getType().getElementType();
    int64_t bytes = simt::elementBytes(element), halves = shape.back() / share_ / 2 * bytes >= kLeastLine ? 2 : 1;
    int64_t parts = share_ * halves;
    shape.back() /= parts;
    layout_ir::SharedAttr layout =
        operandBuffer(whole.getContext(), shape, unsigned(shape.size()) - 1, bytes, shape.back());
    auto type = simt::SharedType::get(whole.getContext(), shape, element, layout);
    SmallVector<int64_t> staged = {halves};
    llvm::append_range(staged, shape);
    OpBuilder b(whole);
    Location location = copy.getLoc();
    auto number = [&](int64_t value) -> Value {
      return b.create<arith::ConstantOp>(location, b.getI32IntegerAttr(int32_t(value)));
    };
    Value buffer = b.create<simt::SharedAllocOp>(
        whole.getLoc(), halves == 1 ? type : simt::SharedType::get(whole.getContext(), staged, element, layout),
        IntegerAttr());
    b.setInsertionPoint(store);
    for (int64_t part = 0; part < parts; ++part) {
      Value place = halves == 1 ? buffer : b.create<simt::StageOp>(location, type, buffer, number(part % halves));
      auto stored = b.create<simt::SharedStoreOp>(store.getLoc(), place, Value(), store.getValue());
      stored.setPart(uint32_t(part));
      b.create<simt::FenceOp>(store.getLoc(), simt::FenceKind::Async);
      SmallVector<Value> position(copy.getPosition());
      position.back() = b.create<arith::AddIOp>(location, position.back(), number(part * shape.back()));
      b.create<simt::CopyOutOp>(location, place, copy.getDescriptor(), position);
    }
    copy.erase();
    fence.erase();
    store.erase();
    whole.erase();
    collectOwn();
  }

  /// Where the program with this number stands in the grid. Programs are numbered along axis 0 in groups of
  /// kGroupRows, then along axis 1, so that those that run at a time read blocks of few rows and few columns. `plane`:
  /// programs along axes 0 and 1; `all`: in the grid. In a grid along axis 0 alone the place is the number: a branch
  /// marked by `mark` spares it the divisions, which take longer than a stage of the ring.
  static std::array<Value, 3> placeInGrid(OpBuilder &b, Location location, Value program, std::array<Value, 3> grid,
                                          Value plane, Value all, StringRef mark) {
    Value zero = b.create<arith::ConstantOp>(location, b.getI32IntegerAttr(0));
    Value isAlongAxis0 = b.create<arith::CmpIOp>(location, arith::CmpIPredicate::eq, grid[0], all);
    auto branch = b.create<scf::IfOp>(location, TypeRange{b.getI32Type(), b.getI32Type(), b.getI32Type()}, isAlongAxis0,
                                      /*withElse=*/true);
    branch->setAttr(mark, b.getUnitAttr());
    OpBuilder alongAxis0 = branch.getThenBodyBuilder(), inGrid = branch.getElseBodyBuilder();
    alongAxis0.create<scf::YieldOp>(location, ValueRange{program, zero, zero});
    inGrid.create<scf::YieldOp>(location, placeInPlanes(inGrid, location, program, grid, plane));
    return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
  }

  static std::array<Value, 3> placeInPlanes(OpBuilder &b, Location location, Value program, std::array<Value, 3> grid,
                                            Value plane) {
    auto make = [&](auto op, Value left, Value right) -> Value {
      return b.create<decltype(op)>(location, left, right);
    };
    Value rows = b.create<arith::ConstantOp>(location, b.getI32IntegerAttr(kGroupRows));
    Value z = make(arith::DivUIOp(), program, plane), inPlane = make(arith::RemUIOp(), program, plane);
    Value inGroup = make(arith::MulIOp(), rows, grid[1]);
    Value first = make(arith::MulIOp(), make(arith::DivUIOp(), inPlane, inGroup), rows);
    Value height = make(arith::MinUIOp(), make(arith::SubIOp(), grid[0], first), rows);
    Value within = make(arith::RemUIOp(), inPlane, inGroup);
    Value x = make(arith::AddIOp(), first, make(arith::RemUIOp(), within, height));
    return {x, make(arith::DivUIOp(), within, height), z};
  }

  /// Moves scalars that only the ops behind the loop need there: divisions for the place of the result run beside the
  /// last products.
  static void sinkBehind(scf::ForOp loop) {
    Operation *at = loop->getNextNode();
    for (Operation *op = loop->getPrevNode(), *before; op; op = before) {
      before = op->getPrevNode();
      auto isBehind = [&](Operation *user) {
        Operation *there = loop->getBlock()->findAncestorOpInBlock(*user);
        return there != loop && loop->isBeforeInBlock(there);
      };
      bool isScalar = llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
                      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
      if (isScalar && isMemoryEffectFree(op) && llvm::all_of(op->getUsers(), isBehind)) {
        op->moveBefore(at);
        at = op;
      }
    }
  }

  /// Lets the next program's products start while a result is copied out: its copies are waited for before their buffer
  /// is written again, and behind the loop.
  static void waitLater(scf::ForOp programs) {
    auto bufferOf = [](Value view) {
      auto stage = view.getDefiningOp<simt::StageOp>();
      return stage ? stage.getSrc() : view;
    };
    auto copies = llvm::to_vector(programs.getBody()->getOps<simt::CopyOutOp>());
    auto isOther = [&](simt::CopyOutOp copy) { return bufferOf(copy.getSrc()) != bufferOf(copies[0].getSrc()); };
    if (copies.empty() || llvm::any_of(copies, isOther))
      return;
    bool areWritten = false;
    for (auto store : llvm::make_early_inc_range(programs.getBody()->getOps<simt::SharedStoreOp>()))
      if (bufferOf(store.getDst()) == bufferOf(copies[0].getSrc())) {
        // Of two halves, the other one's copy may go on.
        bool isHalf = bool(store.getDst().getDefiningOp<simt::StageOp>());
        OpBuilder(store).create<simt::WaitCopyOutOp>(store.getLoc(), isHalf ? 1 : 0);
        areWritten = true;
      }
    if (!areWritten)
      return;
    for (simt::CopyOutOp copy : copies)
      copy.setLater(true);
    OpBuilder b(programs->getContext());
    b.setInsertionPointAfter(programs);
    b.create<simt::WaitCopyOutOp>(copies[0].getLoc(), 0);
  }

  /// `ops`, which stand one after another, in a loop over the programs of the grid that are this one's. Returns the
  /// loop.
  static scf::ForOp repeat(ArrayRef<Operation *> ops, RingLoop &ring, StringRef mark) {
    OpBuilder b(ops.front());
    Location location = ring.loop.getLoc();
    Type i32 = b.getI32Type();
    auto size = [&](int axis) -> Value { return b.create<NumProgramsOp>(location, axis); };
    std::array<Value, 3> grid = {size(0), size(1), size(2)};
    Value plane = b.create<arith::MulIOp>(location, grid[0], grid[1]);
    Value all = b.create<arith::MulIOp>(location, plane, grid[2]);
    Value first = b.create<simt::ResidentIdOp>(location, i32), step = b.create<simt::ResidentsOp>(location, i32);
    SmallVector<Value> places(ring.places.size(),
                              b.create<arith::ConstantOp>(location, b.getI32IntegerAttr(0)).getResult());
    auto outer = b.create<scf::ForOp>(location, first, all, step, places);
    outer->setAttr(mark, b.getUnitAttr());
    if (!outer.getBody()->empty())
      outer.getBody()->back().erase();
    b.setInsertionPointToStart(outer.getBody());
    std::array<Value, 3> place = placeInGrid(b, location, outer.getInductionVar(), grid, plane, all, mark);
    for (Operation *op : ops)
      op->moveBefore(outer.getBody(), outer.getBody()->end());
    outer.walk([&](ProgramIdOp op) {
      op.replaceAllUsesWith(place[size_t(op.getAxis())]);
      op.erase();
    });
    for (auto [number, argument] : llvm::zip_equal(ring.places, outer.getRegionIterArgs()))
      ring.loop.getInitArgsMutable()[number].assign(argument);
    b.setInsertionPointToEnd(outer.getBody());
    b.create<scf::YieldOp>(location, ring.next);
    return outer;
  }

  func::FuncOp kernel_;
  simt::ProducerOp producer_;
  int64_t sharedBytes_;
  /// How a program stores its result: by threads to a buffer, and from there by a copy.
  struct Result {
    simt::SharedAllocOp buffer;
    simt::SharedStoreOp store;
    simt::FenceOp fence;
    simt::CopyOutOp copy;
  };
  std::optional<Result> result_;           // sought only where its buffer does not fit
  int64_t share_ = 1;                      // the result goes through a buffer of 1 / share_ of its size
  SmallVector<Operation *> own_, copying_; // top-level ops of the kernel's own code and of the producer's
  SmallVector<Operation *> buffers_;       // of own_
};

struct LoopProgramsPass : impl::LoopProgramsBase<LoopProgramsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>()) {
      SmallVector<simt::ProducerOp> producers;
      kernel.walk([&](simt::ProducerOp op) { producers.push_back(op); });
      if (producers.size() == 1 && producers[0]->getBlock() == &kernel.getBody().front())
        Programs(kernel, producers[0], target.features.sharedBytes).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
