import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n <> 1:
        pass
# expect: 7:10: error: "<>" is not an operator of Python; write "!="
