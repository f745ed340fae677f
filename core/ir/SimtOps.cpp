// The generated halves of the simt ops.
#include "core/ir/Simt.h"

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
