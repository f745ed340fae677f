import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK
    mask = offsets < n
# expect: 7:24: error: this "(" is never closed; add ")" where the expression ends
