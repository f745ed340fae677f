import triton
import triton.language as tl


@triton.jit
def gate(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    a = tl.exp2(x) + x
    b = tl.exp2(a * 0.5) * a + x
    tl.store(y_ptr + i, tl.exp2(b * x) * a + b)
