import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = {**n}
# expect: 7:10: error: "**" in a dictionary is not part of the kernel language; write its items
