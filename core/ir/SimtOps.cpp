// The generated halves of the simt ops.
#include "core/ir/Simt.h"

using namespace mlir;

/// `buffer, offsets, value`, or `buffer, value` at the planned level: two types are not taken for buffer and offsets.
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

#define GET_OP_CLASSES
#include "core/ir/SimtOps.cpp.inc"

namespace tegula::simt {

void SimtDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "core/ir/SimtOps.cpp.inc"
      >();
}

} // namespace tegula::simt
