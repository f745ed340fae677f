import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = t"{n}"
# expect: 7:9: error: template strings (t"...") are not part of the kernel language; write f"..."
