import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    while n > 0 n -= 1
# expect: 7:17: error: expected ":" after the condition of while, found "n"
