import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 1_000_
# expect: 7:9: error: "1_000_" is not an integer of base 10; drop what does not belong to it
