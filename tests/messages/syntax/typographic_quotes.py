import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print(“n”, n)
# expect: 7:21: error: the character "“" (U+201C) is not part of Python; write a plain quote
