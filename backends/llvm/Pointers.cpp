// Prints pointer ops, and the parts of descriptors that are arguments.
#include "backends/llvm/Printer.h"

using namespace mlir;

namespace tegula::llvmir {

BlockArgument kernelArgument(mlir::Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent))
      return argument;
    auto groups = dyn_cast<simt::WarpGroupsOp>(parent);
    if (!groups)
      return {};
    value = groups.getCaptures()[argument.getArgNumber()];
  }
  return {};
}

llvm::StructType *descriptorParts(llvm::IRBuilder<> &b, mlir::Type type) {
  llvm::Type *axes = llvm::ArrayType::get(b.getInt64Ty(), cast<tile::DescType>(type).getShape().size());
  return llvm::StructType::get(b.getContext(), {llvm::PointerType::get(b.getContext(), kGlobalSpace), axes, axes,
                                                b.getInt32Ty(), b.getInt32Ty()});
}

void Printer::findBoxedDescriptors() {
  kernel_.walk([&](Operation *op) {
    if (!isa<simt::LoadTileOp, simt::StoreTileOp>(op))
      return;
    for (mlir::Value operand : op->getOperands())
      if (isa<tile::DescType>(operand.getType()))
        if (BlockArgument argument = kernelArgument(operand))
          boxed_.try_emplace(argument, op);
  });
}

/// Prints a part of a descriptor. Descriptors are kernel arguments and never change, so each use reads the part from
/// the argument.
void Printer::printDescriptorPart(Operation *op) {
  BlockArgument argument = kernelArgument(op->getOperand(0));
  if (!argument)
    fail(op, "expected a descriptor that is an argument of the kernel");
  if (auto copy = boxed_.find(argument); copy != boxed_.end())
    fail(op, llvm::Twine("expected a descriptor whose parts are passed, found one that '") +
                 copy->second->getName().getStringRef() + "' copies boxes with");
  llvm::StructType *type = descriptorParts(b, argument.getType());
  unsigned part = 0, axis = 0;
  if (auto extent = dyn_cast<tile::DescExtentOp>(op))
    part = 1, axis = unsigned(extent.getAxis());
  else if (auto stride = dyn_cast<tile::DescStrideOp>(op))
    part = 2, axis = unsigned(stride.getAxis());
  else if (isa<tile::DescPadsNanOp>(op))
    part = 3;
  llvm::Type *held = type->getElementType(part);
  llvm::SmallVector<llvm::Value *, 3> place = {i32(0), i32(part)};
  if (held->isArrayTy()) {
    place.push_back(i32(axis));
    held = held->getArrayElementType();
  }
  llvm::Value *address = b.CreateInBoundsGEP(type, one(argument), place);
  llvm::LoadInst *loaded = b.CreateAlignedLoad(held, address, llvm::Align(8));
  loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  set(op->getResult(0), part == 3 ? b.CreateICmpNE(loaded, i32(0)) : loaded);
}

bool Printer::printPointers(Operation *op) {
  if (isa<tile::DescBaseOp, tile::DescExtentOp, tile::DescStrideOp, tile::DescPadsNanOp>(op)) {
    printDescriptorPart(op);
    return true;
  }
  if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
    llvm::Type *pointee = elementType(cast<tile::PtrType>(getElementTypeOrSelf(moved.getType())).getPointee());
    llvm::Type *unit = pointee->isIntegerTy(1) ? b.getInt8Ty() : pointee;
    Values addresses;
    for (auto [address, offset] : llvm::zip(get(moved.getPtr()), get(moved.getOffset())))
      addresses.push_back(b.CreateGEP(unit, address, offset));
    set(moved, addresses);
    return true;
  }
  if (!isa<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp>(op))
    return false;
  Values results;
  llvm::Type *to = elementType(op->getResult(0).getType());
  for (llvm::Value *value : get(op->getOperand(0)))
    results.push_back(isa<tile::PtrToIntOp>(op)   ? b.CreatePtrToInt(value, to)
                      : isa<tile::IntToPtrOp>(op) ? b.CreateIntToPtr(value, to)
                                                  : value);
  set(op->getResult(0), results);
  return true;
}

} // namespace tegula::llvmir
