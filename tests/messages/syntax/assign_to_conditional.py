import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    (n if BLOCK else x_ptr) = 1
# expect: 7:6: error: cannot assign to a conditional expression; expected a name, an attribute, an element or a tuple of these
