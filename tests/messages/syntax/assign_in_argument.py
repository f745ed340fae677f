import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.where(n[0] = 3, 1, 2)
# expect: 7:23: error: only a parameter's name can stand before "=" in a call; write "==" to compare
