import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_print(f"{BLOCK!d}")
# expect: 7:30: error: "!d" is no conversion of a format string; write !r, !s or !a
