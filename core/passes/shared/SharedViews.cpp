// Follows views of shared memory to their buffers; properties of waits, barriers, branches and loops.
#include "core/passes/shared/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::simt {
namespace {

using Roots = llvm::SmallVector<ViewRoot>;

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue()) : std::nullopt;
}

} // namespace

bool arriving(Value value, SmallVectorImpl<Value> &from) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (number == 0)
        return false;
      from.push_back(loop.getInitArgs()[number - 1]);
      from.push_back(loop.getBody()->getTerminator()->getOperand(number - 1));
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner() == loop.getBeforeBody()) {
        from.push_back(loop.getInits()[number]);
        from.push_back(loop.getYieldOp()->getOperand(number));
      } else {
        from.push_back(loop.getConditionOp().getArgs()[number]);
      }
      return true;
    }
    if (isa<WarpGroupsOp, ProducerOp>(parent)) {
      from.push_back(parent->getOperand(number));
      return true;
    }
    return false;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    from.push_back(loop.getInitArgs()[number]);
    from.push_back(loop.getBody()->getTerminator()->getOperand(number));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    from.push_back(loop.getConditionOp().getArgs()[number]);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    from.push_back(branch.thenYield()->getOperand(number));
    from.push_back(branch.elseYield()->getOperand(number));
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    from.push_back(select.getTrueValue());
    from.push_back(select.getFalseValue());
  } else {
    return false;
  }
  return true;
}

namespace {

/// The byte at which a part begins within its tile; nothing if its position is not constant or the layout maps it to
/// several offsets.
std::optional<int64_t> partBegin(PartOp part) {
  SharedType whole = part.getSrc().getType();
  layout_ir::SharedAttr layout = whole.getTileLayout();
  SmallVector<int64_t> wanted;
  for (auto [position, extent] : llvm::zip(part.getPosition(), part.getType().getShape())) {
    std::optional<int64_t> number = constantOf(position);
    if (!number)
      return std::nullopt;
    wanted.push_back(*number * extent);
  }
  // The bits of an offset that select a part: their bases are multiples of a part's extent along some axis. There are
  // as many combinations of these bits as parts; one combination after the other is tried.
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; bit < layout.getBits(); ++bit)
    for (auto [step, extent] : llvm::zip(layout.getBasis(bit), part.getType().getShape()))
      if (step >= extent) {
        bits.push_back(bit);
        break;
      }
  if (bits.size() > 12)
    return std::nullopt;
  for (uint64_t choice = 0; choice < uint64_t(1) << bits.size(); ++choice) {
    SmallVector<int64_t> found(wanted.size(), 0);
    int64_t offset = 0;
    for (auto [i, bit] : llvm::enumerate(bits)) {
      if (!(choice >> i & 1))
        continue;
      offset |= int64_t(1) << bit;
      for (auto [sum, step] : llvm::zip(found, layout.getBasis(bit)))
        sum ^= step;
    }
    if (found == wanted)
      return layout.getPadded(offset) * elementBytes(whole.getElementType());
  }
  return std::nullopt;
}

void trace(Value view, Roots &roots, SmallPtrSetImpl<void *> &seen, bool whole) {
  // For each op on the way from the view back to the buffer that selects a stage or a part: where the selected bytes
  // begin, and how many they are.
  SmallVector<std::pair<int64_t, int64_t>> moves;
  bool exact = true;
  for (;;) {
    if (!seen.insert(view.getAsOpaquePointer()).second)
      return;
    Operation *op = view.getDefiningOp();
    if (auto alloc = dyn_cast_or_null<SharedAllocOp>(op)) {
      ViewRoot root{alloc, 0, alloc.getType().getBytes(), exact && !whole};
      if (!whole)
        for (auto [begin, bytes] : llvm::reverse(moves)) {
          if (begin < 0) // unknown offset within the tile: so is the offset of each view of it
            break;
          root.begin += begin;
          root.end = root.begin + bytes;
        }
      roots.push_back(root);
      return;
    }
    if (auto stage = dyn_cast_or_null<StageOp>(op)) {
      SharedType type = stage.getSrc().getType();
      std::optional<int64_t> index = constantOf(stage.getIndex());
      exact &= index.has_value();
      int64_t bytes = type.getStageElements() * elementBytes(type.getElementType());
      moves.push_back({index ? *index * bytes : -1, bytes});
      view = stage.getSrc();
    } else if (auto part = dyn_cast_or_null<PartOp>(op)) {
      std::optional<int64_t> begin = partBegin(part);
      exact &= begin.has_value();
      moves.push_back({begin.value_or(-1), part.getType().getBytes()});
      view = part.getSrc();
    } else if (auto transposed = dyn_cast_or_null<TransposeOp>(op)) {
      view = transposed.getSrc();
    } else {
      SmallVector<Value> from;
      if (!arriving(view, from)) {
        roots.push_back({});
        return;
      }
      if (from.size() == 1) {
        view = from.front();
        continue;
      }
      for (Value value : from)
        trace(value, roots, seen, /*whole=*/true);
      return;
    }
  }
}

} // namespace

Roots viewRoots(Value view) {
  Roots roots, distinct;
  SmallPtrSet<void *, 8> seen;
  trace(view, roots, seen, /*whole=*/false);
  for (const ViewRoot &root : roots) {
    if (!root.buffer)
      return {ViewRoot()};
    if (llvm::none_of(distinct, [&](const ViewRoot &other) { return other.buffer == root.buffer; }))
      distinct.push_back(root);
  }
  return distinct;
}

std::optional<AccessKind> waitedKind(Operation *op) {
  if (isa<WaitLoadsOp>(op))
    return AccessKind::AsyncLoad;
  if (isa<WaitStoresOp>(op))
    return AccessKind::AsyncStore;
  if (isa<MatmulWaitOp>(op))
    return AccessKind::AsyncMatmul;
  return std::nullopt;
}

bool waitsForAll(Operation *op) {
  if (auto wait = dyn_cast<WaitLoadsOp>(op))
    return wait.getPending() == 0;
  if (auto wait = dyn_cast<WaitStoresOp>(op))
    return wait.getPending() == 0;
  if (auto wait = dyn_cast<MatmulWaitOp>(op))
    return wait.getPending() == 0;
  return false;
}

bool allAgree(Operation *branch) {
  Attribute uniform = branch->getAttr(kUniformAttr);
  if (!uniform)
    return false;
  auto warps = dyn_cast<IntegerAttr>(uniform);
  return !warps || warps.getInt() >= regionWarps(branch);
}

bool isRegionBarrier(Operation *op) {
  auto barrier = dyn_cast<BarrierOp>(op);
  return barrier && (!barrier.getWarps() || *barrier.getWarps() == regionWarps(op));
}

bool isSetBarrier(Operation *op) {
  auto barrier = dyn_cast<BarrierOp>(op);
  return barrier && barrier.getWarps() == uint32_t(kSetWarps);
}

bool surelyRuns(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted)
    return false;
  std::optional<int64_t> from = constantOf(counted.getLowerBound()), to = constantOf(counted.getUpperBound());
  return from && to && *from < *to;
}

SmallVector<Operation *> objectsOf(Value barriers) {
  SmallVector<Operation *> found;
  llvm::SetVector<Value> reached;
  reached.insert(barriers);
  for (size_t i = 0; i < reached.size(); ++i) {
    SmallVector<Value> from;
    if (arriving(reached[i], from))
      reached.insert(from.begin(), from.end());
    else if (Operation *alloc = reached[i].getDefiningOp())
      found.push_back(alloc);
  }
  return found;
}

bool endsTileLoads(Operation *op, Value barriers) {
  SmallVector<Operation *> objects = objectsOf(barriers);
  return op
      ->walk([&](BarrierInvalidateOp end) {
        return objectsOf(end.getBarriers()) == objects ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<Block *> barrierScopes(func::FuncOp kernel) {
  DenseSet<Operation *> arrivedAt; // arrays of barrier objects at which threads arrive without a copy
  kernel.walk([&](BarrierArriveOp arrive) {
    for (Operation *alloc : objectsOf(arrive.getBarriers()))
      arrivedAt.insert(alloc);
  });
  auto ordersItself = [&](Block &block) {
    bool found = false;
    block.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<WarpGroupsOp>(op) && op->getBlock() == &block)
        return WalkResult::skip();
      if (isa<BarrierArriveOp, BarrierWaitOp>(op))
        found |=
            llvm::any_of(objectsOf(op->getOperand(0)), [&](Operation *alloc) { return arrivedAt.contains(alloc); });
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  };
  SmallVector<Block *> scopes;
  Block &body = kernel.getBody().front();
  if (!body.getOps<ProducerOp>().empty() || !ordersItself(body))
    scopes.push_back(&body);
  for (auto groups : body.getOps<WarpGroupsOp>())
    for (Region &group : groups.getGroups())
      if (!ordersItself(group.front()))
        scopes.push_back(&group.front());
  return scopes;
}

} // namespace tegula::simt
