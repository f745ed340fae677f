import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n > 1 ? 1 : 2
# expect: 7:15: error: "?" is not an operator of Python; write "a if condition else b"
