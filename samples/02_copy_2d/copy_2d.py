import triton
import triton.language as tl


@triton.jit
def tile_pointers(base_ptr, row, col, row_stride, col_stride):
    # A column of row offsets plus a row of column offsets broadcasts to a tile of addresses. It is computed in
    # 64 bits, because row * row_stride can exceed 2^31 in matrices that fit in memory.
    return base_ptr + row[:, None].to(tl.int64) * row_stride + col[None, :].to(tl.int64) * col_stride


@triton.jit
def copy_kernel(
    from_ptr, to_ptr,
    rows, cols,
    from_row_stride, from_col_stride,
    to_row_stride, to_col_stride,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    row = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    col = tl.program_id(1) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tile = tl.load(tile_pointers(from_ptr, row, col, from_row_stride, from_col_stride), mask=inside)
    tl.store(tile_pointers(to_ptr, row, col, to_row_stride, to_col_stride), tile, mask=inside)
