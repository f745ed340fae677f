import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = [i * 2 for i in range(4)]
# expect: 7:9: error: list comprehensions are not part of the kernel language; write a for loop over tl.static_range
