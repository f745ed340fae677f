import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x =
# expect: 7:8: error: expected an expression after "=", found the end of the line
