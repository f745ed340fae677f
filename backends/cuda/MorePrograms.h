// More programs on a multiprocessor at a time: while some wait for memory, others compute. A thread's registers limit
// how many there are; ptxas uses fewer if it is asked to, and may spill some to memory for that.
#pragma once

#include "backends/cuda/Ptxas.h"

namespace tegula::cuda {

/// `text`, which was assembled with `report`, assembled again for more programs of the artifact's kernel at a time;
/// null where their number does not matter or does not grow, or where too many bytes are spilled. Kernels with matrix
/// instructions are left alone: their loops hide latency by loads ahead, which take registers. The figures that decide
/// were measured: docs/performance.md, "Rows". An assembly that fails counts as
/// none.
std::optional<Assembled> assembleForMore(const std::string &ptxas, const Artifact &artifact, const std::string &text,
                                         const PtxasReport &report);

} // namespace tegula::cuda
