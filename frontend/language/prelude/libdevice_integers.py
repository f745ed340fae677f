# Functions of libdevice on integers, and conversions that round in a direction.
import triton
import triton.language as tl


# --- bits of an integer of 32 or 64 bits ---


@triton.jit
def libdevice_popc(x):
    if x.dtype.primitive_bitwidth == 64:
        return libdevice_popc(x.to(tl.uint32)) + libdevice_popc((x >> 32).to(tl.uint32))
    else:
        n = x.to(tl.uint32)
        n = n - ((n >> 1) & 0x55555555)
        n = (n & 0x33333333) + ((n >> 2) & 0x33333333)
        n = (n + (n >> 4)) & 0x0F0F0F0F
        return ((n * 0x01010101) >> 24).to(tl.int32)


@triton.jit
def libdevice_clz(x):
    if x.dtype.primitive_bitwidth == 64:
        high = (x.to(tl.uint64) >> 32).to(tl.uint32)
        return tl.where(high == 0, 32 + libdevice_clz(x.to(tl.uint32)), libdevice_clz(high))
    else:
        n = x.to(tl.uint32)
        n = n | (n >> 1)
        n = n | (n >> 2)
        n = n | (n >> 4)
        n = n | (n >> 8)
        n = n | (n >> 16)
        return 32 - libdevice_popc(n)


# The number of the lowest set bit, counted from 1; 0 of 0.
@triton.jit
def libdevice_ffs(x):
    return tl.where(x == 0, 0, libdevice_popc((x & -x) - 1) + 1)


@triton.jit
def libdevice_brev(x):
    if x.dtype.primitive_bitwidth == 64:
        low = libdevice_brev(x.to(tl.uint32)).to(tl.uint64)
        high = libdevice_brev((x.to(tl.uint64) >> 32).to(tl.uint32)).to(tl.uint64)
        return ((low << 32) | high).to(x.dtype)
    else:
        n = x.to(tl.uint32)
        n = ((n >> 1) & 0x55555555) | ((n & 0x55555555) << 1)
        n = ((n >> 2) & 0x33333333) | ((n & 0x33333333) << 2)
        n = ((n >> 4) & 0x0F0F0F0F) | ((n & 0x0F0F0F0F) << 4)
        n = ((n >> 8) & 0x00FF00FF) | ((n & 0x00FF00FF) << 8)
        return ((n >> 16) | (n << 16)).to(x.dtype)


# Byte k of the result is the byte of y:x (x has the lower four) that bits 4k to 4k + 2 of s name.
@triton.jit
def libdevice_byte_perm(x, y, s):
    both = x.to(tl.uint32).to(tl.uint64) | (y.to(tl.uint32).to(tl.uint64) << 32)
    bytes = s.to(tl.uint32) & 0
    for k in tl.static_range(4):
        which = (s.to(tl.uint32) >> (4 * k)) & 7
        bytes = bytes | ((both >> (which * 8).to(tl.uint64)).to(tl.uint32) & 255) << (8 * k)
    return bytes.to(x.dtype)


# The same for unsigned words; where bit 4k + 3 of s is set, the byte's sign eight times.
@triton.jit
def assembly_prmt(x, y, s):
    both = x.to(tl.uint64) | (y.to(tl.uint64) << 32)
    bytes = s & 0
    for k in tl.static_range(4):
        which = (s >> (4 * k)) & 15
        byte = (both >> ((which & 7) * 8).to(tl.uint64)).to(tl.uint32) & 255
        byte = tl.where(which < 8, byte, (byte >> 7) * 255)
        bytes = bytes | (byte << (8 * k))
    return bytes


@triton.jit
def libdevice_mulhi(x, y):
    if x.dtype == tl.int32:
        return ((x.to(tl.int64) * y.to(tl.int64)) >> 32).to(tl.int32)
    elif x.dtype == tl.int64:
        high = tl.umulhi(x.to(tl.uint64), y.to(tl.uint64)).to(tl.int64)
        return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)
    else:
        return tl.umulhi(x, y)


# The product of the lower 24 bits, signed or not.
@triton.jit
def libdevice_mul24(x, y):
    return ((x << 8) >> 8) * ((y << 8) >> 8)


# |x - y| + z, unsigned.
@triton.jit
def libdevice_sad(x, y, z):
    return (tl.where(x > y, x - y, y - x).to(tl.uint32) + z.to(tl.uint32)).to(z.dtype)


# The average rounded down, and rounded up, without overflow.
@triton.jit
def libdevice_hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def libdevice_rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


# --- the same bits as another type ---


@triton.jit
def libdevice_as_int(x):
    return x.to(tl.int32, bitcast=True)


@triton.jit
def libdevice_as_uint(x):
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def libdevice_as_float(x):
    return x.to(tl.float32, bitcast=True)


@triton.jit
def libdevice_as_longlong(x):
    return x.to(tl.int64, bitcast=True)


@triton.jit
def libdevice_as_double(x):
    return x.to(tl.float64, bitcast=True)


@triton.jit
def libdevice_hiloint2double(high, low):
    return ((high.to(tl.int64) << 32) | low.to(tl.uint32).to(tl.int64)).to(tl.float64, bitcast=True)


@triton.jit
def libdevice_double2loint(x):
    return x.to(tl.int64, bitcast=True).to(tl.int32)


@triton.jit
def libdevice_double2hiint(x):
    return (x.to(tl.int64, bitcast=True) >> 32).to(tl.int32)


# --- floats to integers: rounded to a whole number first ---


@triton.jit
def libdevice_to_whole(x, MODE: tl.constexpr):
    if MODE == "rn":
        return libdevice_rint(x)
    elif MODE == "rd":
        return tl.floor(x)
    elif MODE == "ru":
        return tl.ceil(x)
    else:
        return x


# --- to a float that may be too narrow: the nearest one moves to its neighbour if it is on the wrong side ---


@triton.jit
def libdevice_moved(y, isAbove, isBelow, MODE: tl.constexpr):
    if MODE == "rd":
        return tl.where(isAbove, libdevice_below(y), y)
    elif MODE == "ru":
        return tl.where(isBelow, libdevice_above(y), y)
    elif MODE == "rz":
        down = tl.where((y > 0) & isAbove, libdevice_below(y), y)
        return tl.where((y < 0) & isBelow, libdevice_above(y), down)
    else:
        return y


@triton.jit
def libdevice_narrowed(x, MODE: tl.constexpr):
    y = x.to(tl.float32)
    return libdevice_moved(y, y.to(tl.float64) > x, y.to(tl.float64) < x, MODE)


# Beyond the integers' range the rounded number is above them all.
@triton.jit
def libdevice_of_integer(x, TYPE: tl.constexpr, MODE: tl.constexpr):
    y = x.to(TYPE)
    most: tl.constexpr = 18446744073709551616.0 if x.dtype == tl.uint64 else 9223372036854775808.0
    WIDE: tl.constexpr = tl.uint64 if x.dtype == tl.uint64 else tl.int64
    isBeyond = y >= most
    back = tl.where(isBeyond, 0.0, y).to(WIDE)
    same = x.to(WIDE)
    return libdevice_moved(y, isBeyond | (back > same), ~isBeyond & (back < same), MODE)


# A whole number as an integer: the nearest that the type has, and 0 for NaN. No conversion leaves the type's range, so
# that none is undefined.
@triton.jit
def libdevice_limited(x, TYPE: tl.constexpr):
    IS_SIGNED: tl.constexpr = TYPE.is_int_signed()
    LIMIT: tl.constexpr = 2**(TYPE.primitive_bitwidth - (1 if IS_SIGNED else 0))
    LEAST: tl.constexpr = -LIMIT if IS_SIGNED else 0
    inside = (x >= LEAST * 1.0) & (x < LIMIT * 1.0)
    outside = tl.where(x > 0, tl.full(x.shape, LIMIT - 1, TYPE), tl.where(x < 0, tl.full(x.shape, LEAST, TYPE), 0))
    return tl.where(inside, tl.where(inside, x, 0.0).to(TYPE), outside)


@triton.jit
def libdevice_2int_rn(x):
    return libdevice_limited(libdevice_to_whole(x, "rn"), tl.int32)


@triton.jit
def libdevice_2int_rd(x):
    return libdevice_limited(libdevice_to_whole(x, "rd"), tl.int32)


@triton.jit
def libdevice_2int_ru(x):
    return libdevice_limited(libdevice_to_whole(x, "ru"), tl.int32)


@triton.jit
def libdevice_2int_rz(x):
    return libdevice_limited(libdevice_to_whole(x, "rz"), tl.int32)


@triton.jit
def libdevice_2uint_rn(x):
    return libdevice_limited(libdevice_to_whole(x, "rn"), tl.uint32)


@triton.jit
def libdevice_2uint_rd(x):
    return libdevice_limited(libdevice_to_whole(x, "rd"), tl.uint32)


@triton.jit
def libdevice_2uint_ru(x):
    return libdevice_limited(libdevice_to_whole(x, "ru"), tl.uint32)


@triton.jit
def libdevice_2uint_rz(x):
    return libdevice_limited(libdevice_to_whole(x, "rz"), tl.uint32)


@triton.jit
def libdevice_2ll_rn(x):
    return libdevice_limited(libdevice_to_whole(x, "rn"), tl.int64)


@triton.jit
def libdevice_2ll_rd(x):
    return libdevice_limited(libdevice_to_whole(x, "rd"), tl.int64)


@triton.jit
def libdevice_2ll_ru(x):
    return libdevice_limited(libdevice_to_whole(x, "ru"), tl.int64)


@triton.jit
def libdevice_2ll_rz(x):
    return libdevice_limited(libdevice_to_whole(x, "rz"), tl.int64)


@triton.jit
def libdevice_2ull_rn(x):
    return libdevice_limited(libdevice_to_whole(x, "rn"), tl.uint64)


@triton.jit
def libdevice_2ull_rd(x):
    return libdevice_limited(libdevice_to_whole(x, "rd"), tl.uint64)


@triton.jit
def libdevice_2ull_ru(x):
    return libdevice_limited(libdevice_to_whole(x, "ru"), tl.uint64)


@triton.jit
def libdevice_2ull_rz(x):
    return libdevice_limited(libdevice_to_whole(x, "rz"), tl.uint64)


@triton.jit
def libdevice_2float_rn(x):
    return libdevice_of_integer(x, tl.float32, "rn")


@triton.jit
def libdevice_2float_rd(x):
    return libdevice_of_integer(x, tl.float32, "rd")


@triton.jit
def libdevice_2float_ru(x):
    return libdevice_of_integer(x, tl.float32, "ru")


@triton.jit
def libdevice_2float_rz(x):
    return libdevice_of_integer(x, tl.float32, "rz")


@triton.jit
def libdevice_2double_rn(x):
    return libdevice_of_integer(x, tl.float64, "rn")


@triton.jit
def libdevice_2double_rd(x):
    return libdevice_of_integer(x, tl.float64, "rd")


@triton.jit
def libdevice_2double_ru(x):
    return libdevice_of_integer(x, tl.float64, "ru")


@triton.jit
def libdevice_2double_rz(x):
    return libdevice_of_integer(x, tl.float64, "rz")


@triton.jit
def libdevice_double2float_rn(x):
    return libdevice_narrowed(x, "rn")


@triton.jit
def libdevice_double2float_rd(x):
    return libdevice_narrowed(x, "rd")


@triton.jit
def libdevice_double2float_ru(x):
    return libdevice_narrowed(x, "ru")


@triton.jit
def libdevice_double2float_rz(x):
    return libdevice_narrowed(x, "rz")


@triton.jit
def libdevice_llround(x):
    return libdevice_limited(libdevice_round(x), tl.int64)


@triton.jit
def libdevice_lround(x):
    return libdevice_limited(libdevice_round(x), tl.int32)
