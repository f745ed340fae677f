import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a, b: tl.constexpr = 1, 2
# expect: 7:5: error: several names at once cannot have an annotation; only a name, an attribute or an element can
