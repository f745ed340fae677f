import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    try:
        pass
    except ValueError:
        pass
# expect: 7:5: error: "try" is not part of the kernel language; a kernel has no exceptions: test with if, or check with tl.device_assert
