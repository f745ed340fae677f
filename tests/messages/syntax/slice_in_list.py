import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = [0:4]
# expect: 7:11: error: expected ",", an operator or "]", found ":"
# expect: 7:9: note: the bracket was opened here
