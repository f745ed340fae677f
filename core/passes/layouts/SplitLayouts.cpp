#include "core/passes/layouts/SplitLayouts.h"

#include "core/passes/analysis/Uniform.h"

#include <limits>

using namespace mlir;

namespace tegula::tile {

using layout_ir::DistributedAttr;

namespace {

using Basis = SmallVector<int64_t, 4>;

/// Finds the bits of an index along which later splits divide what is computed from a split's result. The bits of the
/// result are tracked as the register bits of an auxiliary layout, to which each op that changes the shape is applied.
class LaterSplits {
public:
  explicit LaterSplits(SplitOp split) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(split.getResult(0).getType()).getShape();
    SmallVector<int64_t> registers;
    for (auto [axis, extent] : llvm::enumerate(shape))
      for (int64_t step = 1; step < extent; step *= 2) {
        Basis basis(shape.size(), 0);
        basis[axis] = step;
        llvm::append_range(registers, basis);
        origins_.push_back(int(bases_.size()));
        basis.push_back(0);
        bases_.push_back(basis);
      }
    layout_ = DistributedAttr::get(split.getContext(), unsigned(shape.size()), registers, {}, {}, {});
    follow(split.getResult(0));
  }

  /// The bits, as bases of the split's operand, along which later splits divide it, in the order of these splits.
  SmallVector<Basis> needed() const {
    return llvm::map_to_vector(needed_, [&](int bit) { return bases_[size_t(bit)]; });
  }

private:
  void follow(Value value) {
    constexpr int kMostOps = 256;
    for (int left = kMostOps; left > 0 && value; --left)
      value = next(value);
  }

  /// The result of one op that uses the value, if the bits can be followed there; else null.
  Value next(Value value) {
    if (!layout_)
      return {};
    for (Operation *user : value.getUsers()) {
      if (user->getNumResults() == 0 || !isTensor(user->getResult(0)) || user->getNumRegions() != 0)
        continue;
      if (isElementwise(user) || move(user, value))
        return user->getResult(0);
    }
    return {};
  }

  /// Applies the op's change of shape to the auxiliary layout; at a split, also notes the bit that it divides. False
  /// for ops that do not only change the shape.
  bool move(Operation *op, Value value) {
    if (auto trans = dyn_cast<TransOp>(op)) {
      layout_ = layout_ir::transpose(layout_, trans.getOrder());
    } else if (isa<ReshapeOp>(op)) {
      layout_ = layout_ir::reshape(layout_, cast<RankedTensorType>(value.getType()).getShape(),
                                   cast<RankedTensorType>(op->getResult(0).getType()).getShape());
    } else if (isa<JoinOp>(op)) {
      layout_ = layout_ir::join(layout_); // the first register bit selects the half
      origins_.insert(origins_.begin(), -1);
    } else if (isa<SplitOp>(op)) {
      std::optional<unsigned> half = layout_ir::splitBit(layout_);
      if (!half)
        return false;
      if (int origin = origins_[*half]; origin >= 0)
        needed_.push_back(origin);
      layout_ = layout_ir::split(layout_);
      origins_.erase(origins_.begin() + *half);
    } else {
      return false;
    }
    return bool(layout_);
  }

  SmallVector<Basis> bases_;
  DistributedAttr layout_;
  SmallVector<int> origins_; // for each register bit of layout_, its number in bases_; -1: a later join made it
  SmallVector<int> needed_;  // numbers in bases_
};

} // namespace

DistributedAttr withHalvesInRegisters(DistributedAttr layout, SplitOp split) {
  if (layout_ir::splitBit(layout))
    return layout;
  if (!isTensor(split.getResult(0)))
    return {};
  size_t rank = layout.getRank();
  SmallVector<int64_t> registers(layout.getRegisters()), lanes(layout.getLanes()), warps(layout.getWarps());
  auto at = [&](SmallVector<int64_t> &bases, size_t bit) { return MutableArrayRef(bases).slice(bit * rank, rank); };
  SmallVector<MutableArrayRef<int64_t>> halves; // the bases that select a half of the last axis
  for (SmallVector<int64_t> *bases : {&registers, &lanes, &warps})
    for (size_t bit = 0; bit < bases->size() / rank; ++bit)
      if (at(*bases, bit).back() != 0) {
        if (bases == &registers)
          return {};
        halves.push_back(at(*bases, bit));
      }
  if (halves.size() != 1 || registers.empty() ||
      !llvm::all_of(halves[0].drop_back(), [](int64_t value) { return value == 0; }))
    return {};

  constexpr size_t kNever = std::numeric_limits<size_t>::max();
  SmallVector<Basis> needed = LaterSplits(split).needed();
  auto nextUse = [&](ArrayRef<int64_t> basis) {
    auto found = llvm::find_if(needed, [&](const Basis &each) { return ArrayRef(each) == basis; });
    return found == needed.end() ? kNever : size_t(found - needed.begin());
  };
  SmallVector<MutableArrayRef<int64_t>> incoming = halves, outgoing;
  for (const Basis &each : needed)
    for (SmallVector<int64_t> *bases : {&lanes, &warps})
      for (size_t bit = 0; bit < bases->size() / rank; ++bit)
        if (ArrayRef<int64_t>(at(*bases, bit)) == ArrayRef(each))
          incoming.push_back(at(*bases, bit));
  for (size_t bit = registers.size() / rank; bit-- > 0;)
    outgoing.push_back(at(registers, bit));
  llvm::stable_sort(outgoing, [&](auto left, auto right) { return nextUse(left) > nextUse(right); });
  for (size_t each = 0; each < std::min(incoming.size(), outgoing.size()); ++each) {
    if (each > 0 && nextUse(outgoing[each]) <= nextUse(incoming[each]))
      break;
    std::swap_ranges(incoming[each].begin(), incoming[each].end(), outgoing[each].begin());
  }
  return DistributedAttr::get(layout.getContext(), layout.getRank(), registers, lanes, warps, layout.getBlocks());
}

} // namespace tegula::tile
