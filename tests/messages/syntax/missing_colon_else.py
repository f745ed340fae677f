import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 4:
        pass
    else
        pass
# expect: 9:9: error: expected ":" after else, found the end of the line
