import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    def helper(x):
        return x
# expect: 7:5: error: "def" is not part of the kernel language; move the inner function to module level and decorate it with @triton.jit
