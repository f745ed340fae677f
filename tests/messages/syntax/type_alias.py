import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    type T = int
# expect: 7:5: error: "type" is not part of the kernel language; drop the type
