import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    class Pair:
        pass
# expect: 7:5: error: "class" is not part of the kernel language; define the class at module level, decorated with @triton.aggregate
