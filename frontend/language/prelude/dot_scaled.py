# tl.dot_scaled: products of operands in small formats, with a scale for each group of elements along K. Operands are
# widened exactly and multiplied by their scales; bf16 holds the products of 4- and 8-bit floats and powers of two.
import triton
import triton.language as tl


# A 4-bit float (2 bits of exponent, 1 of mantissa) in the lower bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
@triton.jit
def scaled_from_e2m1(x):
    size = (x & 7).to(tl.uint32)
    normal = (((size >> 1) + 126) << 23) | ((size & 1) << 22)
    bits = tl.where(size == 0, 0, tl.where(size == 1, 0x3F000000, normal)) | ((x & 8).to(tl.uint32) << 28)
    return bits.to(tl.uint32).to(tl.float32, bitcast=True)


# Rows of 2 K elements from rows of K bytes, the lower half of a byte first.
@triton.jit
def scaled_unpacked(x):
    pairs = tl.join(scaled_from_e2m1(x & 15), scaled_from_e2m1(x >> 4))
    return tl.reshape(pairs, (x.shape[0], 2 * x.shape[1]))


# An 8-bit exponent is 2^(scale - 127), of which 2^-127 is subnormal, and 255 is NaN. An 8-bit float is itself.
@triton.jit
def scaled_factor(scale):
    if scale.dtype == tl.uint8 or scale.dtype == tl.int8:
        bits = scale.to(tl.uint8, bitcast=True).to(tl.uint32) << 23
        bits = tl.where(bits == 0, 0x00400000, tl.where(bits == 0x7F800000, 0x7FC00000, bits))
        return bits.to(tl.uint32).to(tl.float32, bitcast=True)
    else:
        return scale.to(tl.float32)


# The f32 elements of an operand whose K lies along the second axis.
@triton.jit
def scaled_widened(x, FORMAT: tl.constexpr, PACKED_ALONG_K: tl.constexpr):
    tl.static_assert(
        FORMAT == "e2m1" or FORMAT == "e4m3" or FORMAT == "e5m2" or FORMAT == "bf16" or FORMAT == "fp16",
        "dot_scaled takes the formats e2m1, e4m3, e5m2, bf16 and fp16")
    if FORMAT == "e2m1":
        bytes = x.to(tl.uint8, bitcast=True)
        return scaled_unpacked(bytes) if PACKED_ALONG_K else tl.trans(scaled_unpacked(tl.trans(bytes)))
    elif FORMAT == "e4m3":
        return x.to(tl.float8e4nv, bitcast=True).to(tl.float32)
    elif FORMAT == "e5m2":
        return x.to(tl.float8e5, bitcast=True).to(tl.float32)
    else:
        return x.to(tl.float32)


@triton.jit
def scaled_operand(x, scale, FORMAT: tl.constexpr, PACKED_ALONG_K: tl.constexpr, TYPE: tl.constexpr):
    wide = scaled_widened(x, FORMAT, PACKED_ALONG_K)
    if scale is None:
        return wide.to(TYPE)
    else:
        group: tl.constexpr = wide.shape[1] // scale.shape[1]
        tl.static_assert(group == 32 or group == 16, "dot_scaled needs one scale for 32 elements along K, or for 16")
        factor = tl.expand_dims(scaled_factor(scale), 2)
        spread = tl.broadcast_to(factor, (scale.shape[0], scale.shape[1], group))
        return (wide * tl.reshape(spread, wide.shape)).to(TYPE)


@triton.jit
def scaled_dot(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale, rhs_format: tl.constexpr, acc=None,
               fast_math: tl.constexpr = False, lhs_k_pack: tl.constexpr = True, rhs_k_pack: tl.constexpr = True,
               out_dtype: tl.constexpr = tl.float32):
    # f16 times a scale needs the range of f32, with as many digits as f16 has.
    TYPE: tl.constexpr = tl.float32 if lhs_format == "fp16" or rhs_format == "fp16" else tl.bfloat16
    a = scaled_operand(lhs, lhs_scale, lhs_format, lhs_k_pack, TYPE)
    b = scaled_operand(tl.trans(rhs), rhs_scale, rhs_format, rhs_k_pack, TYPE)
    return tl.dot(a, tl.trans(b), acc, out_dtype=out_dtype)
