// The layout of a shared buffer that holds an operand of a matrix instruction. Private to the planned level's passes.
#pragma once

#include "core/ir/layout/LayoutRules.h"

namespace tegula::tile {

/// Bytes of the widest access of a thread.
inline constexpr int64_t kPieceBytes = 16;

/// Bytes of the shortest span whose pieces operandBuffer permutes.
inline constexpr int64_t kLeastSpanBytes = 32;

/// The layout for a matrix, or a batch of matrices, whose extents are powers of two.
///
/// A line is the elements along the axis `fast`, one of the last two. Lines are cut into spans of at most 128 bytes and
/// at most `mostLine` elements (at least 32 bytes); the buffer holds the first span of all lines, then the second, and
/// so on. Within a span the pieces of 16 bytes are permuted, by XOR of their number with the line's number
/// (layout::spanSwizzled). Therefore the same piece of eight consecutive lines, which is what simt.load_matrix reads at
/// once, lies in eight different groups of banks. Instructions that read their operands from shared memory accept this
/// layout, too.
layout_ir::SharedAttr operandBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                    int64_t elementBytes, int64_t mostLine);

/// The layout for a matrix, or a batch of matrices, from which fragments are loaded: lines along the axis `fast`, with
/// 16 bytes of padding after each, so that lines begin in different banks and stay aligned.
layout_ir::SharedAttr paddedBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                   int64_t elementBytes);

/// The same for an operand that threads transpose: each has neighbouring lines, most often as many as a fragment has,
/// `share`, and its neighbours store to lines that are as many further. So first come the lines 0, share, 2 * share,
/// ..., then the lines 1, share + 1, ..., each of these groups with 16 bytes of padding more: neither the stores to a
/// group nor the loads of a fragment's lines, which lie in `share` groups, meet in a bank.
layout_ir::SharedAttr transposedBuffer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned fast,
                                       int64_t elementBytes, int64_t share);

} // namespace tegula::tile
