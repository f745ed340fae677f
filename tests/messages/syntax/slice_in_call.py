import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr, 0:4)
# expect: 7:25: error: a slice "a:b" stands in square brackets only; write x[a:b], or "==" or "<" to compare
