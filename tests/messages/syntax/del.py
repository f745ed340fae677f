import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    del n
# expect: 7:5: error: "del" is not part of the kernel language; names need no deletion: drop the statement
