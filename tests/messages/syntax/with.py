import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    with lock:
        pass
# expect: 7:5: error: "with" is not part of the kernel language; a kernel has nothing to close: keep the block's body only
