import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 1:
        x = 1
      y = 2
# expect: 9:7: error: this line is indented by 6 columns; expected 4 or 8 as in the blocks before it
