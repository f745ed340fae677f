import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n: for i in range(n): pass
# expect: 7:11: error: "for" must begin on a line of its own
