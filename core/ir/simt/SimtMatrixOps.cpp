// Verifiers of matrix products. The shapes that an instruction requires are checked by the code generators, which have
// the tables of matrix instructions.
#include "core/ir/simt/SimtVerify.h"

using namespace mlir;

namespace tegula::simt {
namespace {

LogicalResult verifyFragmentMemory(Operation *op, FragmentType fragment, Type memory) {
  if (auto pointer = dyn_cast<tile::PtrType>(memory))
    return needElement(op, "memory", fragment.getElementType(), pointer.getPointee());
  auto buffer = cast<SharedType>(memory);
  if (buffer.hasStages())
    return op->emitOpError() << "expected one stage of shared memory, found " << buffer << "; take one with simt.stage";
  return needElement(op, "shared memory with elements", fragment.getElementType(), buffer.getElementType());
}

LogicalResult verifyFragmentElementCount(Operation *op, FragmentType fragment, Type vector) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto warpSize = function ? function->getAttrOfType<IntegerAttr>(kWarpSizeAttr) : IntegerAttr();
  if (!warpSize)
    return success();
  int64_t expected = fragment.getRows() * fragment.getColumns() / warpSize.getInt();
  if (elementsOf(vector) != expected)
    return op->emitOpError() << "expected a vector of " << expected << " elements a lane for " << fragment
                             << " and warps of " << warpSize.getInt() << ", found " << vector;
  return success();
}

LogicalResult verifyFragmentElements(Operation *op, FragmentType fragment, Type vector) {
  if (failed(verifyFragmentElementCount(op, fragment, vector)))
    return failure();
  return needElement(op, "a vector with elements", fragment.getElementType(), vector);
}

} // namespace

LogicalResult MmaOp::verify() {
  ArrayRef<int32_t> tiles = getTiles();
  if (tiles.size() != 3 || llvm::any_of(tiles, [](int32_t count) { return count <= 0; }))
    return emitOpError("expected three positive numbers as tiles: of rows, columns and the inner dimension");
  auto needMultiple = [&](StringRef what, Type type, int64_t count) -> LogicalResult {
    if (elementsOf(type) % count == 0)
      return success();
    return emitOpError() << "expected '" << what << "' to hold " << count << " fragments, found " << type;
  };
  return failure(failed(needMultiple("a", getA().getType(), int64_t(tiles[0]) * tiles[2])) ||
                 failed(needMultiple("b", getB().getType(), int64_t(tiles[1]) * tiles[2])) ||
                 failed(needMultiple("c", getC().getType(), int64_t(tiles[0]) * tiles[1])));
}

LogicalResult MatmulAsyncOp::verify() {
  SharedType b = getB().getType();
  auto a = dyn_cast<SharedType>(getA().getType());
  if (!a && !isRegisterTile(getA().getType()))
    return emitOpError() << "expected 'a' in shared memory or in registers, found " << getA().getType();
  for (SharedType view : {a, b})
    if (view && (view.hasStages() || view.getShape().size() != 2))
      return emitOpError() << "expected a matrix in shared memory, found " << view;
  if (a && a.getShape()[1] != b.getShape()[0])
    return emitOpError() << "expected as many columns of 'a' as 'b' has rows, " << b.getShape()[0] << ", found "
                         << a.getShape()[1];
  return success();
}

LogicalResult ProductOp::verify() {
  auto inShared = dyn_cast<SharedType>(getA().getType());
  auto inRegisters = dyn_cast<RankedTensorType>(getA().getType());
  if (!inShared && !inRegisters)
    return emitOpError() << "expected 'a' in shared memory or a tensor, found " << getA().getType();
  InstructionAttr instruction = getInstruction();
  if (!instruction.getB().mayBe(OperandPlace::Shared) ||
      !instruction.getA().mayBe(inShared ? OperandPlace::Shared : OperandPlace::Registers))
    return emitOpError() << "expected an instruction that takes its operands from there, found " << instruction;
  SharedType b = getB().getType();
  for (SharedType view : {inShared, b})
    if (view && (view.hasStages() || view.getShape().size() != 2))
      return emitOpError() << "expected a matrix in shared memory, found " << view;
  ArrayRef<int64_t> ofA = inShared ? inShared.getShape() : inRegisters.getShape();
  ArrayRef<int64_t> ofC = cast<RankedTensorType>(getC().getType()).getShape();
  if (ofA.size() != 2 || ofC.size() != 2 || ofA[1] != b.getShape()[0] || ofA[0] != ofC[0] || b.getShape()[1] != ofC[1])
    return emitOpError() << "expected shapes m x k, k x n and m x n, found " << getA().getType() << ", " << b << " and "
                         << getC().getType();
  auto held = [](OperandAttr operand) { // registers hold tf32 as f32
    Type element = operand.getElementType();
    return isa<FloatTF32Type>(element) ? Type(Float32Type::get(element.getContext())) : element;
  };
  return failure(
      failed(needElement(*this, "'a' with elements", held(instruction.getA()),
                         inShared ? inShared.getElementType() : inRegisters.getElementType())) ||
      failed(needElement(*this, "'b' with elements", held(instruction.getB()), b.getElementType())) ||
      failed(needElement(*this, "'c' with elements", instruction.getC().getElementType(), getC().getType())));
}

LogicalResult MatmulWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getAccumulators().getTypes());
  return success();
}

LogicalResult FragmentFillOp::verify() {
  return needElement(*this, "a value", getType().getElementType(), getValue().getType());
}

LogicalResult FragmentLoadOp::verify() { return verifyFragmentMemory(*this, getType(), getSrc().getType()); }

LogicalResult FragmentStoreOp::verify() {
  return verifyFragmentMemory(*this, getValue().getType(), getDst().getType());
}

LogicalResult FragmentMmaOp::verify() {
  FragmentType a = getA().getType(), b = getB().getType(), c = getC().getType();
  if (a.getUse() != FragmentUse::A || b.getUse() != FragmentUse::B || c.getUse() != FragmentUse::Accumulator)
    return emitOpError() << "expected fragments for a, b and acc, found " << a << ", " << b << " and " << c;
  if (a.getColumns() != b.getRows() || a.getRows() != c.getRows() || b.getColumns() != c.getColumns())
    return emitOpError() << "expected shapes m x k, k x n and m x n, found " << a << ", " << b << " and " << c;
  return success();
}

LogicalResult FragmentElementsOp::verify() { return verifyFragmentElements(*this, getSrc().getType(), getType()); }

LogicalResult FragmentFromElementsOp::verify() { return verifyFragmentElements(*this, getType(), getSrc().getType()); }

LogicalResult FragmentReduceRowsOp::verify() {
  FragmentType type = getType();
  if (type.getUse() != FragmentUse::Accumulator)
    return emitOpError() << "expected an accumulator, found " << type;
  return verifyKind(*this, getKind(), type.getElementType());
}

LogicalResult FragmentConvertOp::verify() {
  FragmentType from = getSrc().getType(), to = getType();
  if (from.getUse() != FragmentUse::Accumulator || to.getUse() == FragmentUse::Accumulator)
    return emitOpError() << "expected an accumulator to become an operand, found " << from << " and " << to;
  if (from.getRows() != to.getRows() || from.getColumns() != to.getColumns())
    return emitOpError() << "expected fragments of one shape, found " << from << " and " << to;
  if (!isa<FloatType>(from.getElementType()) || !isa<FloatType>(to.getElementType()))
    return emitOpError() << "expected floats, found " << from << " and " << to;
  return success();
}

LogicalResult FragmentCoordinatesOp::verify() {
  auto of = cast<FragmentType>(getOf());
  return failure(failed(verifyFragmentElementCount(*this, of, getRows().getType())) ||
                 failed(verifyFragmentElementCount(*this, of, getColumns().getType())));
}

} // namespace tegula::simt
