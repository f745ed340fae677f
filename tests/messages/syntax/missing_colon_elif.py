import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 4:
        pass
    elif n > 2
        pass
# expect: 9:15: error: expected ":" after the condition of elif, found the end of the line
