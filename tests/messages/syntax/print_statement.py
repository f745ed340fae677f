import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    print n
# expect: 7:11: error: print is a function; write tl.device_print("text", value) with parentheses
