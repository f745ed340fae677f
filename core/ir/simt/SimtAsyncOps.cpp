// The syntax of warp groups; the verifiers of barrier objects in clusters and of asynchronous copies.
#include "core/ir/simt/SimtVerify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::simt {
namespace {

/// True if the buffer has the block's extents, or, if it may be a part, divisors of them.
bool hasExtentsOf(ArrayRef<int64_t> block, SharedType buffer, bool mayBePart) {
  ArrayRef<int64_t> extents = buffer.getShape();
  if (!mayBePart || extents.size() != block.size())
    return extents == block;
  return llvm::all_of(llvm::zip_equal(block, extents),
                      [](auto both) { return std::get<0>(both) % std::get<1>(both) == 0; });
}

LogicalResult verifyBlock(Operation *op, tile::DescType descriptor, OperandRange position, SharedType buffer,
                          bool mayBePart = false) {
  if (buffer.hasStages())
    return op->emitOpError() << "expected one stage of shared memory, found " << buffer << "; take one with simt.stage";
  if (position.size() != descriptor.getShape().size())
    return op->emitOpError() << "expected a position of " << descriptor.getShape().size() << " numbers for "
                             << descriptor << ", found " << position.size();
  // The tile may lack leading axes along which the block has extent 1.
  ArrayRef<int64_t> block = descriptor.getShape();
  while (block.size() > buffer.getShape().size() && block.front() == 1)
    block = block.drop_front();
  if (!hasExtentsOf(block, buffer, mayBePart) || buffer.getElementType() != descriptor.getElementType())
    return op->emitOpError() << "expected a tile of the block's shape and elements, " << descriptor.getBlockType()
                             << ", found " << buffer;
  return success();
}

template <typename Op> LogicalResult verifyLoad(Op op) {
  if (op.getTf32() && !op.getDst().getType().getElementType().isF32())
    return op.emitOpError() << "expected f32 elements to round to tf32, found " << op.getDst().getType();
  return verifyBlock(op, op.getDescriptor().getType(), op.getPosition(), op.getDst().getType());
}

/// The number of programs in a cluster of the op's kernel.
int64_t clusterOf(Operation *op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  auto size = kernel ? kernel->getAttrOfType<IntegerAttr>(kClusterAttr) : IntegerAttr();
  return size ? size.getInt() : 1;
}

/// Succeeds if the programs of the op's kernel run in clusters; otherwise reports that `what`, a part of the op, needs
/// clusters.
LogicalResult needCluster(Operation *op, StringRef what) {
  if (clusterOf(op) > 1)
    return success();
  return op->emitOpError() << "expected '" << what << "' in a kernel with 'simt.cluster' of at least 2";
}

/// Succeeds if the op is not multicast, or if the tile's columns can be divided evenly among the cluster's programs.
template <typename Op> LogicalResult verifyMulticast(Op op) {
  if (!op.getMulticast())
    return success();
  int64_t columns = op.getDst().getType().getShape().back(), cluster = clusterOf(op);
  if (failed(needCluster(op, "multicast")))
    return failure();
  if (columns % cluster)
    return op.emitOpError() << "expected a multiple of " << cluster << " columns, found " << columns;
  return success();
}

} // namespace

LogicalResult LoadTileOp::verify() {
  return failed(verifyLoad(*this)) ? LogicalResult(failure()) : verifyMulticast(*this);
}

LogicalResult CopyTileOp::verify() {
  return failed(verifyLoad(*this)) ? LogicalResult(failure()) : verifyMulticast(*this);
}

LogicalResult ClusterBarrierOp::verify() {
  if (!isa<func::FuncOp>((*this)->getParentOp()))
    return emitOpError("expected in the kernel's body");
  return needCluster(*this, "simt.cluster_barrier");
}

LogicalResult BarrierArriveOp::verify() { return getRank() ? needCluster(*this, "of") : LogicalResult(success()); }

LogicalResult ArriveWarpsOp::verify() { return getRank() ? needCluster(*this, "also of") : LogicalResult(success()); }

LogicalResult CopyOp::verify() {
  auto pointers = cast<RankedTensorType>(getSrc().getType());
  SharedType buffer = getDst().getType();
  if (buffer.hasStages())
    return emitOpError() << "expected one stage of shared memory, found " << buffer << "; take one with simt.stage";
  auto pointer = dyn_cast<tile::PtrType>(pointers.getElementType());
  if (!pointer || pointer.getPointee() != buffer.getElementType() || pointers.getShape() != buffer.getTileShape())
    return emitOpError() << "expected pointers to the elements of " << buffer << ", found " << pointers;
  if (!getMask())
    return success();
  auto mask = cast<RankedTensorType>(getMask().getType());
  if (!mask.getElementType().isInteger(1) || mask.getShape() != pointers.getShape())
    return emitOpError() << "expected a mask of i1 for each of " << pointers << ", found " << mask;
  return success();
}

LogicalResult WaitCopiesOp::verify() {
  return getCopies().empty() ? emitOpError("expected at least one copy, found none") : LogicalResult(success());
}

LogicalResult StoreTileOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getPosition(), getSrc().getType(), /*mayBePart=*/true);
}

LogicalResult CopyOutOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getPosition(), getSrc().getType(), /*mayBePart=*/true);
}

LogicalResult AsyncLoadOp::verify() {
  SharedType buffer = getDst().getType();
  if (buffer.hasStages())
    return emitOpError() << "expected one stage of shared memory, found " << buffer << "; take one with simt.stage";
  Type element = getBase().getType().getPointee();
  if (element != buffer.getElementType())
    return emitOpError() << "expected a buffer with elements of type " << element << ", found " << buffer;
  int64_t copies = elementsOf(getFrom().getType());
  if (elementsOf(getTo().getType()) != copies)
    return emitOpError() << "expected as many places in shared memory as in global memory, " << copies << ", found "
                         << getTo().getType();
  if (getMask() && elementsOf(getMask().getType()) != copies)
    return emitOpError() << "expected a mask of " << copies << " elements, found " << getMask().getType();
  int64_t bytes = getWidth() * elementBytes(element);
  if (!llvm::is_contained({4, 8, 16}, bytes))
    return emitOpError() << "expected copies of 4, 8 or 16 bytes, found " << bytes;
  return success();
}

int64_t WarpGroupsOp::getFirstWarp(unsigned region) {
  int64_t first = 0;
  for (unsigned i = 0; i < region; ++i)
    first += getWarps()[i];
  return first;
}

LogicalResult WarpGroupsOp::verify() {
  size_t groups = getGroups().size();
  if (groups == 0)
    return emitOpError("expected at least one group");
  if (getWarps().size() != groups || getRegisters().size() != groups)
    return emitOpError() << "expected warps and registers for each of " << groups << " groups, found "
                         << getWarps().size() << " and " << getRegisters().size();
  for (size_t i = 0; i < groups; ++i) {
    if (getWarps()[i] <= 0)
      return emitOpError() << "expected group " << i << " to have warps, found " << getWarps()[i];
    if (getRegisters()[i] < 0 || getRegisters()[i] % 8 != 0)
      return emitOpError() << "expected the registers of group " << i << " to be a multiple of 8, found "
                           << getRegisters()[i];
    if (getGroups()[i].getArgumentTypes() != getCaptures().getTypes())
      return emitOpError() << "expected the arguments of group " << i << " to have the types of the operands";
  }
  return success();
}

/// Prints `group warps W registers R (arguments) { ... }`.
static void printGroup(OpAsmPrinter &printer, Region &region, int64_t warps, int64_t registers) {
  printer.printNewline();
  printer << "group warps " << warps;
  if (registers != 0)
    printer << " registers " << registers;
  printer << " (";
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

static void printCaptures(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> elided) {
  printer << '(';
  printer.printOperands(op->getOperands());
  printer << ')';
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  if (op->getNumOperands() != 0)
    printer << " : " << op->getOperandTypes();
}

static ParseResult parseCaptures(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SmallVector<Type> types;
  SMLoc at = parser.getCurrentLocation();
  return failure(parser.parseOperandList(captures, OpAsmParser::Delimiter::Paren) ||
                 parser.parseOptionalAttrDict(result.attributes) ||
                 (!captures.empty() && parser.parseColonTypeList(types)) ||
                 parser.resolveOperands(captures, types, at, result.operands));
}

/// Parses the text after the word `group`. `addTerminator` appends the region's implicit terminator.
static ParseResult parseGroup(OpAsmParser &parser, OperationState &result, int32_t &warps, int32_t &registers,
                              llvm::function_ref<void(Region &)> addTerminator) {
  if (parser.parseKeyword("warps") || parser.parseInteger(warps))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("registers")) && parser.parseInteger(registers))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  Region *region = result.addRegion();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*region, arguments, /*enableNameShadowing=*/true))
    return failure();
  addTerminator(*region);
  return success();
}

void WarpGroupsOp::print(OpAsmPrinter &printer) {
  printCaptures(printer, *this, {getWarpsAttrName(), getRegistersAttrName()});
  for (auto [i, region] : llvm::enumerate(getGroups()))
    printGroup(printer, region, getWarps()[i], getRegisters()[i]);
}

ParseResult WarpGroupsOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseCaptures(parser, result))
    return failure();
  SmallVector<int32_t> warps, registers;
  while (succeeded(parser.parseOptionalKeyword("group")))
    if (parseGroup(parser, result, warps.emplace_back(), registers.emplace_back(),
                   [&](Region &region) { ensureTerminator(region, parser.getBuilder(), result.location); }))
      return failure();
  result.addAttribute(getWarpsAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(warps));
  result.addAttribute(getRegistersAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(registers));
  return success();
}

LogicalResult ProducerOp::verify() {
  if (!isa<func::FuncOp>((*this)->getParentOp()))
    return emitOpError("expected to stand in the kernel's body, found it inside another op");
  if (getRegisters() % 8 != 0 || getRegisters() < 24 || getRegisters() > 256)
    return emitOpError() << "expected the registers to be a multiple of 8 from 24 to 256, found " << getRegisters();
  if (getBody().getArgumentTypes() != getCaptures().getTypes())
    return emitOpError("expected the arguments of the region to have the types of the operands");
  return success();
}

void ProducerOp::print(OpAsmPrinter &printer) {
  printCaptures(printer, *this, {getWarpsAttrName(), getRegistersAttrName()});
  printGroup(printer, getBody(), getWarps(), getRegisters());
}

ParseResult ProducerOp::parse(OpAsmParser &parser, OperationState &result) {
  int32_t warps = 0, registers = 0;
  if (parseCaptures(parser, result) || parser.parseKeyword("group") ||
      parseGroup(parser, result, warps, registers,
                 [&](Region &region) { ensureTerminator(region, parser.getBuilder(), result.location); }))
    return failure();
  result.addAttribute(getWarpsAttrName(result.name), parser.getBuilder().getI32IntegerAttr(warps));
  result.addAttribute(getRegistersAttrName(result.name), parser.getBuilder().getI32IntegerAttr(registers));
  return success();
}

} // namespace tegula::simt
