// The generated code of the ops, and helpers of their short textual forms.
#include "core/ir/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

/// The type of an optional operand, derived from `base`; no type if the operand is absent.
void typeIfPresent(bool isPresent, Type base, Type element, Type &type) {
  if (isPresent)
    type = withElement(base, element);
}

/// The type of the pointers (a pointer or a tensor of pointers). The short forms of memory ops contain only this type;
/// all other types follow from it.
ParseResult parsePointers(OpAsmParser &parser, Type &pointers) {
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseType(pointers))
    return failure();
  if (!isPtrScalar(getElementTypeOrSelf(pointers)))
    return parser.emitError(where) << "expected !tile.ptr or a tensor of it, found " << pointers;
  return success();
}

ParseResult parseLoadTypes(OpAsmParser &parser, const OptionalOperand &mask, const OptionalOperand &other,
                           Type &ptrType, Type &maskType, Type &otherType) {
  if (parsePointers(parser, ptrType))
    return failure();
  typeIfPresent(mask.has_value(), ptrType, parser.getBuilder().getI1Type(), maskType);
  if (other)
    otherType = pointeeLike(ptrType);
  return success();
}

void printLoadTypes(OpAsmPrinter &printer, Operation *, Value, Value, Type ptrType, Type, Type) { printer << ptrType; }

ParseResult parseStoreTypes(OpAsmParser &parser, const OptionalOperand &mask, Type &ptrType, Type &valueType,
                            Type &maskType) {
  if (parsePointers(parser, ptrType))
    return failure();
  valueType = pointeeLike(ptrType);
  typeIfPresent(mask.has_value(), ptrType, parser.getBuilder().getI1Type(), maskType);
  return success();
}

void printStoreTypes(OpAsmPrinter &printer, Operation *, Value, Type ptrType, Type, Type) { printer << ptrType; }

/// The type is written only if it has a layout.
ParseResult parseRangeType(OpAsmParser &parser, IntegerAttr start, IntegerAttr end, Type &type) {
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  SmallVector<Type> types;
  MLIRContext *context = parser.getContext();
  MakeRangeOp::Properties properties;
  properties.start = start;
  properties.end = end;
  MakeRangeOp::Adaptor adaptor(ValueRange(), DictionaryAttr::get(context), properties);
  if (failed(MakeRangeOp::inferReturnTypes(context, parser.getEncodedSourceLoc(parser.getNameLoc()), adaptor, types)))
    return failure();
  type = types[0];
  return success();
}

void printRangeType(OpAsmPrinter &printer, MakeRangeOp op, IntegerAttr, IntegerAttr, Type type) {
  if (cast<RankedTensorType>(type).getEncoding())
    printer << ": " << type;
}

ParseResult parseCasTypes(OpAsmParser &parser, Type &ptrType, Type &compareType, Type &valueType) {
  if (parsePointers(parser, ptrType))
    return failure();
  compareType = valueType = pointeeLike(ptrType);
  return success();
}

void printCasTypes(OpAsmPrinter &printer, Operation *, Type ptrType, Type, Type) { printer << ptrType; }

ParseResult parseHistogramTypes(OpAsmParser &parser, const OptionalOperand &mask, Type &srcType, Type &maskType,
                                Type &resultType) {
  if (parser.parseType(srcType) || parser.parseArrow() || parser.parseType(resultType))
    return failure();
  typeIfPresent(mask.has_value(), srcType, parser.getBuilder().getI1Type(), maskType);
  return success();
}

void printHistogramTypes(OpAsmPrinter &printer, Operation *, Value, Type srcType, Type, Type resultType) {
  printer << srcType << " -> " << resultType;
}

/// Parses the type of two operands of one type, which is written once.
ParseResult parseOneType(OpAsmParser &parser, Type &lhs, Type &rhs) {
  if (parser.parseType(lhs))
    return failure();
  rhs = lhs;
  return success();
}

void printOneType(OpAsmPrinter &printer, Operation *, Type lhs, Type) { printer << lhs; }

} // namespace

void TileDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "core/ir/tile/TileOps.cpp.inc"
      >();
}

} // namespace tegula::tile

#define GET_OP_CLASSES
#include "core/ir/tile/TileOps.cpp.inc"
