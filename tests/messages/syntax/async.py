import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    async for i in n:
        pass
# expect: 7:5: error: "async" is not part of the kernel language; a kernel runs to its end: drop the word
