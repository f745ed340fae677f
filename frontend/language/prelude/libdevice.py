# Functions of triton.language.extra.libdevice that are written in the language itself. Those that are one op stand in
# builtins/BuiltinsLibdevice.cpp. Arguments are f32 or f64.
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


# --- neighbours and parts of a float, by its bits ---


@triton.jit
def libdevice_words(x):
    return x.to(tl.int64, bitcast=True) if x.dtype == tl.float64 else x.to(tl.int32, bitcast=True)


@triton.jit
def libdevice_of_words(bits):
    return bits.to(tl.float64, bitcast=True) if bits.dtype == tl.int64 else bits.to(tl.float32, bitcast=True)


# The next number upwards, of NaN and infinity itself. Bits of positive numbers rise with them, those of negative fall.
@triton.jit
def libdevice_above(x):
    bits = libdevice_words(x)
    next = tl.where(x == 0, 1, tl.where(bits < 0, bits - 1, bits + 1))
    return libdevice_of_words(tl.where((x != x) | (x == float("inf")), bits, next.to(bits.dtype)))


@triton.jit
def libdevice_below(x):
    return -libdevice_above(-x)


@triton.jit
def libdevice_nextafter(x, y):
    x, y = tl.broadcast(tl.to_tensor(x), tl.to_tensor(y))
    moved = tl.where(y > x, libdevice_above(x), tl.where(y < x, libdevice_below(x), y))
    return tl.where((x != x) | (y != y), x + y, moved)


@triton.jit
def libdevice_signbit(x):
    return (libdevice_words(x) < 0).to(tl.int32)


@triton.jit
def libdevice_fdim(x, y):
    return tl.where(x > y, x - y, tl.where(x <= y, 0.0, x + y))


# The exponent of a finite number other than zero.
@triton.jit
def libdevice_exponent(x):
    if x.dtype == tl.float64:
        bits = (tl.abs(x) * 18014398509481984.0).to(tl.int64, bitcast=True)  # 2^54: no subnormal number is left
        large = tl.abs(x).to(tl.int64, bitcast=True)
        return tl.where(large >> 52 > 0, (large >> 52) - 1023, (bits >> 52) - 1077).to(tl.int32)
    else:
        short = (tl.abs(x) * 33554432.0).to(tl.int32, bitcast=True)  # 2^25
        wide = tl.abs(x).to(tl.int32, bitcast=True)
        return tl.where(wide >> 23 > 0, (wide >> 23) - 127, (short >> 23) - 152)


@triton.jit
def libdevice_ilogb(x):
    isPlain = (x != 0) & (tl.abs(x) < float("inf"))
    # Zero and NaN give the lowest integer, infinity the highest.
    return tl.where(isPlain, libdevice_exponent(x), tl.where(tl.abs(x) == float("inf"), 2147483647, -2147483648))


@triton.jit
def libdevice_logb(x):
    size = tl.abs(x)
    whole = libdevice_exponent(x).to(x.dtype)
    return tl.where((size < float("inf")) & (size > 0), whole, tl.where(size == 0, float("-inf"), size))


# 2^n for n in the range of normal numbers.
@triton.jit
def libdevice_power_of_two(n, like):
    if like.dtype == tl.float64:
        return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)
    else:
        return ((n + 127) << 23).to(tl.float32, bitcast=True)


# x * 2^n, rounded once: downwards in steps that keep all digits above the subnormal numbers until the last one.
@triton.jit
def libdevice_ldexp(x, n):
    most: tl.constexpr = 1000 if x.dtype == tl.float64 else 120
    digits: tl.constexpr = 54 if x.dtype == tl.float64 else 25
    n = tl.minimum(tl.maximum(n, -3 * most), 3 * most)
    up = tl.minimum(tl.maximum(n, 0), most)
    upMore = tl.minimum(tl.maximum(n - most, 0), most)
    upLast = tl.maximum(n - 2 * most, 0)
    grown = x * libdevice_power_of_two(up, x) * libdevice_power_of_two(upMore, x) * libdevice_power_of_two(upLast, x)
    # Towards zero: raised first, so that the steps down meet no subnormal number before the last one.
    down = tl.minimum(n, 0)
    exponent = libdevice_exponent(tl.where(x == 0, 1.0, x).to(x.dtype))
    target = tl.maximum(exponent + down, -most - 200)
    mantissa = x * libdevice_power_of_two(tl.minimum(tl.maximum(-exponent, -most), most), x)
    mantissa = mantissa * libdevice_power_of_two(tl.minimum(tl.maximum(-exponent - most, 0), most), x)
    mantissa = mantissa * libdevice_power_of_two(tl.minimum(tl.maximum(-exponent + most, -most), 0), x)
    first = tl.minimum(tl.maximum(target, -most), most)
    rest = tl.minimum(tl.maximum(target - first, -most), most)
    shrunk = mantissa * libdevice_power_of_two(first, x) * libdevice_power_of_two(rest, x)
    shrunk = tl.where(tl.abs(x) < float("inf"), shrunk, x)
    return tl.where(n > 0, grown, shrunk)


# --- arithmetic by rounding: the exact result is x * y + z of one multiply-add, or lies where its sign says ---


@triton.jit
def libdevice_signed_zero(x, y):
    x, y = tl.broadcast(tl.to_tensor(x), tl.to_tensor(y))
    return libdevice_of_words((libdevice_words(x) ^ libdevice_words(y)) & libdevice_words(-tl.zeros_like(x)))


@triton.jit
def libdevice_add_rd(x, y):
    return tl.math.fma_rd(x, 1.0, y)


@triton.jit
def libdevice_add_ru(x, y):
    return tl.math.fma_ru(x, 1.0, y)


@triton.jit
def libdevice_add_rz(x, y):
    return tl.math.fma_rz(x, 1.0, y)


@triton.jit
def libdevice_sub_rd(x, y):
    return tl.math.fma_rd(x, 1.0, -y)


@triton.jit
def libdevice_sub_ru(x, y):
    return tl.math.fma_ru(x, 1.0, -y)


@triton.jit
def libdevice_sub_rz(x, y):
    return tl.math.fma_rz(x, 1.0, -y)


@triton.jit
def libdevice_mul_rd(x, y):
    return tl.math.fma_rd(x, y, libdevice_signed_zero(x, y))


@triton.jit
def libdevice_mul_ru(x, y):
    return tl.math.fma_ru(x, y, libdevice_signed_zero(x, y))


@triton.jit
def libdevice_mul_rz(x, y):
    return tl.math.fma_rz(x, y, libdevice_signed_zero(x, y))


# The quotient, rounded to nearest, moves to its neighbour if the exact one is on the other side: the sign of x - q y,
# which multiply-adds that round down and up tell. Infinite operands give NaN there, and nothing moves.
@triton.jit
def libdevice_quotient_side(x, y, q):
    isPositive = tl.math.fma_ru(-q, y, x) > 0
    isNegative = tl.math.fma_rd(-q, y, x) < 0
    isDown = y < 0
    return tl.where(isDown, isNegative, isPositive), tl.where(isDown, isPositive, isNegative)


@triton.jit
def libdevice_div_rd(x, y):
    q = tl.div_rn(x, y)
    isMore, isLess = libdevice_quotient_side(x, y, q)
    return tl.where(isLess, libdevice_below(q), q)


@triton.jit
def libdevice_div_ru(x, y):
    q = tl.div_rn(x, y)
    isMore, isLess = libdevice_quotient_side(x, y, q)
    return tl.where(isMore, libdevice_above(q), q)


@triton.jit
def libdevice_div_rz(x, y):
    q = tl.div_rn(x, y)
    isMore, isLess = libdevice_quotient_side(x, y, q)
    return tl.where((q > 0) & isLess, libdevice_below(q), tl.where((q < 0) & isMore, libdevice_above(q), q))


@triton.jit
def libdevice_rcp_rn(x):
    return tl.div_rn(tl.full(x.shape, 1.0, x.dtype), x)


@triton.jit
def libdevice_rcp_rd(x):
    return libdevice_div_rd(tl.full(x.shape, 1.0, x.dtype), x)


@triton.jit
def libdevice_rcp_ru(x):
    return libdevice_div_ru(tl.full(x.shape, 1.0, x.dtype), x)


@triton.jit
def libdevice_rcp_rz(x):
    return libdevice_div_rz(tl.full(x.shape, 1.0, x.dtype), x)


@triton.jit
def libdevice_sqrt_rd(x):
    root = tl.sqrt_rn(x)
    return tl.where(tl.math.fma_rd(-root, root, x) < 0, libdevice_below(root), root)


@triton.jit
def libdevice_sqrt_ru(x):
    root = tl.sqrt_rn(x)
    return tl.where(tl.math.fma_ru(-root, root, x) > 0, libdevice_above(root), root)


# A float exponent would lose whether a large integer is odd.
@triton.jit
def libdevice_power_of_integer(x, y):
    size = tl.math.pow(tl.abs(x), y.to(x.dtype))
    return tl.where((y & 1) != 0, libdevice_copysign(size, x), size)


@triton.jit
def libdevice_remainder(x, y):
    x, y = tl.broadcast(tl.to_tensor(x), tl.to_tensor(y))
    size = tl.abs(y)
    rest = tl.abs(x % tl.where(size + size < float("inf"), size + size, float("inf")))
    half = size * 0.5
    # Twice the rest would overflow and half of y lose a digit: one of both compares exactly.
    isSmall = size < 1e-30
    moves = tl.where(isSmall, rest + rest > size, rest > half)
    lower = tl.where(moves, rest - size, rest)
    again = moves & tl.where(isSmall, lower + lower >= size, lower >= half)
    rest = tl.where(again, lower - size, lower)
    signed = tl.where(libdevice_words(x) < 0, -rest, rest)
    result = tl.where(signed == 0, libdevice_copysign(signed, x), signed)
    result = tl.where((size == float("inf")) & (tl.abs(x) < float("inf")), x, result)
    return tl.where(y == y, result, y)


# --- lengths ---


@triton.jit
def libdevice_rhypot(x, y):
    return tl.div_rn(1.0, tl.math.hypot(x, y))


@triton.jit
def libdevice_norm3d(x, y, z):
    return tl.math.hypot(tl.math.hypot(x, y), z)


@triton.jit
def libdevice_rnorm3d(x, y, z):
    return tl.div_rn(1.0, libdevice_norm3d(x, y, z))


@triton.jit
def libdevice_norm4d(x, y, z, w):
    return tl.math.hypot(tl.math.hypot(x, y), tl.math.hypot(z, w))


@triton.jit
def libdevice_rnorm4d(x, y, z, w):
    return tl.div_rn(1.0, libdevice_norm4d(x, y, z, w))


@triton.jit
def libdevice_rcbrt(x):
    return tl.div_rn(1.0, tl.math.cbrt(x))


# 1 / sqrt(x), rounded to nearest. With x = A 2^(2 e), A an integer of 24 or 25 bits, and R the 24 bits of the result,
# R is the largest integer for which (2 R - 1)^2 A < 2^73.
@triton.jit
def libdevice_rsqrt_rn(x):
    isTiny = x < 1e-30
    scaled = tl.where(isTiny, x * 281474976710656.0, x)
    bits = scaled.to(tl.uint32, bitcast=True)
    exponent = (bits >> 23).to(tl.int32) - 127
    odd = exponent & 1
    a = ((bits & 0x7FFFFF) | 0x800000) << odd.to(tl.uint32)
    r = (tl.rsqrt(a.to(tl.float32) * 1.1920928955078125e-07) * 16777216.0 + 3.0).to(tl.uint64)
    for _ in range(8):
        twice = 2 * r - 1
        r = tl.where(tl.umulhi((twice * twice) << 13, a.to(tl.uint64)) < 4194304, r, r - 1)
    shift = tl.where(isTiny, 24, 0) - ((exponent - odd) >> 1)
    result = libdevice_ldexp(r.to(tl.float32) * 5.9604644775390625e-08, shift)
    return tl.where((x > 0) & (x < float("inf")), result, tl.rsqrt(x))


# The upper 32 bits of 1 / x; the lower ones are zero.
@triton.jit
def libdevice_rcp64h(x):
    bits = (1.0 / x).to(tl.uint64, bitcast=True)
    return (bits & 0xFFFFFFFF00000000).to(tl.float64, bitcast=True)
