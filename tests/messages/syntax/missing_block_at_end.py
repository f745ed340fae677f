import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
# expect: 7:22: error: expected an indented block after the "for" in line 7; write pass where there is nothing to do
