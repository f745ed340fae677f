import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = {1, 2}
# expect: 7:9: error: sets are not part of the kernel language; write a tuple
