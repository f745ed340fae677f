# The kernel of lines.py, which finds lines by the comments at their ends.
import triton
import triton.language as tl
from scaling import scaled


@triton.jit
def twice(value, factor):
    return scaled(value, factor) + 1  # inner call


@triton.jit
def caller(x, out, n, factor, BLOCK: tl.constexpr):  # kernel
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # index
    value = tl.load(x + index, mask=index < n, other=0)  # load
    value = twice(value, factor)  # outer call
    tl.store(out + index, value, mask=index < n)  # store
