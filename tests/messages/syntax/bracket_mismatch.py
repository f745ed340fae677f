import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK], mask=None)
# expect: 7:43: error: expected ")", found "]"
# expect: 7:34: note: the "(" was opened here
