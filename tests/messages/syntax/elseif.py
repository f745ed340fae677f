import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 1:
        pass
    elseif n > 0:
        pass
# expect: 9:5: error: "elseif" is not a word of Python; write "elif"
