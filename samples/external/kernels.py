import triton
import triton.language as tl


@triton.jit
def saxpy(x_ptr, y_ptr, out_ptr, n, a, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, a * x + y, mask=at < n)


@triton.jit
def row_sums(x_ptr, out_ptr, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * stride + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0))
