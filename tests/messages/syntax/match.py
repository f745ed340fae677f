import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    match n:
        case 1:
            pass
# expect: 7:5: error: "match" is not part of the kernel language; compare with if and elif
