// Raises the number of programs that a multiprocessor runs at a time, so that some compute while others wait for
// memory. The registers of a thread limit this number. The directive `.minnctapersm` makes ptxas use fewer registers;
// ptxas may then spill values to memory.
#pragma once

#include "backends/cuda/Ptxas.h"

namespace tegula::cuda {

/// Assembles `text`, the artifact's kernel, again so that more programs run at a time. `report` is of its first
/// assembly. A program loads `loadedBytes` of its own from global memory. Null where enough programs run to keep memory
/// busy, where registers do not limit the number of programs, where it does not grow, where a thread would spill too
/// many bytes, or does so already, or where this assembly fails. Also null for kernels with matrix instructions: their
/// loops hide latency by loads ahead, which need the registers. docs/lab/2026-11-26-rows.md ("How many programs run at
/// a time") has the measurements behind the limits.
std::optional<Assembled> assembleForMore(const std::string &ptxas, const Artifact &artifact, const std::string &text,
                                         const PtxasReport &report, uint64_t loadedBytes);

} // namespace tegula::cuda
