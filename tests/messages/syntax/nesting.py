import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = ----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------n
# expect: 7:206: error: the code is nested deeper than 200 levels here; split it into functions or statements
