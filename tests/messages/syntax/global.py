import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    global N
    N = 1
# expect: 7:5: error: "global" is not part of the kernel language; a kernel cannot change variables of the module: pass values as arguments and return results
