import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n < 1 || n > 4:
        pass
# expect: 7:14: error: "||" is not an operator of Python; write "or" for conditions, "|" for masks
