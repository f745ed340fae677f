import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 2 + 1j
# expect: 7:13: error: complex numbers are not part of the kernel language; keep real and imaginary parts in two tensors
