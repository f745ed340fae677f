import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.debug_barrier():
        pass
# expect: 7:23: error: expected the end of the statement, found ":"; a block begins with if, for or while
