import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_print(f"BLOCK}")
# expect: 7:28: error: a single "}" in a format string closes nothing; write "}}" for the character
