import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr mask=None)
# expect: 7:23: error: expected ",", an operator or ")", found "mask"
# expect: 7:16: note: the bracket was opened here
