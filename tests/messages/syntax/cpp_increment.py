import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    n++
# expect: 7:6: error: "++" is not an operator of Python; write "+= 1"
