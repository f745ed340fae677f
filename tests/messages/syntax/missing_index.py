import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n[]
# expect: 7:11: error: expected an index between "[" and "]", found "]"
