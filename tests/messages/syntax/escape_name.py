import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_print('\N{DASH}', n)
# expect: 7:22: error: characters by name (\N{...}) are not supported; write the character itself or its \u code
