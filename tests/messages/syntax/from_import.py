import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    from math import pi
# expect: 7:5: error: "from" is not part of the kernel language; import at the top of the file
