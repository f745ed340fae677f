import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i range(n):
        pass
# expect: 7:11: error: expected "in" after the target of for, found "range"
