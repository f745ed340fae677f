import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 0x1_0000_0000_0000_0000_0000_0000_0000_0000
# expect: 7:9: error: the integer "0x1_0000_0000_0000_0000_0000_0000_0000_0000" needs more than the 127 bits that are available
