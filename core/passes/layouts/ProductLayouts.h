// The layouts of a product's operands and result for a matrix instruction whose element mapping is known.
//
// The result is divided into the instruction's tiles (m x n), and the tiles into one block for each warp. The bits of a
// register number are, lowest first: the element within a tile; then, for C, the tile's column and the tile's row; for
// A and B, the tile's position along the depth and the tile's row or column. A warp needs the rows of A and the columns
// of B of its block, over the whole depth; warps whose blocks share rows or columns hold copies.
//
//     m16n8k16 (C: register (0,1) (8,0); lane (0,2) (0,4) (1,0) (2,0) (4,0)) for 64x32 on 2x2 warps:
//     C: register (0,1) (8,0) | (0,8) | (16,0); lane as above; warp (0,16) (32,0)
//
// If a thread's registers of A and B hold elements that are not neighbours along the depth, such as columns t and t + 4
// of A for tf32, the depth of A and B is reordered so that these elements become neighbours.
//
// An instruction that reads shared memory may take A from registers instead. If A has elements of 8 or 32 bits and lies
// across the depth (MN-major), threads load it from its buffer (`loadsLeft`), and the rows of A and of C are in an
// order that suits these loads.
//
// If an extent of the product is smaller than the instruction's, the bits beyond the extent have a basis of zeros:
// these lanes and registers hold copies of the same rows or columns, for which the instruction computes the same sums.
// Other ops expect that a thread holds an element in one register only, so such a result is converted right after the
// product.
//
// An instruction that several warps execute together counts as one unit: the tiles are divided among groups of that
// many warps, and the lowest bits of a warp's number are those of the instruction's own layouts.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/passes/layouts/LayoutChoice.h"

namespace tegula::tile {

/// The extents of a dot, which consists of `batch` products of an m x k and a k x n matrix. `batch` is 1 for a dot of
/// rank 2.
struct DotExtents {
  int64_t batch, m, n, k;
};
DotExtents extentsOf(DotOp dot);
DotExtents extentsOf(simt::ProductOp product);

/// Bytes of a thread's registers for the tensors of the loop that are alive throughout it: loop-carried tensors, and
/// results of products whose accumulator is a constant. `threads`: the number of threads of a program.
int64_t registerBytesOf(mlir::scf::ForOp loop, int64_t threads);

struct ProductLayouts {
  layout_ir::DistributedAttr a, b, c; // null: the operand is in shared memory
  /// Whether several registers of a thread hold one element of C.
  bool copiesInC() const;
};

/// Whether the instruction can compute the dot in registers: it reads its operands from registers, and the dot's depth
/// is at least the instruction's. (With a smaller depth, lanes would hold copies along the depth, which would be added
/// twice.)
bool fitsRegisters(simt::InstructionAttr instruction, DotOp dot);

/// Whether the instruction reads B from shared memory.
bool readsShared(simt::InstructionAttr instruction);

/// How many warps execute the instruction together.
int64_t warpsOf(simt::InstructionAttr instruction);

/// Whether instructions that read shared memory require this element type to lie along the depth (K-major): lines of A
/// hold rows, lines of B hold columns. Operands of 16 bits may lie along the depth or across it (MN-major).
bool readsKMajorOnly(mlir::Type element);

/// Whether threads load the product's left operand from shared memory into registers.
bool loadsLeft(simt::ProductOp product);

/// Whether an instruction that reads B, and A unless A comes from another product, from shared memory can compute the
/// dot. It must read its operands from there, the program must have whole groups of the instruction's warps, and one
/// instruction must cover all columns of a group's part of the result.
bool fitsShared(simt::InstructionAttr instruction, DotOp dot, int64_t warps);

/// Whether elements of the value are computed from a product's result by elementwise ops.
bool comesFromProduct(mlir::Value value);

/// Whether elements of the value flow, through elementwise ops and conversions, to the left operand of a product or to
/// a reduction that gives one result for each row.
bool leadsToRows(mlir::Value value);

/// Whether each warp should have whole rows of the result: the rows are reduced, or the result becomes the left operand
/// of another product, or the dot's left operand is such a result.
bool wantsWholeRows(DotOp dot);

/// The layouts for a dot that `fitsRegisters`. Blocks of warps are as square as possible. If wantsWholeRows, warps
/// divide the rows only, so that each warp has whole rows.
ProductLayouts productLayouts(DotOp dot, simt::InstructionAttr instruction, ThreadShape threads);
/// The layouts of a product that reads operands from shared memory.
ProductLayouts productLayouts(simt::ProductOp product, ThreadShape threads);

/// Into how many parts the product's warp groups divide the rows and the columns of the result, according to its
/// layout. Group g has the part (g / columns, g % columns).
std::array<int64_t, 2> partsOfProduct(simt::ProductOp product);

/// The number of instruction tiles of a warp along the rows, the columns and the depth of one matrix of a batch.
std::array<int32_t, 3> tilesOfWarp(DotOp dot, simt::InstructionAttr instruction);

} // namespace tegula::tile
