import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print('\x4', n)
# expect: 7:22: error: this escape needs 2 hexadecimal digits, found 1
