import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if !n:
        pass
# expect: 7:8: error: "!" is not an operator of Python; write "not x" for a condition, "~x" for a mask
