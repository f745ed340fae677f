import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    """Adds one.
    x = 1
# expect: 7:5: error: this string never ends: expected a closing """ before the end of the file
