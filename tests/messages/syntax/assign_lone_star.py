import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = *n
# expect: 7:9: error: a starred value needs a list or tuple around it; write "[*x]" or "*x,"
