import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print('\ud83d', n)
# expect: 7:22: error: this escape is half of a surrogate pair, not a character; write the character as one \U escape
