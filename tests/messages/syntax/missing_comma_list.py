import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.zeros([BLOCK BLOCK], tl.float32)
# expect: 7:21: error: expected ",", an operator or "]", found "BLOCK"
# expect: 7:14: note: the bracket was opened here
