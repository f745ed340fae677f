import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr, mask=None, 0.0)
# expect: 7:35: error: a positional argument follows the keyword argument "mask="; move it before that one, or name it
# expect: 7:24: note: the keyword argument is here
