import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 🐍
# expect: 7:9: error: the character "🐍" (U+1F40D) is not part of Python; it may come from a formatted document: type it again
