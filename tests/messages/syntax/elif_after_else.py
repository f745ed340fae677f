import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n:
        pass
    else:
        pass
    elif n > 1:
        pass
# expect: 11:5: error: "elif" follows no matching block; expected an if with the same indentation before it
