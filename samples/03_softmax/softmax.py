import triton
import triton.language as tl


# One pass. A row stays in registers from its maximum to its exponentials and their sum: each element is read once and
# written once.
@triton.jit
def softmax_fused(x_ptr, y_ptr, x_row_stride, y_row_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    # Columns beyond the row are -inf: never the maximum, and their exponential is zero.
    x = tl.load(x_ptr + row * x_row_stride + col, mask=inside, other=-float('inf'))
    weight = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + col, weight / tl.sum(weight, axis=0), mask=inside)


# The same in three kernels, like a library of separate operations: each intermediate result goes through memory.
@triton.jit
def softmax_row_max(x_ptr, max_ptr, x_row_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full((BLOCK,), -float('inf'), dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + col, mask=col < cols, other=-float('inf'))
        largest = tl.maximum(largest, x)
    tl.store(max_ptr + row, tl.max(largest, axis=0))


@triton.jit
def softmax_exponential(x_ptr, max_ptr, e_ptr, x_row_stride, e_row_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.load(max_ptr + row)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + col, mask=col < cols)
        tl.store(e_ptr + row * e_row_stride + col, tl.exp(x - largest), mask=col < cols)


@triton.jit
def softmax_normalize(e_ptr, y_ptr, e_row_stride, y_row_stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    partial = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        partial += tl.load(e_ptr + row * e_row_stride + col, mask=col < cols, other=0.0)
    total = tl.sum(partial, axis=0)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        e = tl.load(e_ptr + row * e_row_stride + col, mask=col < cols)
        tl.store(y_ptr + row * y_row_stride + col, e / total, mask=col < cols)
