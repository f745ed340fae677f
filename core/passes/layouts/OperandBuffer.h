// The layout of a shared buffer that holds an operand of a matrix instruction. Private to the planned level's passes.
#pragma once

#include "core/ir/layout/LayoutRules.h"

namespace tegula::tile {

/// Bytes of the widest access of a thread.
inline constexpr int64_t kPieceBytes = 16;

/// For a matrix, or a batch of them: lines along the axis `fast` (one of the last two), in boxes of at most 128 bytes
/// and at most `mostLine` elements (32 bytes or more) of each line, whose pieces of 16 bytes are exchanged by XOR with
/// the line (layout::spanSwizzled). One piece of eight consecutive lines, as simt.load_matrix reads them, then lies in
/// different banks, and asynchronous products read such buffers, too. Extents are powers of two.
layout_ir::SharedAttr operandBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                    int64_t elementBytes, int64_t mostLine);

} // namespace tegula::tile
