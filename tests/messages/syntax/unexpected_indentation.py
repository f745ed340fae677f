import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 1
        y = 2
# expect: 8:9: error: unexpected indentation; expected this line to begin below the statement before it
