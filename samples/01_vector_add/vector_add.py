import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, sum_ptr, n, BLOCK: tl.constexpr):
    # Each program computes BLOCK adjacent elements; the mask excludes those beyond n in the last program.
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside)
    y = tl.load(y_ptr + index, mask=inside)
    tl.store(sum_ptr + index, x + y, mask=inside)
