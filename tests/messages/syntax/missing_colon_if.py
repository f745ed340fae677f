import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid == 0
        tl.store(x_ptr, 1)
# expect: 8:16: error: expected ":" after the condition of if, found the end of the line
