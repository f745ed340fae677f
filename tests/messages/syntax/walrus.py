import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if (m := n + 1) > 2:
        pass
# expect: 7:11: error: assignment expressions (":=") are not part of the kernel language; assign on a line of its own
