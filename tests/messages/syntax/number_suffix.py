import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 1.0f
# expect: 7:9: error: "1.0f" is not a number; drop what does not belong to it
