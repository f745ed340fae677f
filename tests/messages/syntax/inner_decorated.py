import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    @triton.jit
    def helper(x):
        return x
# expect: 7:5: error: "@" is not part of the kernel language; move the decorated function to module level
