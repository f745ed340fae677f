import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 2nd
# expect: 7:9: error: "2nd" is not an integer of base 10; drop what does not belong to it
