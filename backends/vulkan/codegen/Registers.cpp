// Prints splitting, joining and reducing of register tiles, and pointers, which are addresses. Only reductions and
// address arithmetic emit instructions; the other ops rename ids.
#include "backends/vulkan/codegen/Printer.h"

using namespace mlir;
using Code = spv::Op;

namespace tegula::vulkan {

Id Printer::combine(Scalars &scalars, simt::CombineKind kind, ScalarType type, Id left, Id right) {
  using simt::CombineKind;
  switch (kind) {
  case CombineKind::AddF: return scalars.arithmetic(Code::OpFAdd, type, left, right);
  case CombineKind::MulF: return scalars.arithmetic(Code::OpFMul, type, left, right);
  case CombineKind::MaxNumF: return scalars.extremum(type, left, right, true, true);
  case CombineKind::MinNumF: return scalars.extremum(type, left, right, false, true);
  case CombineKind::MaximumF: return scalars.extremum(type, left, right, true, false);
  case CombineKind::MinimumF: return scalars.extremum(type, left, right, false, false);
  case CombineKind::AddI:
    return type == ScalarType::I1 ? scalars.differ(left, right) : scalars.integer(Code::OpIAdd, type, left, right);
  case CombineKind::MulI:
    return type == ScalarType::I1 ? scalars.both(left, right) : scalars.integer(Code::OpIMul, type, left, right);
  case CombineKind::MaxSI: return scalars.extremumInteger(type, left, right, true, true);
  case CombineKind::MinSI: return scalars.extremumInteger(type, left, right, false, true);
  case CombineKind::MaxUI: return scalars.extremumInteger(type, left, right, true, false);
  case CombineKind::MinUI: return scalars.extremumInteger(type, left, right, false, false);
  case CombineKind::AndI: return scalars.both(left, right);
  case CombineKind::OrI: return scalars.either(left, right);
  case CombineKind::XOrI: return scalars.differ(left, right);
  }
  llvm_unreachable("all kinds are listed");
}

namespace {

/// The bits of `number` that `keep` selects, moved together: closedUp(0b1010, 0b1110) = 0b101.
size_t closedUp(size_t number, uint32_t keep) {
  size_t result = 0;
  for (unsigned bit = 0, to = 0; bit < 32; ++bit)
    if (keep >> bit & 1)
      result |= (number >> bit & 1) << to++;
  return result;
}

} // namespace

void Printer::printReduceRegisters(simt::ReduceRegistersOp op) {
  Values values = get(op.getSrc());
  ScalarType type = scalarOf(op.getSrc());
  uint32_t keep = op.getKeep();
  for (size_t step = values.size() / 2; step; step /= 2)
    if (!(keep & step))
      for (size_t i = 0; i < values.size(); ++i)
        if (!(i & step) && values[i]) {
          values[i] = combine(scalars, op.getKind(), type, values[i], values[i + step]);
          values[i + step] = 0;
        }
  Values kept(size_t(1) << llvm::popcount(keep), 0);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i])
      kept[closedUp(i, keep)] = values[i];
  set(op, kept);
}

/// Prints one part of a descriptor argument; Arguments.h defines the order of parts.
void Printer::printDescriptorPart(Operation *op) {
  auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!argument || argument.getOwner()->getParentOp() != kernel_)
    fail(op, "expected a descriptor that is an argument of the kernel");
  size_t rank = cast<tile::DescType>(argument.getType()).getShape().size(), part = 0;
  if (auto extent = dyn_cast<tile::DescExtentOp>(op))
    part = 1 + extent.getAxis();
  else if (auto stride = dyn_cast<tile::DescStrideOp>(op))
    part = 1 + rank + stride.getAxis();
  else if (isa<tile::DescPadsNanOp>(op))
    part = 1 + 2 * rank;
  Id value = frame_->descriptorPart(argument.getArgNumber(), part);
  if (isa<tile::DescPadsNanOp>(op))
    value = b.compare(spv::Op::OpINotEqual, value, m.constantU32(0));
  set(op->getResult(0), Values{value});
}

bool Printer::printRegisters(Operation *op) {
  if (auto splat = dyn_cast<simt::SplatOp>(op)) {
    set(splat, Values(size_t(simt::elementsOf(splat.getType())), one(splat.getSrc())));
  } else if (auto pick = dyn_cast<simt::PickOp>(op)) {
    const Values source = get(pick.getSrc());
    Values picked;
    for (int32_t number : pick.getRegisters())
      picked.push_back(source[size_t(number)]);
    set(pick->getResult(0), picked);
  } else if (auto slice = dyn_cast<simt::SliceOp>(op)) {
    const Values source = get(slice.getSrc());
    auto begin = source.begin() + slice.getStart();
    set(slice, Values(begin, begin + simt::elementsOf(slice.getType())));
  } else if (auto concat = dyn_cast<simt::ConcatOp>(op)) {
    Values all;
    for (mlir::Value part : concat.getParts())
      llvm::append_range(all, get(part));
    set(concat, all);
  } else if (auto reduce = dyn_cast<simt::ReduceRegistersOp>(op)) {
    printReduceRegisters(reduce);
  } else if (auto spread = dyn_cast<simt::SpreadRegistersOp>(op)) {
    const Values source = get(spread.getSrc());
    Values all;
    for (size_t i = 0; i < size_t(simt::elementsOf(spread.getType())); ++i)
      all.push_back(source[closedUp(i, spread.getKeep())]);
    set(spread, all);
  } else if (isa<tile::DescBaseOp, tile::DescExtentOp, tile::DescStrideOp, tile::DescPadsNanOp>(op)) {
    printDescriptorPart(op);
  } else if (isa<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp>(op)) {
    set(op->getResult(0), get(op->getOperand(0)));
  } else if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
    auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(moved.getType())).getPointee();
    const Values bases = get(moved.getPtr()), offsets = get(moved.getOffset());
    ScalarType type = scalarOf(moved.getOffset());
    Values addresses;
    for (size_t i = 0; i < offsets.size(); ++i)
      addresses.push_back(elementAddress(bases[i], scalars.widen(type, offsets[i], /*isSigned=*/true),
                                         uint32_t(simt::elementBytes(pointee))));
    set(moved, addresses);
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::vulkan
