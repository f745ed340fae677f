import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    yield n
# expect: 7:5: error: "yield" is not part of the kernel language; return a tuple, or store to memory
