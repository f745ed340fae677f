// tile-persistent-loop (LoopPasses.td): makes a kernel with a producer persistent: a launched program executes several
// programs of the grid.
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/Passes.h"
#include "core/passes/RingPlace.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/ProducerRules.h"
#include "core/passes/programs/MisalignedRows.h"
#include "core/passes/programs/TileScheduler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PERSISTENTLOOP
#include "core/passes/Passes.h.inc"

namespace {

// Bytes of shared memory for barrier objects, and for exchanges between threads: up to 8 bytes a thread in reductions,
// and the parts of results.
constexpr int64_t kSpareBytes = 2 << 10, kSpareForReductions = 10 << 10;
// the shortest line, in bytes, of a part of a result: the unit in which hardware copies
constexpr int64_t kLeastLine = 128;

// So many stages of a ring hide the latency of memory.
constexpr int64_t kEnoughStages = 4;

/// Whether one launched program may execute `op` for several programs of the grid, one after another. Allowed are pure
/// ops and accesses to memory without ordering; excluded are ops by which a program could wait for another, or reveal
/// the order of programs. Also excluded are copies to rings that no producer starts: such a ring begins anew with each
/// program.
bool servesSeveral(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getIsVolatile();
  if (auto copy = dyn_cast<simt::CopyTileOp>(op))
    return simt::issuerOf(copy) == simt::Issuer::Producer;
  return isa<StoreOp, DescLoadOp, simt::SharedAllocOp, simt::SharedStoreOp, simt::SharedLoadOp, simt::FenceOp,
             simt::ProductOp, simt::WaitProductsOp, simt::WaitTilesOp, simt::CopyOutOp, scf::ForOp, scf::IfOp,
             scf::YieldOp>(op) ||
         isMemoryEffectFree(op);
}

bool anyInside(Operation *op, llvm::function_ref<bool(Operation *)> predicate) {
  return op->walk([&](Operation *inner) { return predicate(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// The copies in the block that a producer starts.
SmallVector<simt::CopyTileOp> producersCopies(Block &block) {
  SmallVector<simt::CopyTileOp> copies(block.getOps<simt::CopyTileOp>());
  llvm::erase_if(copies, [](simt::CopyTileOp copy) { return simt::issuerOf(copy) != simt::Issuer::Producer; });
  return copies;
}

/// Makes one kernel persistent.
class Programs {
public:
  /// `loop`: the loop with the producer, in the kernel's body.
  Programs(func::FuncOp kernel, scf::ForOp loop, ThreadShape threads, const TargetFeatures &features)
      : kernel_(kernel), loop_(loop), threads_(threads), budget_(features) {
    for (simt::CopyTileOp copy : producersCopies(*loop->getBlock()))
      if (copy->isBeforeInBlock(loop))
        once_.push_back(copy);
  }

  void run() {
    for (auto start : kernel_.getBody().front().getOps<simt::StartBarriersOp>())
      start_ = start;
    if (!start_)
      return;
    collectOwn();
    if (!isAllowed() || !chooseOrder() || (!inPairs_ && fitsTwice()) || !fits())
      return;
    if (!inPairs_)
      addStages();
    if (share_ > 1)
      divideResult();
    for (Operation *op : llvm::reverse(buffers_)) // one buffer for all programs: it is alive during the whole loop
      op->moveBefore(&start_->getBlock()->front());
    llvm::erase_if(own_, [](Operation *op) { return isa<simt::SharedAllocOp>(op); });
    kernel_->setAttr(simt::kResidentAttr, UnitAttr::get(kernel_.getContext()));
    if (inPairs_)
      kernel_->setAttr(simt::kPairsAttr, UnitAttr::get(kernel_.getContext()));
    scf::ForOp programs = repeat();
    if (onceStages_ > 1)
      makeRings(programs);
    sinkAfterLoop(loop_);
    waitLater(programs);
  }

private:
  bool isAllowed() {
    // The code up to the start of the barrier objects runs once, so it must not depend on the program.
    bool isOnce = llvm::none_of(*start_->getBlock(), [&](Operation &op) {
      return op.isBeforeInBlock(start_) && anyInside(&op, [](Operation *inner) { return isa<ProgramIdOp>(inner); });
    });
    return isOnce && start_->isBeforeInBlock(loop_) && llvm::none_of(own_, [](Operation *op) {
             return anyInside(op, [](Operation *inner) {
               return !servesSeveral(inner) || simt::issuerOf(inner) == simt::Issuer::Turns;
             });
           });
  }

  /// Collects the ops that are executed for each program: those behind the start of the barrier objects. The objects
  /// end once.
  void collectOwn() {
    own_.clear();
    buffers_.clear();
    for (Operation *op = start_->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
      if (!isa<simt::EndBarriersOp>(op))
        own_.push_back(op);
      if (isa<simt::SharedAllocOp>(op))
        buffers_.push_back(op);
    }
  }

  /// Chooses whether launched programs execute pairs, and along which axis pairs are numbered. They do if programs have
  /// different iteration counts, so that the device balances the load. False (not persistent) if the counts differ in
  /// no known order. Also false if the counts are equal and blocks are copied before the loop or products are delayed:
  /// whether such kernels become faster was not measured.
  bool chooseOrder() {
    if (hasAlikeCounts(loop_))
      return once_.empty() && llvm::none_of(loop_.getBody()->getOps<simt::WaitProductsOp>(), [](auto wait) {
               Operation *product = wait.getProduct().getDefiningOp();
               return product && simt::scheduleOf(product);
             });
    auto axis = kernel_->getAttrOfType<IntegerAttr>(kLongestFirstAttr);
    inPairs_ = true;
    along_ = axis ? unsigned(axis.getInt()) : 0;
    return bool(axis);
  }

  /// The occupancy that registers allow: how many programs can run on a multiprocessor at a time.
  /// simt-specialize-warps, a later pass, decides the occupancy by the same rule.
  int64_t programsByRegisters() {
    int64_t ofLoop = registerBytesOf(loop_, threads_.count()) / 4, ofResult = 0;
    kernel_.walk([&](simt::ProductOp product) {
      ofResult = std::max(ofResult, bytesOfWhole(product.getType()) / threads_.count() / 4);
    });
    const auto *found = llvm::find_if(simt::kOccupancies, [&](const simt::Occupancy &each) {
      return each.isEnough(
          budget_.ofProducer(threads_.warps, kProducerWarps, kProducerRegisters, threads_.warpSize, each.programs),
          ofLoop, ofResult);
    });
    return found == std::end(simt::kOccupancies) ? 1 : found->programs;
  }

  /// Whether the kernel has one set of warps, and two of its programs fit a multiprocessor if it is not persistent.
  /// With one set of warps, a resident program's matrix unit is idle during the epilogue, and while registers are
  /// computed between two products; the products of a second program run then. False if copies may be shared in
  /// clusters, which only persistent kernels do (tile-multicast-copies).
  bool fitsTwice() {
    bool sharesCopies = llvm::any_of(producersCopies(*loop_.getBody()), areRowsMisaligned);
    if (threads_.warps > simt::kSetWarps || sharesCopies || programsByRegisters() < 2)
      return false;
    int64_t bytes = spareBytes(), ofResults = 0; // of results, which share storage with the rings
    kernel_.walk([&](simt::SharedAllocOp op) {
      bool isResult = llvm::any_of(op->getUsers(), llvm::IsaPred<simt::CopyOutOp>);
      (isResult ? ofResults : bytes) += op.getType().getBytes();
    });
    return budget_.programsByShared(std::max(bytes, ofResults)) >= 2;
  }

  /// Bytes of shared memory for the kernel's largest exchange between threads, reductions aside: those of its whole
  /// tensor, at most 32 KiB. With less room an exchange is divided into steps, each with its barriers.
  int64_t exchangedBytes() {
    constexpr int64_t kMostBytes = 32 << 10;
    int64_t most = 0;
    kernel_.walk([&](Operation *op) {
      if (isa<simt::ConvertLayoutOp, GatherOp, SortOp, HistogramOp>(op))
        most = std::max(most, std::min(kMostBytes, bytesOfWhole(op->getResult(0).getType())));
    });
    return most;
  }

  /// Adds stages to the rings of the loop, as many as fit beside the kernel's exchanges. The kernel asks for its number
  /// of stages with several programs on a multiprocessor in mind; a resident program has the shared memory of the
  /// multiprocessor to itself. If that leaves few stages, a result that is stored in two parts makes room for another.
  void addStages() {
    if (anyInside(loop_, [](Operation *op) { return isa<LoadOp>(op); }))
      return; // what threads load stays in the first-level cache, which has the memory that rings leave
    SmallVector<simt::CopyTileOp> copies = producersCopies(*loop_.getBody());
    llvm::SmallSetVector<Value, 4> rings, objects;
    for (simt::CopyTileOp copy : copies) {
      auto stage = copy.getDst().getDefiningOp<simt::StageOp>();
      if (!stage || !stage.getSrc().getDefiningOp<simt::SharedAllocOp>())
        return;
      rings.insert(stage.getSrc());
      objects.insert(copy.getBarriers());
    }
    auto typeOf = [](Value ring) { return cast<simt::SharedType>(ring.getType()); };
    int64_t stages = typeOf(rings.front()).getShape().front(), ofStage = 0;
    int64_t left = budget_.shared() - spareBytes() - exchangedBytes();
    kernel_.walk([&](simt::SharedAllocOp op) { left -= op.getType().getBytes(); });
    if (share_ > 1)
      left += result_->buffer.getType().getBytes() / share_ * (share_ - 1);
    for (Value ring : rings) {
      if (typeOf(ring).getShape().front() != stages)
        return;
      ofStage += typeOf(ring).getBytes() / stages;
    }
    if (left > 0 && share_ == 1 && stages + left / ofStage < kEnoughStages) {
      findResult();
      int64_t half = result_ ? result_->buffer.getType().getBytes() / 2 : 0;
      if (half != 0 && left % ofStage + half >= ofStage && mayShare(2)) {
        share_ = 2;
        left += half;
      }
    }
    int64_t wanted = std::min(kMostStages, stages + left / ofStage);
    if (wanted <= stages)
      return;
    for (Value ring : rings) {
      SmallVector<int64_t> shape(typeOf(ring).getShape());
      shape.front() = wanted;
      ring.setType(
          simt::SharedType::get(kernel_.getContext(), shape, typeOf(ring).getElementType(), typeOf(ring).getLayout()));
    }
    for (Value each : objects)
      each.setType(simt::BarriersType::get(kernel_.getContext(), wanted));
    for (simt::CopyTileOp copy : copies) {
      auto schedule = simt::scheduleOf(copy);
      simt::setSchedule(copy, wanted - 1, schedule.getPlace(), schedule.getIssuer());
    }
  }

  int64_t spareBytes() {
    bool reduces = anyInside(kernel_, [](Operation *op) { return isa<ReduceOp, ScanOp>(op); });
    return reduces ? kSpareForReductions : kSpareBytes;
  }

  /// Whether all buffers fit shared memory without sharing storage. The buffer of the result cannot share storage with
  /// the rings, because the next program's copies fill the rings while the result is stored. If it does not fit as a
  /// whole, the result may pass through a smaller buffer in parts of its columns. In pairs, the occupancy must stay
  /// what it was before.
  bool fits() {
    int64_t spare = spareBytes(), bytes = spare, ofResults = 0;
    kernel_.walk([&](simt::SharedAllocOp op) { bytes += op.getType().getBytes(); });
    for (Operation *op : buffers_)
      if (llvm::any_of(op->getUsers(), llvm::IsaPred<simt::CopyOutOp>))
        ofResults += cast<simt::SharedAllocOp>(op).getType().getBytes();
    int64_t most = inPairs_ ? programsByRegisters() : 1;
    auto programs = [&](int64_t each) { return std::min(budget_.programsByShared(each), most); };
    auto fitsWith = [&](int64_t all) { // both with and without the spare bytes for exchanges
      int64_t before = bytes - ofResults;
      return all <= budget_.shared() &&
             (most == 1 || (programs(all) == programs(before) && programs(all - spare) == programs(before - spare)));
    };
    int64_t ofOnce = 0;
    for (simt::CopyTileOp copy : once_)
      ofOnce += copy.getDst().getType().getBytes();
    // The views of two stages stand in the loop over programs, so what reads them must, too.
    bool areReadBehind = llvm::all_of(once_, [&](simt::CopyTileOp copy) {
      return llvm::none_of(copy.getDst().getUsers(), [&](Operation *user) {
        return start_->getBlock()->findAncestorOpInBlock(*user)->isBeforeInBlock(start_);
      });
    });
    if (!once_.empty() && areReadBehind && fitsWith(bytes + ofOnce))
      onceStages_ = 2;
    if (fitsWith(bytes))
      return true;
    if (most > 1)
      return false;
    findResult();
    if (!result_)
      return false;
    int64_t ofResult = result_->buffer.getType().getBytes();
    for (share_ = 2; mayShare(share_); share_ *= 2)
      if (bytes - ofResult / share_ * (share_ - 1) <= budget_.shared())
        return true;
    return false;
  }

  /// Whether the lines of the result are long enough to be stored in so many parts.
  bool mayShare(int64_t share) {
    simt::SharedType type = result_->buffer.getType();
    int64_t line = type.getShape().back() * simt::elementBytes(type.getElementType());
    return line % share == 0 && line / share >= kLeastLine;
  }

  /// Finds the result: the only copy out, of a buffer that is written as a whole, once, right before.
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

  /// Stores and copies the result in parts of its columns, one after another, through a buffer of 1 / `share_` of its
  /// size. If lines are long enough, there are twice as many parts, which alternate between the buffer's two halves:
  /// one half is written while the other is copied.
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
      return arith::ConstantOp::create(b, location, b.getI32IntegerAttr(int32_t(value)));
    };
    Value buffer = simt::SharedAllocOp::create(
        b, whole.getLoc(), halves == 1 ? type : simt::SharedType::get(whole.getContext(), staged, element, layout),
        IntegerAttr());
    b.setInsertionPoint(store);
    for (int64_t part = 0; part < parts; ++part) {
      Value place = halves == 1 ? buffer : simt::StageOp::create(b, location, type, buffer, number(part % halves));
      auto stored = simt::SharedStoreOp::create(b, store.getLoc(), place, Value(), store.getValue());
      stored.setPart(uint32_t(part));
      simt::FenceOp::create(b, store.getLoc(), simt::FenceKind::Async);
      SmallVector<Value> position(copy.getPosition());
      position.back() = arith::AddIOp::create(b, location, position.back(), number(part * shape.back()));
      simt::CopyOutOp::create(b, location, place, copy.getDescriptor(), position);
    }
    copy.erase();
    fence.erase();
    store.erase();
    whole.erase();
    collectOwn();
  }

  /// Moves scalars that only ops after the loop need to after the loop: divisions for the position of the result then
  /// run while the last products run.
  static void sinkAfterLoop(scf::ForOp loop) {
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

  /// Delays the waits for copies out, so that the next program's products start while the result is copied: a wait
  /// remains before the buffer is written again, and after the loop.
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
        // If the store writes one of a buffer's two halves, the wait before it may leave the copy from the other half
        // in flight.
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
    simt::WaitCopyOutOp::create(b, copies[0].getLoc(), 0);
  }

  /// Makes a loop around the program's ops, over the programs of the grid that this launched program executes.
  scf::ForOp repeat() {
    OpBuilder b(own_.front());
    Location location = loop_.getLoc();
    Type i32 = b.getI32Type();
    auto size = [&](int axis) -> Value { return NumProgramsOp::create(b, location, axis); };
    std::array<Value, 3> grid = {size(0), size(1), size(2)};
    Value plane = arith::MulIOp::create(b, location, grid[0], grid[1]);
    Value all = arith::MulIOp::create(b, location, plane, grid[2]);
    Value first = simt::ResidentIdOp::create(b, location, i32), step = simt::ResidentsOp::create(b, location, i32);
    Value end = all, one = simt::placeNumber(b, location, 1);
    if (inPairs_) { // fewer programs are launched than the grid has
      Value arePairs = arith::CmpIOp::create(b, location, arith::CmpIPredicate::ult, step, all);
      Value each = arith::SelectOp::create(b, location, arePairs, simt::placeNumber(b, location, 2), one);
      first = arith::MulIOp::create(b, location, first, each);
      end = arith::MinUIOp::create(b, location, all, arith::AddIOp::create(b, location, first, each));
      step = one;
    }
    auto programs = scf::ForOp::create(b, location, first, end, step);
    programs->setAttr(simt::kProgramsAttr, b.getUnitAttr());
    programs->setAttr(simt::kUniformAttr, b.getUnitAttr());
    Operation *last = programs.getBody()->getTerminator();
    b.setInsertionPoint(last);
    Value program = programs.getInductionVar();
    std::array<Value, 3> place = inPairs_ ? placeInLines(b, location, program, grid, along_)
                                          : placeInGrid(b, location, program, grid, plane, all);
    for (Operation *op : own_)
      op->moveBefore(last);
    programs.walk([&](ProgramIdOp op) {
      op.replaceAllUsesWith(place[size_t(op.getAxis())]);
      op.erase();
    });
    return programs;
  }

  /// Makes two stages of the buffers of blocks that are copied before the loop, and of their barrier objects: the next
  /// program's blocks are then copied while this program still reads its own. As in any unexpanded loop, the copies and
  /// their readers name stage 0.
  void makeRings(scf::ForOp programs) {
    MLIRContext *context = kernel_.getContext();
    OpBuilder first = OpBuilder::atBlockBegin(programs.getBody());
    Value zero = simt::placeNumber(first, loop_.getLoc(), 0);
    for (simt::CopyTileOp copy : once_) {
      Value buffer = copy.getDst();
      simt::SharedType one = copy.getDst().getType();
      SmallVector<int64_t> shape = {onceStages_};
      llvm::append_range(shape, one.getShape());
      buffer.setType(simt::SharedType::get(context, shape, one.getElementType(), one.getLayout()));
      auto view = simt::StageOp::create(first, copy.getLoc(), one, buffer, zero);
      buffer.replaceAllUsesExcept(view.getResult(), view);
    }
    once_.front().getBarriers().setType(simt::BarriersType::get(context, onceStages_));
  }

  func::FuncOp kernel_;
  scf::ForOp loop_;             // of the producer's copies
  simt::StartBarriersOp start_; // the last one
  ThreadShape threads_;
  simt::Budget budget_;
  /// The ops by which a program stores its result: threads write a buffer, and a copy stores it.
  struct Result {
    simt::SharedAllocOp buffer;
    simt::SharedStoreOp store;
    simt::FenceOp fence;
    simt::CopyOutOp copy;
  };
  SmallVector<simt::CopyTileOp> once_; // of blocks that are copied before the loop
  int64_t onceStages_ = 1;             // of their buffers
  bool inPairs_ = false;               // a launched program executes two consecutive programs, or one
  unsigned along_ = 0;                 // for pairs: the axis along which iteration counts decrease
  std::optional<Result> result_;       // only if it may be stored in parts
  int64_t share_ = 1;                  // the result goes through a buffer of 1 / share_ of its size
  SmallVector<Operation *> own_;       // top-level ops that are executed for each program
  SmallVector<Operation *> buffers_;   // the buffers among them
};

struct PersistentLoopPass : impl::PersistentLoopBase<PersistentLoopPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    ThreadShape threads = threadsOf(getOperation());
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      for (auto loop : llvm::to_vector(kernel.getBody().front().getOps<scf::ForOp>()))
        if (!kernel->hasAttr(simt::kResidentAttr) && !producersCopies(*loop.getBody()).empty())
          Programs(kernel, loop, threads, target.features).run();
  }
};

} // namespace
} // namespace tegula::tile
