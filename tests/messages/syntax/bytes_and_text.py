import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print(b'a' 'b', n)
# expect: 7:26: error: a byte string and a text string cannot be joined; give both the prefix b, or none
# expect: 7:21: note: the first string is here
