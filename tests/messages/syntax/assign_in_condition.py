import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n = 3:
        pass
# expect: 7:10: error: "=" assigns; write "==" to compare in the condition of if
