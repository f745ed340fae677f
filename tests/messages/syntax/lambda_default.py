import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    f = lambda a, b=1: a + b
# expect: 7:19: error: the parameters of a lambda must be plain names in the kernel language; drop defaults and stars
