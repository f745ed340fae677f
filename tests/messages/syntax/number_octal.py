import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 0755
# expect: 7:9: error: the number "0755" begins with 0; write 0o for an octal number, or drop the zeros
