import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_print(f"{BLOCK")
# expect: 7:23: error: the "{" in this format string is never closed; add "}" before the closing quote
