import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    n + 1 = x_ptr
# expect: 7:5: error: cannot assign to the result of an operator; expected a name, an attribute, an element or a tuple of these
