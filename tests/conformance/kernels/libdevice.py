# Functions of libdevice: x and the result are vectors of n elements, in blocks of BLOCK.
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.libdevice import fmod as remainder


@triton.jit
def tanh(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.tanh(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def expm1(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.expm1(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def log1p(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.log1p(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def log10(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.log10(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def tan(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.tan(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def sinh(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.sinh(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def cosh(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.cosh(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def trunc(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.trunc(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def round(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.round(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def rint(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.rint(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def isnan(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.isnan(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def isinf(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.isinf(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def saturatef(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.saturatef(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def fmod(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n, other=1)
    tl.store(z_ptr + i, remainder(x, y), mask=i < n)


@triton.jit
def copysign(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n, other=1)
    tl.store(z_ptr + i, tl.extra.libdevice.copysign(x, y), mask=i < n)


@triton.jit
def finite(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    isFinite = libdevice.isfinited(x) if x.dtype == tl.float64 else libdevice.finitef(x)
    tl.store(z_ptr + i, isFinite, mask=i < n)
