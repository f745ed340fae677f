# Functions of one float: x and the result are vectors of n elements, in blocks of BLOCK.
import triton
import triton.language as tl
from triton.language import math as tlm


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


@triton.jit
def math_namespace(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # By the names that tl.math and an import have for them.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1.0)
    z = tl.math.exp2(tl.math.log2(x)) + tl.math.rsqrt(x) + tl.math.sqrt(x) + tl.math.abs(-x) + tl.math.floor(x)
    tl.store(z_ptr + i, z + tlm.exp(-x), mask=i < n)


@triton.jit
def keep_types(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Each function's result has its argument's type.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1.0)
    tl.static_assert(tl.exp(x).dtype == x.dtype and tl.exp2(x).dtype == x.dtype and tl.log(x).dtype == x.dtype)
    tl.static_assert(tl.log2(x).dtype == x.dtype and tl.sin(x).dtype == x.dtype and tl.cos(x).dtype == x.dtype)
    tl.static_assert(tl.sqrt(x).dtype == x.dtype and tl.sqrt_rn(x).dtype == x.dtype and tl.rsqrt(x).dtype == x.dtype)
    tl.static_assert(tl.erf(x).dtype == x.dtype and tl.floor(x).dtype == x.dtype and tl.ceil(x).dtype == x.dtype)
    tl.static_assert(tl.abs(x).dtype == x.dtype and tl.sigmoid(x).dtype == x.dtype)
    tl.store(z_ptr + i, tl.abs(x), mask=i < n)
