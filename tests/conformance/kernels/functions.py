# Functions of one float: x and the result are vectors of n elements, in blocks of BLOCK.
import triton
import triton.language as tl


@triton.jit
def exp(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.exp(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def exp2(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.exp2(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def log(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.log(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def log2(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.log2(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def sin(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.sin(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def cos(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.cos(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def erf(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.erf(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def sqrt(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.sqrt(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def sqrt_rn(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.sqrt_rn(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def rsqrt(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.rsqrt(tl.load(x_ptr + i, mask=i < n, other=1.0)), mask=i < n)


@triton.jit
def floor(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.floor(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def ceil(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.ceil(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def sigmoid(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.sigmoid(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def gelu(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=i < n)


@triton.jit
def silu(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, x * tl.sigmoid(x), mask=i < n)


@triton.jit
def logsumexp_pair(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    top = tl.maximum(x, y)
    tl.store(z_ptr + i, top + tl.log(tl.exp(x - top) + tl.exp(y - top)), mask=i < n)
