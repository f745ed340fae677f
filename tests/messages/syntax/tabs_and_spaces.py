import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
        x = 1
	y = 2
# expect: 8:2: error: tabs and spaces are mixed so that the indentation depends on the tab width; indent with spaces only
