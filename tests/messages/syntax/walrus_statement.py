import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m := 1
# expect: 7:7: error: ":=" assigns inside of an expression; write "=" in an assignment
