// All ops of the simt level, for mlir-tblgen.
#ifndef TEGULA_SIMT_OPS
#define TEGULA_SIMT_OPS

include "core/ir/simt/SimtThreadOps.td"
include "core/ir/simt/SimtMemoryOps.td"
include "core/ir/simt/SimtBarrierOps.td"
include "core/ir/simt/SimtAsyncOps.td"
include "core/ir/simt/SimtMatrixOps.td"

#endif
