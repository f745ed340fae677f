import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    *a, *b = n
# expect: 7:9: error: a tuple of targets can hold one starred target only; drop one star
# expect: 7:5: note: the other one is here
