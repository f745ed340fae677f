import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    continue
# expect: 7:5: error: "continue" stands outside of a loop; expected a for or while around it
