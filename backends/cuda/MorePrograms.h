// Raises occupancy: the number of programs that run on a multiprocessor at a time, so that some compute while others
// wait for memory. Registers limit this number. The directive `.minnctapersm` makes ptxas use fewer registers for each
// thread, and ptxas may then spill values to memory.
#pragma once

#include "backends/cuda/Ptxas.h"

namespace tegula::cuda {

/// Assembles `text`, the artifact's kernel. Throws what assemble throws. A kernel with matrix instructions, of which
/// several programs fit on a multiprocessor as far as threads and shared memory are concerned, is assembled up to
/// twice:
///
/// - first without `.minnctapersm 1`: ptxas then takes as few registers as the next higher occupancy needs, where that
///   costs no spills (docs/lab/2026-12-01-stores-in-loops.md has counts);
/// - if nothing spills, again for a third more programs, where so many fit, and that code is returned if it spills
///   nothing either;
/// - if the first code spills, or if its asynchronous products run one after another, again with the directive. That
///   code is returned, unless asynchronous products run one after another in it only.
///
/// A text of 512 KiB or more is assembled with the directive first, and only so if it spills.
Assembled assembleKernel(const std::string &ptxas, const Artifact &artifact, const std::string &text);

/// Assembles `text`, the artifact's kernel, a second time for higher occupancy. `report`: the report of the first
/// assembly. `loadedBytes`: bytes that one program loads from global memory and that other programs do not load.
/// Returns null if enough programs run to keep memory busy, if something other than registers limits occupancy, if the
/// second assembly does not raise it, if a thread spills too many bytes (in the first assembly already, or in the
/// second), or if the second assembly fails. Also null for kernels with matrix instructions, which assembleKernel
/// serves. docs/lab/2026-11-26-rows.md ("How many programs run at a time") has the measurements behind the limits.
std::optional<Assembled> assembleForMore(const std::string &ptxas, const Artifact &artifact, const std::string &text,
                                         const PtxasReport &report, uint64_t loadedBytes);

} // namespace tegula::cuda
