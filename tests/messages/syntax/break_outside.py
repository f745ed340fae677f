import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 1:
        break
# expect: 8:9: error: "break" stands outside of a loop; expected a for or while around it
