import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print("value, n)
# expect: 7:21: error: this string never ends: expected a closing " before the end of the line
