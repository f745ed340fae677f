import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n − 1
# expect: 7:11: error: the character "−" (U+2212) is not part of Python; write "-"
