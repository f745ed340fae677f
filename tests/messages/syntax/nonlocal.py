import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    nonlocal m
# expect: 7:5: error: "nonlocal" is not part of the kernel language; a kernel cannot change variables around it: pass values as arguments and return results
