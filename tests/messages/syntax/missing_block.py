import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 1:
    x = 1
# expect: 8:5: error: expected an indented block after the "if" in line 7; write pass where there is nothing to do
