import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 1 if n > 1
# expect: 7:19: error: expected "else" after the condition of "a if condition else b", found the end of the line
