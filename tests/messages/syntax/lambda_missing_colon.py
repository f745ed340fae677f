import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    f = lambda a b: a
# expect: 7:18: error: expected ":" after the parameters of lambda, found "b"
