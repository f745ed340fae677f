import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = sum(i for i in range(4))
# expect: 7:13: error: generator expressions are not part of the kernel language; write a for loop over tl.static_range
