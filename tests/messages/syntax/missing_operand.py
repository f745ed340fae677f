import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n *
    y = 2
# expect: 7:12: error: expected an expression after "*", found the end of the line
