# Functions of triton.language.extra.libdevice that are written in the language itself. Those that are one op stand in
# builtins/BuiltinsMath.cpp. Arguments are f32 or f64.
import triton
import triton.language as tl


@triton.jit
def libdevice_isnan(x):
    return x != x


@triton.jit
def libdevice_isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def libdevice_finite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def libdevice_fmod(x, y):
    return x % y


@triton.jit
def libdevice_copysign(x, y):
    x, y = tl.broadcast(tl.to_tensor(x), tl.to_tensor(y))
    if x.dtype == tl.float64:
        size = x.to(tl.uint64, bitcast=True) & 0x7FFFFFFFFFFFFFFF
        return (size | (y.to(tl.uint64, bitcast=True) & 0x8000000000000000)).to(tl.float64, bitcast=True)
    else:
        short = x.to(tl.uint32, bitcast=True) & 0x7FFFFFFF
        return (short | (y.to(tl.uint32, bitcast=True) & 0x80000000)).to(tl.float32, bitcast=True)


# Halves are rounded away from zero.
@triton.jit
def libdevice_round(x):
    whole = tl.math.trunc(x)
    return tl.where(tl.abs(x - whole) >= 0.5, whole + tl.where(x < 0, -1.0, 1.0).to(x.dtype), whole)


# Halves are rounded to even numbers.
@triton.jit
def libdevice_rint(x):
    whole = tl.math.trunc(x)
    rest = tl.abs(x - whole)
    half = whole * 0.5
    isOdd = half != tl.math.trunc(half)
    return tl.where((rest > 0.5) | ((rest == 0.5) & isOdd), whole + tl.where(x < 0, -1.0, 1.0).to(x.dtype), whole)


@triton.jit
def libdevice_fdividef(x, y):
    return tl.fdiv(x, y)


@triton.jit
def libdevice_saturatef(x):
    return tl.where(x > 0.0, tl.where(x < 1.0, x, 1.0), 0.0)


@triton.jit
def libdevice_log10(x):
    return tl.log2(x) * 0.30102999566398119521


@triton.jit
def libdevice_tan(x):
    return tl.sin(x) / tl.cos(x)


# Near zero by expm1, which keeps the digits that exp(x) - exp(-x) would lose; far away by the root of the result, which
# does not overflow before the result does.
@triton.jit
def libdevice_sinh(x):
    size = tl.abs(x)
    grown = tl.math.expm1(size)
    near = 0.5 * (grown + grown / (grown + 1.0))
    root = tl.exp(0.5 * size)
    return libdevice_copysign(tl.where(size < 32.0, near, (0.5 * root) * root), x)


@triton.jit
def libdevice_cosh(x):
    size = tl.abs(x)
    grown = tl.exp(tl.minimum(size, 32.0))
    root = tl.exp(0.5 * size)
    return tl.where(size < 32.0, 0.5 * grown + 0.5 / grown, (0.5 * root) * root)
