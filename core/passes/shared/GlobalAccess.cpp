#include "core/passes/shared/GlobalAccess.h"

#include "core/ir/tile/ConditionsAttr.h"
#include "core/passes/shared/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {
namespace {

void trace(Value pointer, PointerRoots &roots, SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(pointer.getAsOpaquePointer()).second)
    return;
  SmallVector<Value> from;
  if (arriving(pointer, from)) {
    for (Value value : from)
      trace(value, roots, seen);
    return;
  }
  Operation *op = pointer.getDefiningOp();
  if (isa_and_nonnull<tile::AddPtrOp, tile::PtrCastOp, tile::DescBaseOp, tile::HintOp, tile::SplatOp,
                      tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp, tile::TransOp, simt::ConvertLayoutOp>(op))
    return trace(op->getOperand(0), roots, seen);
  auto argument = dyn_cast<BlockArgument>(pointer);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    roots.anywhere = true;
  else if (!llvm::is_contained(roots.arguments, pointer))
    roots.arguments.push_back(pointer);
}

bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// Whether a value is the same in all iterations of all loops that contain both ops.
bool isFixed(Value value, Operation *a, Operation *b) {
  Operation *within = value.getParentBlock()->getParentOp();
  for (Operation *loop = a->getParentOp(); loop; loop = loop->getParentOp())
    if (isLoop(loop) && loop->isAncestor(b) && loop->isAncestor(within))
      return false;
  return true;
}

bool isFragment(const GlobalAccess &access) { return isa<FragmentLoadOp, FragmentStoreOp>(access.op); }

/// Whether each thread touches the same set of elements in both accesses, relative to their bases.
bool sameOffsets(const GlobalAccess &a, const GlobalAccess &b) {
  return a.part && b.part ? a.part == b.part : a.offset == b.offset && a.width == b.width;
}

/// When two threads may touch one element, by rule 2 (GlobalAccess.h).
Conflict conflictOfElements(const GlobalAccess &a, const GlobalAccess &b) {
  if (isFragment(a) || isFragment(b)) // opaque fragments: the lane that holds an element is not known
    return Conflict::Always;
  if (a.base != b.base || !sameOffsets(a, b))
    return Conflict::Always;
  for (const GlobalAccess *access : {&a, &b})
    if (access->atomic || (!access->writes && !access->sole))
      return Conflict::Always;
  if (isFixed(a.base, a.op, b.op) && isFixed(a.offset, a.op, b.op))
    return Conflict::Never;
  // Whether the offsets of two parts change together is not followed.
  return a.offset == b.offset ? Conflict::AcrossIterations : Conflict::Always;
}

/// The only thread for which the mask can be true; nothing if there may be several.
std::optional<int64_t> onlyThread(Value mask, ThreadValues &values) {
  if (!mask)
    return std::nullopt;
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    std::optional<int64_t> thread = onlyThread(both.getLhs(), values);
    return thread ? thread : onlyThread(both.getRhs(), values);
  }
  const std::vector<int64_t> *flags = values.of(mask);
  if (!flags)
    return std::nullopt;
  int64_t lanes = elementsOf(mask.getType());
  std::optional<int64_t> only;
  for (auto [i, flag] : llvm::enumerate(*flags)) {
    int64_t thread = int64_t(i) / lanes;
    if (!flag || only == thread)
      continue;
    if (only)
      return std::nullopt;
    only = thread;
  }
  return only;
}

/// Whether no barrier is possible between the two ops: they are in a divergent branch or loop, or in different regions
/// of `simt.warp_groups`, which run concurrently.
bool isHopeless(Operation *a, Operation *b) {
  for (Operation *parent = a->getParentOp(); parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp()) {
    if (!parent->isAncestor(b))
      continue;
    if (isa<scf::IfOp>(parent) || isLoop(parent)) {
      if (!allAgree(parent))
        return true;
    } else if (auto groups = dyn_cast<WarpGroupsOp>(parent)) {
      for (Region &group : groups.getGroups())
        if (group.isAncestor(a->getParentRegion()) != group.isAncestor(b->getParentRegion()))
          return true;
    }
  }
  return false;
}

} // namespace

PointerRoots rootsOf(Value pointers) {
  PointerRoots roots;
  SmallPtrSet<void *, 8> seen;
  trace(pointers, roots, seen);
  return roots;
}

bool mayMeet(const PointerRoots &a, const PointerRoots &b) {
  return a.anywhere || b.anywhere ||
         llvm::any_of(a.arguments, [&](Value root) { return llvm::is_contained(b.arguments, root); });
}

std::optional<GlobalAccess> globalAccessOf(Operation *op) {
  GlobalAccess access;
  access.op = op;
  Value value;
  if (auto load = dyn_cast<LoadOp>(op)) {
    access.base = load.getBase();
    access.offset = load.getOffset();
    access.mask = load.getMask();
    access.sole = op->hasAttr(kSoleAttr);
    value = load.getResult();
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    access.base = store.getBase();
    access.offset = store.getOffset();
    access.mask = store.getMask();
    access.writes = true;
    value = store.getValue();
  } else if (auto load = dyn_cast<AsyncLoadOp>(op)) {
    access.base = load.getBase();
    access.offset = load.getFrom();
    access.mask = load.getMask();
    access.width = load.getWidth();
  } else if (auto rmw = dyn_cast<AtomicRmwOp>(op)) {
    access.base = rmw.getBase();
    access.offset = rmw.getOffset();
    access.mask = rmw.getMask();
    access.writes = access.atomic = true;
    value = rmw.getValue();
  } else if (auto cas = dyn_cast<AtomicCasOp>(op)) {
    access.base = cas.getBase();
    access.offset = cas.getOffset();
    access.writes = access.atomic = true;
    value = cas.getValue();
  } else if (auto load = dyn_cast<FragmentLoadOp>(op); load && isa<tile::PtrType>(load.getSrc().getType())) {
    access.base = load.getSrc();
    access.offset = load.getOffset();
  } else if (auto store = dyn_cast<FragmentStoreOp>(op); store && isa<tile::PtrType>(store.getDst().getType())) {
    access.base = store.getDst();
    access.offset = store.getOffset();
    access.writes = true;
  } else {
    return std::nullopt;
  }
  if (value)
    access.width = elementsOf(value.getType()) / elementsOf(access.offset.getType());
  if (auto part = op->getAttrOfType<IntegerAttr>(kPartAttr))
    access.part = part.getInt();
  access.roots = rootsOf(access.base);
  return access;
}

/// Whether each thread touches the same elements in both accesses, relative to their bases, and no other thread touches
/// copies of them.
static bool sameElementsOfBases(const GlobalAccess &a, const GlobalAccess &b) {
  auto isAlone = [](const GlobalAccess &access) { return !access.atomic && (access.writes || access.sole); };
  return !isFragment(a) && !isFragment(b) && sameOffsets(a, b) && isAlone(a) && isAlone(b);
}

/// Whether all threads have the same offsets: the access is to a scalar, not to a tile.
static bool isOfScalar(const GlobalAccess &access, ThreadValues &values) {
  if (isFragment(access))
    return false;
  const std::vector<int64_t> *offsets = values.of(access.offset);
  return offsets && llvm::all_equal(*offsets);
}

/// Whether the launch checks that no argument of `a` and no argument of `b` overlap (tile.apart).
static bool areApart(const GlobalAccess &a, const GlobalAccess &b) {
  auto kernel = a.op->getParentOfType<func::FuncOp>();
  Attribute attribute = kernel ? kernel->getAttr(tile::kApartAttr) : Attribute();
  std::optional<SmallVector<tile::ArgumentPair>> pairs = tile::apartArguments(attribute);
  if (!attribute || !pairs)
    return false;
  return llvm::all_of(a.roots.arguments, [&](Value one) {
    return llvm::all_of(b.roots.arguments, [&](Value other) {
      std::optional<tile::ArgumentPair> pair = tile::argumentPair(one, other);
      return pair && llvm::is_contained(*pairs, *pair);
    });
  });
}

/// Whether two threads may touch one element, by rule 1 (GlobalAccess.h).
static bool mayShareArray(const GlobalAccess &a, const GlobalAccess &b, ThreadValues &values) {
  if (mayMeet(a.roots, b.roots))
    return true;
  return a.base.getType() == b.base.getType() && !sameElementsOfBases(a, b) &&
         isOfScalar(a, values) == isOfScalar(b, values) && !areApart(a, b);
}

Conflict conflictBetween(const GlobalAccess &a, const GlobalAccess &b, ThreadValues &values) {
  if (a.op == b.op || (!a.writes && !b.writes) || (a.atomic && b.atomic) || values.threads() == 1)
    return Conflict::Never;
  if (!mayShareArray(a, b, values) || isHopeless(a.op, b.op))
    return Conflict::Never;
  std::optional<int64_t> thread = onlyThread(a.mask, values);
  if (thread && thread == onlyThread(b.mask, values))
    return Conflict::Never;
  return conflictOfElements(a, b);
}

bool changesWith(Operation *loop, const GlobalAccess &access) {
  auto isWithin = [&](Value value) { return loop->isAncestor(value.getParentBlock()->getParentOp()); };
  return isWithin(access.base) || isWithin(access.offset);
}

} // namespace tegula::simt
