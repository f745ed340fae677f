// All ops of the simt level, for mlir-tblgen.
#ifndef TEGULA_SIMT_OPS
#define TEGULA_SIMT_OPS

include "core/ir/SimtThreadOps.td"
include "core/ir/SimtMemoryOps.td"
include "core/ir/SimtAsyncOps.td"
include "core/ir/SimtMatrixOps.td"

#endif
