import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.sum(n, in=0)
# expect: 7:19: error: "in" is a reserved word of Python and cannot name an argument; rename the parameter
