import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n + \ # more
        1
# expect: 7:13: error: a backslash continues a line only as its last character; delete it or what follows it in this line
