import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = $n
# expect: 7:9: error: the character "$" is not part of Python; delete it
