import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    import math
# expect: 7:5: error: "import" is not part of the kernel language; import at the top of the file
