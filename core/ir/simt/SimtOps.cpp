// The generated code of the simt ops.
#include "core/ir/simt/Simt.h"

using namespace mlir;

/// Parses the types `buffer, offsets, value`, or at the planned level `buffer, value`.
static ParseResult parseStoreTypes(OpAsmParser &parser, Type &buffer, Type &offset, Type &value) {
  if (parser.parseType(buffer) || parser.parseComma() || parser.parseType(value))
    return failure();
  if (failed(parser.parseOptionalComma()))
    return success();
  offset = value;
  return parser.parseType(value);
}

static void printStoreTypes(OpAsmPrinter &printer, Operation *, Type buffer, Type offset, Type value) {
  printer << buffer << ", ";
  if (offset)
    printer << offset << ", ";
  printer << value;
}

/// Parses `%a, %b : types`, as many as the op has results. An op without results has no operands: a `%` that follows it
/// begins the next op.
static ParseResult parseAccumulators(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                     SmallVectorImpl<Type> &types) {
  if (parser.getNumResults() == 0)
    return success();
  return failure(parser.parseOperandList(operands) || parser.parseColonTypeList(types));
}

static void printAccumulators(OpAsmPrinter &printer, Operation *, OperandRange operands, TypeRange types) {
  if (!operands.empty())
    printer << operands << " : " << types;
}

#define GET_OP_CLASSES
#include "core/ir/simt/SimtOps.cpp.inc"

namespace tegula::simt {

void SimtDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "core/ir/simt/SimtOps.cpp.inc"
      >();
}

} // namespace tegula::simt
