#include "core/ir/layout/LayoutRules.h"

#include "core/layout/BitMatrix.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::layout_ir {
namespace {

using Tuple = ArrayRef<int64_t>;

/// The layout in which each basis of `src` is replaced by the coordinate that `map` appends.
template <class Map> DistributedAttr mapped(DistributedAttr src, unsigned rank, Map &&map) {
  std::array<SmallVector<int64_t>, 4> inputs;
  std::array<Tuple, 4> from = {src.getRegisters(), src.getLanes(), src.getWarps(), src.getBlocks()};
  for (auto [bases, to] : llvm::zip(from, inputs))
    for (size_t at = 0; at < bases.size(); at += src.getRank())
      map(bases.slice(at, src.getRank()), to);
  return DistributedAttr::get(src.getContext(), rank, inputs[0], inputs[1], inputs[2], inputs[3]);
}

int64_t flat(Tuple coordinate, ArrayRef<int64_t> shape) {
  int64_t result = 0;
  for (auto [value, extent] : llvm::zip_equal(coordinate, shape))
    result = result * extent + value;
  return result;
}

/// The layout without register bits that only number copies within a thread.
DistributedAttr withoutCopies(DistributedAttr layout, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> registers;
  layout::Echelon kept;
  unsigned rank = layout.getRank();
  for (size_t at = 0; at < layout.getRegisters().size(); at += rank) {
    Tuple basis = layout.getRegisters().slice(at, rank);
    if (kept.add(flat(basis, shape)))
      llvm::append_range(registers, basis);
  }
  return DistributedAttr::get(layout.getContext(), rank, registers, layout.getLanes(), layout.getWarps(),
                              layout.getBlocks());
}

} // namespace

bool isLayout(Attribute encoding, ArrayRef<int64_t> shape) {
  if (!encoding)
    return true;
  if (auto fragments = dyn_cast<FragmentsAttr>(encoding))
    return fragments.covers(shape);
  auto layout = dyn_cast<DistributedAttr>(encoding);
  if (!layout || layout.getRank() != shape.size())
    return false;
  layout::Echelon columns;
  for (Tuple bases : {layout.getRegisters(), layout.getLanes(), layout.getWarps(), layout.getBlocks()})
    for (size_t at = 0; at < bases.size(); at += layout.getRank()) {
      for (auto [value, extent] : llvm::zip_equal(bases.slice(at, layout.getRank()), shape))
        if (value >= extent)
          return false;
      columns.add(flat(bases.slice(at, layout.getRank()), shape));
    }
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return llvm::isPowerOf2_64(elements) && columns.rank() == llvm::Log2_64(elements);
}

DistributedAttr expandDims(DistributedAttr src, unsigned axis) {
  if (!src)
    return {};
  return mapped(src, src.getRank() + 1, [&](Tuple basis, SmallVectorImpl<int64_t> &to) {
    llvm::append_range(to, basis.take_front(axis));
    to.push_back(0);
    llvm::append_range(to, basis.drop_front(axis));
  });
}

Attribute expandDimsOf(Attribute src, unsigned axis) {
  auto fragments = dyn_cast_or_null<FragmentsAttr>(src);
  if (!fragments)
    return expandDims(dyn_cast_or_null<DistributedAttr>(src), axis);
  return isRepeated(fragments.getKind(), axis) ? fragments : FragmentsAttr();
}

DistributedAttr dropUnitAxis(DistributedAttr src, unsigned axis) {
  return mapped(src, src.getRank() - 1, [&](Tuple basis, SmallVectorImpl<int64_t> &to) {
    llvm::append_range(to, basis.take_front(axis));
    llvm::append_range(to, basis.drop_front(axis + 1));
  });
}

DistributedAttr transpose(DistributedAttr src, ArrayRef<int32_t> order) {
  if (!src)
    return {};
  return mapped(src, src.getRank(), [&](Tuple basis, SmallVectorImpl<int64_t> &to) {
    for (int32_t axis : order)
      to.push_back(basis[axis]);
  });
}

DistributedAttr untranspose(DistributedAttr result, ArrayRef<int32_t> order) {
  SmallVector<int32_t> inverse(order.size());
  for (auto [axis, from] : llvm::enumerate(order))
    inverse[from] = axis;
  return transpose(result, inverse);
}

DistributedAttr unbroadcast(DistributedAttr result, ArrayRef<int64_t> shape) {
  return withoutCopies(mapped(result, shape.size(),
                              [&](Tuple basis, SmallVectorImpl<int64_t> &to) {
                                for (auto [value, extent] : llvm::zip_equal(basis, shape))
                                  to.push_back(extent == 1 ? 0 : value);
                              }),
                       shape);
}

DistributedAttr reshape(DistributedAttr src, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (!src)
    return {};
  return mapped(src, to.size(), [&](Tuple basis, SmallVectorImpl<int64_t> &coordinate) {
    int64_t rest = flat(basis, from);
    size_t begin = coordinate.size();
    coordinate.resize(begin + to.size());
    for (size_t axis = to.size(); axis-- > 0; rest /= to[axis])
      coordinate[begin + axis] = rest % to[axis];
  });
}

DistributedAttr reduce(DistributedAttr src, ArrayRef<int64_t> shape, unsigned axis) {
  if (!src)
    return {};
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + axis);
  return withoutCopies(dropUnitAxis(src, axis), rest);
}

Attribute reduceOf(Attribute src, ArrayRef<int64_t> shape, unsigned axis) {
  auto fragments = dyn_cast_or_null<FragmentsAttr>(src);
  if (!fragments)
    return reduce(dyn_cast_or_null<DistributedAttr>(src), shape, axis);
  bool isMatrix = fragments.getKind() == FragmentsKind::Matrix && shape.size() == 2;
  return isMatrix ? fragments.as(axis == 1 ? FragmentsKind::Column : FragmentsKind::Row) : FragmentsAttr();
}

DistributedAttr inAxisOrder(DistributedAttr src, unsigned axis) {
  SmallVector<int64_t> held; // bits of the coordinate, first those that registers select
  for (Tuple bases : {src.getRegisters(), src.getLanes(), src.getWarps(), src.getBlocks()})
    for (size_t at = axis; at < bases.size(); at += src.getRank())
      if (bases[at] != 0 && !llvm::is_contained(held, bases[at]))
        held.push_back(bases[at]);
  if (!llvm::all_of(held, llvm::isPowerOf2_64))
    return src;
  return mapped(src, src.getRank(), [&](Tuple basis, SmallVectorImpl<int64_t> &to) {
    llvm::append_range(to, basis);
    if (basis[axis] != 0)
      to[to.size() - basis.size() + axis] = int64_t(1) << (llvm::find(held, basis[axis]) - held.begin());
  });
}

DistributedAttr join(DistributedAttr src) {
  if (!src)
    return {};
  DistributedAttr wide = expandDims(src, src.getRank());
  SmallVector<int64_t> registers(src.getRank(), 0);
  registers.push_back(1);
  llvm::append_range(registers, wide.getRegisters());
  return DistributedAttr::get(src.getContext(), wide.getRank(), registers, wide.getLanes(), wide.getWarps(),
                              wide.getBlocks());
}

std::optional<unsigned> splitBit(DistributedAttr src) {
  unsigned rank = src.getRank();
  std::optional<unsigned> found;
  auto half = [&](Tuple bases, size_t at) { return bases[at + rank - 1]; };
  for (Tuple bases : {src.getLanes(), src.getWarps(), src.getBlocks()})
    for (size_t at = 0; at < bases.size(); at += rank)
      if (half(bases, at) != 0)
        return {};
  for (size_t at = 0; at < src.getRegisters().size(); at += rank) {
    if (half(src.getRegisters(), at) == 0)
      continue;
    if (found || !llvm::all_of(src.getRegisters().slice(at, rank - 1), [](int64_t value) { return value == 0; }))
      return {};
    found = at / rank;
  }
  return found;
}

DistributedAttr split(DistributedAttr src) {
  if (!src)
    return {};
  std::optional<unsigned> bit = splitBit(src);
  if (!bit || src.getRank() == 1)
    return {};
  DistributedAttr dropped = dropUnitAxis(src, src.getRank() - 1);
  unsigned rank = dropped.getRank();
  SmallVector<int64_t> registers(dropped.getRegisters().take_front(*bit * rank));
  llvm::append_range(registers, dropped.getRegisters().drop_front((*bit + 1) * rank));
  return DistributedAttr::get(src.getContext(), rank, registers, dropped.getLanes(), dropped.getWarps(),
                              dropped.getBlocks());
}

DistributedAttr cat(DistributedAttr src, int64_t extent) {
  if (!src)
    return {};
  SmallVector<int64_t> registers(src.getRegisters());
  registers.push_back(extent);
  return DistributedAttr::get(src.getContext(), 1, registers, src.getLanes(), src.getWarps(), src.getBlocks());
}

SmallVector<unsigned> bitsOfPart(DistributedAttr whole, int64_t extent) {
  unsigned rank = whole.getRank();
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; bit < whole.getRegisters().size() / rank; ++bit) {
    Tuple basis = whole.getRegisters().slice(bit * rank, rank);
    bool isWithin = basis.back() % extent != 0 || llvm::any_of(basis.drop_back(), [](int64_t step) { return step; });
    if (isWithin || basis.back() == 0)
      bits.push_back(bit);
  }
  return bits;
}

DistributedAttr part(DistributedAttr whole, int64_t extent) {
  unsigned rank = whole.getRank();
  auto within = [&](Tuple bases) {
    SmallVector<int64_t> result(bases);
    for (size_t at = rank - 1; at < result.size(); at += rank)
      result[at] %= extent;
    return result;
  };
  SmallVector<int64_t> registers, all = within(whole.getRegisters());
  for (unsigned bit : bitsOfPart(whole, extent))
    llvm::append_range(registers, ArrayRef(all).slice(bit * rank, rank));
  return DistributedAttr::get(whole.getContext(), rank, registers, within(whole.getLanes()), within(whole.getWarps()),
                              whole.getBlocks());
}

std::optional<SmallVector<int32_t>> localRegisters(DistributedAttr from, ArrayRef<int64_t> fromShape,
                                                   DistributedAttr to, ArrayRef<int64_t> toShape) {
  unsigned rank = to.getRank();
  if (from.getRank() != rank || fromShape.size() != toShape.size())
    return {};
  auto project = [&](Tuple basis) {
    SmallVector<int64_t> result(basis);
    for (auto [value, extent] : llvm::zip_equal(result, fromShape))
      value = extent == 1 ? 0 : value;
    return result;
  };
  // The bases of lanes, warps and blocks must be equal, so that only registers differ.
  std::array<Tuple, 3> here = {from.getLanes(), from.getWarps(), from.getBlocks()};
  std::array<Tuple, 3> there = {to.getLanes(), to.getWarps(), to.getBlocks()};
  for (auto [left, right] : llvm::zip(here, there)) {
    if (left.size() != right.size())
      return {};
    for (size_t at = 0; at < left.size(); at += rank)
      if (project(right.slice(at, rank)) != project(left.slice(at, rank)))
        return {};
  }
  // Maps the elements of thread 0 of `from` to their registers.
  DenseMap<int64_t, int32_t> held;
  auto elementOf = [&](Tuple bases, int64_t number) {
    SmallVector<int64_t> sum(rank, 0);
    for (size_t bit = 0; bit * rank < bases.size(); ++bit)
      if (number >> bit & 1)
        for (unsigned axis = 0; axis < rank; ++axis)
          sum[axis] ^= bases[bit * rank + axis];
    return flat(project(sum), fromShape);
  };
  for (int64_t number = 0; number < registersOf(from); ++number)
    held.try_emplace(elementOf(from.getRegisters(), number), number);
  SmallVector<int32_t> result;
  for (int64_t number = 0; number < registersOf(to); ++number) {
    auto found = held.find(elementOf(to.getRegisters(), number));
    if (found == held.end())
      return {};
    result.push_back(found->second);
  }
  return result;
}

int64_t registersInGroups(DistributedAttr layout, ArrayRef<int64_t> groups) {
  size_t rank = layout.getRank();
  ArrayRef<int64_t> bases = layout.getRegisters();
  int64_t bits = 0;
  for (size_t bit = 0; bit * rank < bases.size(); ++bit) {
    bool stays = true;
    for (size_t axis = 0; axis < rank; ++axis)
      stays &= bases[bit * rank + axis] < groups[axis];
    if (stays)
      bits |= int64_t(1) << bit;
  }
  return bits;
}

int64_t registersOf(DistributedAttr layout) { return int64_t(1) << (layout.getRegisters().size() / layout.getRank()); }

} // namespace tegula::layout_ir
