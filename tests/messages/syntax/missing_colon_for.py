import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n)
        tl.store(x_ptr + i, 0)
# expect: 7:22: error: expected ":" after the iterable of for, found the end of the line
