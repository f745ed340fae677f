import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    None = n
# expect: 7:5: error: cannot assign to a literal; expected a name, an attribute, an element or a tuple of these
