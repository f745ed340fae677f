import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print('\U00110000', n)
# expect: 7:22: error: this escape is past the last Unicode character, U+10FFFF
