import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_print(f"{}")
# expect: 7:24: error: expected an expression between the braces of this format string; write "{{}}" for the characters
