#include "core/passes/shared/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {
namespace {

/// The most granules that all comparisons of a kernel together may visit; visiting them takes a few milliseconds.
constexpr int64_t kMaxEffort = int64_t(1) << 22;

constexpr int32_t kNobody = -1, kSeveral = -2;

struct Touch {
  Value view;
  bool reads, writes;
  AccessKind kind;
};

/// The accesses that the op itself makes through views among its operands; none for ops that only derive a view.
SmallVector<Touch, 2> touches(Operation *op) {
  if (auto copy = dyn_cast<AsyncCopy>(op)) {
    bool writes = copy.writesShared();
    AccessKind kind = !writes                        ? AccessKind::AsyncStore
                      : copy.getCompletionBarriers() ? AccessKind::TileLoad
                                                     : AccessKind::AsyncLoad;
    return {{copy.getSharedSide(), !writes, writes, kind}};
  }
  SmallVector<Touch, 2> result;
  if (isa<StageOp, PartOp, TransposeOp, WarpGroupsOp, ProducerOp, scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp,
          scf::ConditionOp, arith::SelectOp>(op))
    return result;
  bool async = isa<AsyncMatmul>(op);
  bool onlyReads = async || isa<SharedLoadOp, LoadMatrixOp, FragmentLoadOp>(op);
  bool onlyWrites = isa<SharedStoreOp, StoreMatrixOp, FragmentStoreOp>(op);
  for (Value operand : op->getOperands())
    if (isa<SharedType>(operand.getType()))
      result.push_back({operand, !onlyWrites, !onlyReads, async ? AccessKind::AsyncMatmul : AccessKind::Ordinary});
  return result;
}

} // namespace

/// For each granule of the buffer from `begin` on: the number of the thread (or of the set of kSetWarps warps) that
/// touches it, or kNobody or kSeveral.
struct SharedAccesses::Owners {
  bool known = false;
  int64_t begin = 0; // in granules
  std::vector<int32_t> thread;
};

SharedAccesses::SharedAccesses(func::FuncOp kernel, bool withGlobal) : values_(kernel), withGlobal_(withGlobal) {
  kernel.walk(
      [&](SharedAllocOp buffer) { granule_ = std::min(granule_, elementBytes(buffer.getType().getElementType())); });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { collect(op); });
  owners_.resize(accesses_.size());
  owningSets_.resize(accesses_.size());
}

void SharedAccesses::findConflicts() {
  conflicts_.assign(accesses_.size(), llvm::BitVector(unsigned(accesses_.size())));
  acrossIterations_ = inSets_ = conflicts_;
  for (unsigned a = 0; a < accesses_.size(); ++a)
    for (unsigned b = 0; b <= a; ++b) {
      const SharedAccess &one = accesses_[a], &other = accesses_[b];
      Conflict conflict = Conflict::Never;
      if (one.global && other.global)
        conflict = conflictBetween(*one.global, *other.global, values_);
      else if (!one.global && !other.global && (one.writes || other.writes) && overlap(one, other) &&
               differentThreads(a, b))
        conflict = Conflict::Always;
      if (conflict == Conflict::Never)
        continue;
      conflicts_[a].set(b);
      conflicts_[b].set(a);
      if (conflict == Conflict::AcrossIterations) {
        acrossIterations_[a].set(b);
        acrossIterations_[b].set(a);
      }
      if (!one.global && onlyInSets(a, b)) {
        inSets_[a].set(b);
        inSets_[b].set(a);
      }
    }
}

SharedAccesses::~SharedAccesses() = default;

void SharedAccesses::collect(Operation *op) {
  unsigned first = unsigned(accesses_.size());
  for (const Touch &touch : touches(op))
    for (const ViewRoot &root : viewRoots(touch.view))
      accesses_.push_back({op, root.buffer, root.begin, root.end, root.exact, touch.writes, touch.kind});
  if (std::optional<GlobalAccess> global = withGlobal_ ? globalAccessOf(op) : std::nullopt) {
    SharedAccess &access = accesses_.emplace_back();
    access.op = op;
    access.writes = global->writes;
    access.kind = isa<AsyncLoadOp>(op) ? AccessKind::AsyncLoad : AccessKind::Ordinary;
    access.global = std::move(global);
  }
  if (accesses_.size() != first)
    ofOp_[op] = {first, unsigned(accesses_.size())};
}

std::pair<unsigned, unsigned> SharedAccesses::of(Operation *op) const { return ofOp_.lookup(op); }

bool SharedAccesses::overlap(const SharedAccess &a, const SharedAccess &b) const {
  if (!a.buffer || !b.buffer)
    return true;
  if (a.buffer == b.buffer)
    return a.begin < b.end && b.begin < a.end;
  SharedAllocOp left = a.buffer, right = b.buffer;
  if (!left.getOffset() || !right.getOffset())
    return false;
  int64_t at = *left.getOffset(), other = *right.getOffset();
  return at + a.begin < other + b.end && other + b.begin < at + a.end;
}

const SharedAccesses::Owners *SharedAccesses::owners(unsigned a) {
  if (!owners_[a]) {
    owners_[a] = std::make_unique<Owners>();
    Owners &made = *owners_[a];
    made.known = accesses_[a].buffer && accesses_[a].exact && findOwners(accesses_[a], made);
    // Granules before the first touched one and after the last touched one need no comparison.
    while (!made.thread.empty() && made.thread.back() == kNobody)
      made.thread.pop_back();
    auto first = llvm::find_if(made.thread, [](int32_t owner) { return owner != kNobody; });
    made.begin += first - made.thread.begin();
    made.thread.erase(made.thread.begin(), first);
    made.thread.shrink_to_fit();
  }
  return owners_[a]->known ? owners_[a].get() : nullptr;
}

bool SharedAccesses::findOwners(const SharedAccess &access, Owners &made) {
  SharedAllocOp buffer = access.buffer;
  int64_t element = elementBytes(buffer.getType().getElementType());
  made.begin = access.begin / granule_;
  made.thread.assign(size_t((access.end - access.begin + granule_ - 1) / granule_), kNobody);
  // Records that a thread touches `width` elements from offset `place` on. An access out of bounds makes the result
  // unknown; it is not reported here.
  auto own = [&](int64_t place, int64_t width, int32_t thread) {
    int64_t from = place * element / granule_, to = (place + width) * element / granule_;
    if (place < 0 || to > int64_t(made.thread.size()))
      return false;
    for (int64_t at = from; at < to; ++at) {
      int32_t &owner = made.thread[size_t(at)];
      owner = owner == kNobody || owner == thread ? thread : kSeveral;
    }
    return true;
  };
  auto ofThreads = [&](Value offset, Value value) {
    const std::vector<int64_t> *offsets = values_.of(offset);
    if (!offsets)
      return false;
    int64_t lanes = elementsOf(offset.getType()), width = elementsOf(value.getType()) / lanes;
    for (auto [i, place] : llvm::enumerate(*offsets))
      if (!own(place, width, int32_t(int64_t(i) / lanes)))
        return false;
    return true;
  };
  // A fragment is opaque: any lane of the warp may touch each of its elements.
  auto ofWarps = [&](FragmentType fragment, FragmentOrder order, Value offset, Value stride) {
    const std::vector<int64_t> *known = values_.of(offset);
    if (!known)
      return false;
    std::vector<int64_t> offsets = *known; // a copy: the next call of `of` may invalidate the pointer
    const std::vector<int64_t> *strides = values_.of(stride);
    if (!strides)
      return false;
    bool isByRows = order == FragmentOrder::RowMajor;
    int64_t lines = isByRows ? fragment.getRows() : fragment.getColumns();
    int64_t width = isByRows ? fragment.getColumns() : fragment.getRows();
    for (size_t first = 0; first < offsets.size(); first += size_t(values_.warpSize()))
      for (int64_t line = 0; line < lines; ++line)
        if (!own(offsets[first] + line * (*strides)[first], width, kSeveral))
          return false;
    return true;
  };
  if (auto load = dyn_cast<SharedLoadOp>(access.op))
    return ofThreads(load.getOffset(), load.getResult());
  if (auto store = dyn_cast<SharedStoreOp>(access.op))
    return ofThreads(store.getOffset(), store.getValue());
  if (auto load = dyn_cast<FragmentLoadOp>(access.op))
    return ofWarps(load.getType(), load.getOrder(), load.getOffset(), load.getStride());
  if (auto store = dyn_cast<FragmentStoreOp>(access.op))
    return ofWarps(store.getValue().getType(), store.getOrder(), store.getOffset(), store.getStride());
  return false;
}

/// Whether two different owners, one of each access, may touch the same granule.
bool SharedAccesses::shareGranule(unsigned a, const Owners &left, unsigned b, const Owners &right) {
  SharedAllocOp one = accesses_[a].buffer, other = accesses_[b].buffer;
  auto base = [&](SharedAllocOp buffer) { return one == other ? 0 : *buffer.getOffset() / granule_; };
  int64_t leftBegin = base(one) + left.begin, rightBegin = base(other) + right.begin;
  int64_t from = std::max(leftBegin, rightBegin);
  int64_t to = std::min(leftBegin + int64_t(left.thread.size()), rightBegin + int64_t(right.thread.size()));
  effort_ += std::max<int64_t>(to - from, 0);
  for (int64_t at = from; at < to; ++at) {
    int32_t x = left.thread[size_t(at - leftBegin)], y = right.thread[size_t(at - rightBegin)];
    if (x != kNobody && y != kNobody && (x != y || x == kSeveral))
      return true;
  }
  return false;
}

/// Whether two different threads, one by each access, may touch the same byte.
bool SharedAccesses::differentThreads(unsigned a, unsigned b) {
  const SharedAccess &one = accesses_[a], &other = accesses_[b];
  if (one.kind != AccessKind::Ordinary || other.kind != AccessKind::Ordinary)
    return true;
  if (values_.threads() == 1)
    return false;
  if (effort_ > kMaxEffort || !owners(a) || !owners(b))
    return true;
  return shareGranule(a, *owners(a), b, *owners(b));
}

const SharedAccesses::Owners *SharedAccesses::owningSets(unsigned a) {
  if (!owningSets_[a]) {
    owningSets_[a] = std::make_unique<Owners>();
    owningSets_[a]->known = findOwningSets(a, *owningSets_[a]);
  }
  return owningSets_[a]->known ? owningSets_[a].get() : nullptr;
}

/// Maps the position of each part of a buffer to the number of the set of warps whose threads select that part by
/// `part`, or to kSeveral. Nothing if a thread's position is not known, or if the threads of a set select different
/// parts.
std::optional<std::map<SmallVector<int64_t>, int32_t>> SharedAccesses::setsOfParts(PartOp part) {
  SmallVector<std::vector<int64_t>> positions; // along each axis, the position of each thread
  for (Value position : part.getPosition()) {
    const std::vector<int64_t> *known = values_.of(position);
    if (!known)
      return std::nullopt;
    positions.push_back(*known);
  }
  int64_t threads = kSetWarps * values_.warpSize();
  std::map<SmallVector<int64_t>, int32_t> setOf;
  for (int64_t first = 0; first < values_.threads(); first += threads) {
    SmallVector<int64_t> place;
    for (const std::vector<int64_t> &each : positions) {
      auto ofSet = ArrayRef(each).slice(size_t(first), size_t(threads));
      if (!llvm::all_equal(ofSet))
        return std::nullopt;
      place.push_back(ofSet.front());
    }
    auto [known, isNew] = setOf.try_emplace(place, int32_t(first / threads));
    if (!isNew)
      known->second = kSeveral;
  }
  return setOf;
}

/// Finds, for each granule, the number of the set of kSetWarps warps whose threads touch it by access `a`. False if the
/// sets are not known. They are known for accesses whose threads are known, and for copies by hardware that one thread
/// of each set starts for the set's own part of the buffer.
bool SharedAccesses::findOwningSets(unsigned a, Owners &made) {
  if (accesses_[a].kind == AccessKind::Ordinary) {
    const Owners *threads = owners(a);
    if (!threads)
      return false;
    made.begin = threads->begin;
    for (int32_t thread : threads->thread)
      made.thread.push_back(thread < 0 ? thread : thread / int32_t(kSetWarps * values_.warpSize()));
    return true;
  }
  auto store = dyn_cast<StoreTileOp>(accesses_[a].op);
  auto part = store ? store.getSrc().getDefiningOp<PartOp>() : PartOp();
  if (!part)
    return false;
  int64_t stageBytes = 0; // where the stage begins to which the part belongs
  if (auto stage = part.getSrc().getDefiningOp<StageOp>()) {
    std::optional<int64_t> number = getConstantIntValue(stage.getIndex());
    if (!number || !stage.getSrc().getDefiningOp<SharedAllocOp>())
      return false;
    stageBytes = *number * part.getSrc().getType().getBytes();
  } else if (!part.getSrc().getDefiningOp<SharedAllocOp>()) {
    return false;
  }
  SharedType whole = part.getSrc().getType();
  if (whole.hasStages() || !whole.getTileLayout().getPadding().empty())
    return false;
  std::optional<std::map<SmallVector<int64_t>, int32_t>> setOf = setsOfParts(part);
  if (!setOf)
    return false;
  layout_ir::SharedAttr layout = whole.getTileLayout();
  int64_t element = elementBytes(whole.getElementType());
  made.begin = stageBytes / granule_;
  made.thread.assign(size_t(whole.getBytes() / granule_), kNobody);
  for (int64_t offset = 0; offset < int64_t(1) << layout.getBits(); ++offset) {
    SmallVector<int64_t> place(layout.getRank(), 0);
    for (unsigned bit = 0; bit < layout.getBits(); ++bit)
      for (unsigned dim = 0; offset >> bit & 1 && dim < layout.getRank(); ++dim)
        place[dim] ^= layout.getBasis(bit)[dim];
    for (unsigned dim = 0; dim < layout.getRank(); ++dim)
      place[dim] /= part.getType().getShape()[dim];
    auto owner = setOf->find(place);
    for (int64_t byte = offset * element; owner != setOf->end() && byte < (offset + 1) * element; byte += granule_)
      made.thread[size_t(byte / granule_)] = owner->second;
  }
  return true;
}

/// Whether each byte that both accesses touch is touched by threads of a single set.
bool SharedAccesses::onlyInSets(unsigned a, unsigned b) {
  const SharedAccess &one = accesses_[a], &other = accesses_[b];
  if (!one.buffer || one.buffer != other.buffer || values_.threads() % (kSetWarps * values_.warpSize()) ||
      effort_ > kMaxEffort)
    return false;
  // At least one access must be a copy out by hardware: only these copies are started by one thread of each set.
  if (!isa<StoreTileOp>(one.op) && !isa<StoreTileOp>(other.op))
    return false;
  const Owners *left = owningSets(a), *right = owningSets(b);
  if (!left || !right)
    return false;
  return !shareGranule(a, *left, b, *right);
}

std::optional<llvm::BitVector> SharedAccesses::touchedBytes(unsigned a) {
  const Owners *touched = owners(a);
  if (!touched)
    return std::nullopt;
  SharedAllocOp buffer = accesses_[a].buffer;
  llvm::BitVector bytes(unsigned(buffer.getType().getBytes()));
  for (auto [i, thread] : llvm::enumerate(touched->thread)) {
    int64_t from = (touched->begin + int64_t(i)) * granule_;
    if (thread != kNobody)
      bytes.set(unsigned(from), unsigned(std::min<int64_t>(from + granule_, bytes.size())));
  }
  return bytes;
}

} // namespace tegula::simt
