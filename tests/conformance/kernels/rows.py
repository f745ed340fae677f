# Rows that begin at any multiple of their element: wide accesses inside, narrow ones at the edges.
import triton
import triton.language as tl


@triton.jit
def between(x_ptr, y_ptr, x_stride, y_stride, low, high, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + col, mask=(col >= low) & (col < high), other=5)
    tl.store(y_ptr + row * y_stride + col, x, mask=col < cols)


@triton.jit
def whole_rows(x_ptr, y_ptr, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    tl.store(y_ptr + row * y_stride + col, tl.load(x_ptr + row * x_stride + col))


@triton.jit
def in_place(x_ptr, stride, cols, BLOCK: tl.constexpr):
    at = x_ptr + tl.program_id(0) * stride + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < cols
    tl.store(at, tl.load(at, mask=inside) + 1, mask=inside)
    tl.store(at, tl.load(at, mask=inside) * 2, mask=inside)


# The row, a second one of another type and alignment, and the number of the column.
@triton.jit
def combined(x_ptr, weight_ptr, y_ptr, sums_ptr, x_stride, y_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(x_ptr + row * x_stride + col, mask=inside, other=0)
    weight = tl.load(weight_ptr + col, mask=inside, other=7)
    y = x.to(tl.int32) * 3 + weight.to(tl.int32) + col
    tl.store(y_ptr + row * y_stride + col, y, mask=inside)
    tl.store(sums_ptr + row, tl.sum(tl.where(inside, y, 0), axis=0))


# Weights that all rows share, aligned as the rows are not.
@triton.jit
def weighted(x_ptr, weight_ptr, bias_ptr, y_ptr, sums_ptr, x_stride, y_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(x_ptr + row * x_stride + col, mask=inside, other=0)
    tl.store(sums_ptr + row, tl.sum(x.to(tl.int32), axis=0))
    weight = tl.load(weight_ptr + col, mask=inside)
    bias = tl.load(bias_ptr + col, mask=inside)
    tl.store(y_ptr + row * y_stride + col, x * weight + bias, mask=inside)


# The same columns under another bound, without a mask (the weights are padded to the block), and as numbers.
@triton.jit
def weighted_apart(x_ptr, weight_ptr, bias_ptr, y_ptr, sums_ptr, x_stride, y_stride, cols, stored, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + col, mask=col < cols, other=0)
    bias = tl.load(bias_ptr + col, mask=col < cols, other=0)
    weight = tl.load(weight_ptr + col)
    tl.store(sums_ptr + row, tl.sum(weight.to(tl.int32), axis=0) + tl.sum(col, axis=0))
    tl.store(y_ptr + row * y_stride + col, x * weight + bias, mask=col < stored)


# Arithmetic that looks like a rotated range, but whose remainder matters.
@triton.jit
def slots(y_ptr, position, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    turn = (position.to(tl.uint32) & 124) >> 2
    slot = (col - turn.to(tl.int32)) & 255
    tl.store(y_ptr + col, slot, mask=col < BLOCK - 3)


# Blocks of a row, whose sums a loop carries element by element.
@triton.jit
def sums_of_blocks(x_ptr, y_ptr, x_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros((BLOCK,), dtype=tl.int32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + row * x_stride + col, mask=col < cols, other=0).to(tl.int32)
    tl.store(y_ptr + row, tl.sum(sums, axis=0))


# The order of the elements matters: the range stays as it is.
@triton.jit
def running_sums(x_ptr, y_ptr, x_stride, y_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + col, mask=col < cols, other=0)
    tl.store(y_ptr + row * y_stride + col, tl.cumsum(x.to(tl.int32), axis=0), mask=col < cols)


# Aligned rows of several at a time, with a mask that ends at any column.
@triton.jit
def tile_of_rows(x_ptr, y_ptr, stride, rows, low, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    at = row[:, None] * stride + col[None, :]
    inside = (row[:, None] < rows) & (col[None, :] >= low) & (col[None, :] < cols)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside, other=3), mask=inside)


@triton.jit
def scaled_softmax(x_ptr, y_ptr, scale, stride, rows, cols, step, BLOCK: tl.constexpr):
    # Several rows a program; the scale is known at run time only.
    i = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, step):
        x = tl.load(x_ptr + row * stride + i, mask=i < cols, other=-float("inf"))
        score = tl.where(i < cols, x * scale, -float("inf"))
        weight = tl.exp(score - tl.max(score, axis=0))
        tl.store(y_ptr + row * stride + i, weight / tl.sum(weight, axis=0), mask=i < cols)
