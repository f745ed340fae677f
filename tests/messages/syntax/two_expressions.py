import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n n
# expect: 7:11: error: expected an operator or the end of the statement, found "n"
