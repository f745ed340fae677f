import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.for
# expect: 7:12: error: expected an attribute name after ".", found the keyword "for"
