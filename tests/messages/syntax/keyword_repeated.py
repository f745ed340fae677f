import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr, mask=None, other=0, mask=None)
# expect: 7:44: error: the argument "mask" is given twice in this call; drop one
# expect: 7:24: note: it was given here first
