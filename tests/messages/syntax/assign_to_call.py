import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.load(x_ptr) = n
# expect: 7:5: error: cannot assign to the result of a call; expected a name, an attribute, an element or a tuple of these
