// The layout of a shared buffer that holds an operand of a matrix instruction. Private to the planned level's passes.
#pragma once

#include "core/ir/layout/LayoutRules.h"

namespace tegula::tile {

/// Bytes of a piece, the widest access of a thread.
inline constexpr int64_t kPieceBytes = 16;

/// Bytes of the shortest span in which operandBuffer permutes pieces.
inline constexpr int64_t kLeastSpanBytes = 32;

/// The swizzled layout of a buffer for a matrix, or a batch of matrices, whose extents are powers of two.
///
/// A line is the elements along the axis `fast`, one of the last two axes. Lines are cut into spans of at most 128
/// bytes and at most `mostLine` elements (at least 32 bytes). The buffer holds the first span of all lines, then the
/// second span of all lines, and so on. Within a span the pieces of 16 bytes are permuted, by XOR of the piece's number
/// with the line's number (layout::spanSwizzled). simt.load_matrix reads the same piece of eight consecutive lines at
/// once; after the permutation these pieces lie in eight different groups of banks. Instructions that read their
/// operands from shared memory accept this layout, too.
layout_ir::SharedAttr operandBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                    int64_t elementBytes, int64_t mostLine);

/// The padded layout of a buffer for a matrix, or a batch of matrices, from which threads load fragments: lines along
/// the axis `fast`, with 16 bytes of padding after each line, so that lines begin in different banks and stay aligned.
layout_ir::SharedAttr paddedBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                   int64_t elementBytes);

/// The padded layout of a buffer for an operand that threads transpose. A thread has `share` neighbouring lines (most
/// often as many as a fragment has), and the next lane stores to lines that are `share` further. The buffer therefore
/// begins with the lines 0, share, 2 * share, ..., then has the lines 1, share + 1, ..., and so on. Each of these
/// `share` groups ends with 16 more bytes of padding. Neither the stores to one group nor the loads of a fragment's
/// lines, one from each group, have bank conflicts.
layout_ir::SharedAttr transposedBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                       int64_t elementBytes, int64_t share);

} // namespace tegula::tile
