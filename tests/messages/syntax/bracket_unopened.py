import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr))
# expect: 7:23: error: this ")" closes no bracket; delete it, or open one before it
