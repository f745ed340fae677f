import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 1
    else:
        pass
# expect: 8:5: error: "else" follows no matching block; expected an if, for or while with the same indentation before it
