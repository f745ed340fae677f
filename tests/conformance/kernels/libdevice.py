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


@triton.jit
def of_one(x_ptr, z_ptr, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    if NAME == "asin":
        z = libdevice.asin(x)
    elif NAME == "acos":
        z = libdevice.acos(x)
    elif NAME == "atan":
        z = libdevice.atan(x)
    elif NAME == "asinh":
        z = libdevice.asinh(x)
    elif NAME == "acosh":
        z = libdevice.acosh(x)
    elif NAME == "atanh":
        z = libdevice.atanh(x)
    elif NAME == "cbrt":
        z = libdevice.cbrt(x)
    elif NAME == "rcbrt":
        z = libdevice.rcbrt(x)
    elif NAME == "exp10":
        z = libdevice.exp10(x)
    elif NAME == "sinpi":
        z = libdevice.sinpi(x)
    elif NAME == "cospi":
        z = libdevice.cospi(x)
    elif NAME == "erfc":
        z = libdevice.erfc(x)
    elif NAME == "erfcx":
        z = libdevice.erfcx(x)
    elif NAME == "erfinv":
        z = libdevice.erfinv(x)
    elif NAME == "erfcinv":
        z = libdevice.erfcinv(x)
    elif NAME == "normcdf":
        z = libdevice.normcdf(x)
    elif NAME == "normcdfinv":
        z = libdevice.normcdfinv(x)
    elif NAME == "lgamma":
        z = libdevice.lgamma(x)
    elif NAME == "tgamma":
        z = libdevice.tgamma(x)
    elif NAME == "logb":
        z = libdevice.logb(x)
    elif NAME == "sqrt_rd":
        z = libdevice.sqrt_rd(x)
    elif NAME == "sqrt_ru":
        z = libdevice.sqrt_ru(x)
    elif NAME == "sqrt_rz":
        z = libdevice.sqrt_rz(x)
    elif NAME == "rcp_rd":
        z = libdevice.rcp_rd(x)
    elif NAME == "rcp_ru":
        z = libdevice.rcp_ru(x)
    else:
        z = libdevice.rcp_rz(x)
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def of_two(x_ptr, y_ptr, z_ptr, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    if NAME == "pow":
        z = libdevice.pow(x, y)
    elif NAME == "atan2":
        z = libdevice.atan2(x, y)
    elif NAME == "hypot":
        z = libdevice.hypot(x, y)
    elif NAME == "remainder":
        z = libdevice.remainder(x, y)
    elif NAME == "nextafter":
        z = libdevice.nextafter(x, y)
    elif NAME == "fdim":
        z = libdevice.fdim(x, y)
    elif NAME == "add_rd":
        z = libdevice.add_rd(x, y)
    elif NAME == "add_ru":
        z = libdevice.add_ru(x, y)
    elif NAME == "add_rz":
        z = libdevice.add_rz(x, y)
    elif NAME == "sub_rd":
        z = libdevice.sub_rd(x, y)
    elif NAME == "mul_rd":
        z = libdevice.mul_rd(x, y)
    elif NAME == "mul_ru":
        z = libdevice.mul_ru(x, y)
    elif NAME == "mul_rz":
        z = libdevice.mul_rz(x, y)
    elif NAME == "div_rd":
        z = libdevice.div_rd(x, y)
    elif NAME == "div_ru":
        z = libdevice.div_ru(x, y)
    else:
        z = libdevice.div_rz(x, y)
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def bessel(x_ptr, z_ptr, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    if NAME == "j0":
        z = libdevice.j0(x)
    elif NAME == "j1":
        z = libdevice.j1(x)
    elif NAME == "y0":
        z = libdevice.y0(x)
    elif NAME == "y1":
        z = libdevice.y1(x)
    elif NAME == "i0":
        z = libdevice.cyl_bessel_i0(x)
    else:
        z = libdevice.cyl_bessel_i1(x)
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def bessel_orders(order_ptr, x_ptr, j_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1.0)
    order = tl.load(order_ptr + i, mask=i < n)
    tl.store(j_ptr + i, libdevice.jn(order, x), mask=i < n)
    tl.store(y_ptr + i, libdevice.yn(order, x), mask=i < n)


@triton.jit
def rounded_root(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, libdevice.rsqrt_rn(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def upper_reciprocal(x_ptr, z_ptr, low_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = libdevice.rcp64h(tl.load(x_ptr + i, mask=i < n))
    tl.store(z_ptr + i, z, mask=i < n)
    tl.store(low_ptr + i, libdevice.double2loint(z), mask=i < n)


@triton.jit
def scaled(x_ptr, n_ptr, z_ptr, exponent_ptr, sign_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    by = tl.load(n_ptr + i, mask=i < n)
    tl.store(z_ptr + i, libdevice.ldexp(x, by), mask=i < n)
    tl.store(exponent_ptr + i, libdevice.ilogb(x), mask=i < n)
    tl.store(sign_ptr + i, libdevice.signbit(x), mask=i < n)


@triton.jit
def bits(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(z_ptr + i, libdevice.popc(x), mask=i < n)
    tl.store(z_ptr + n + i, libdevice.clz(x), mask=i < n)
    tl.store(z_ptr + 2 * n + i, libdevice.ffs(x), mask=i < n)
    tl.store(z_ptr + 3 * n + i, libdevice.brev(x), mask=i < n)
    tl.store(z_ptr + 4 * n + i, libdevice.mulhi(x, y), mask=i < n)
    tl.store(z_ptr + 5 * n + i, libdevice.hadd(x, y), mask=i < n)
    tl.store(z_ptr + 6 * n + i, libdevice.rhadd(x, y), mask=i < n)


@triton.jit
def words(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(z_ptr + i, libdevice.byte_perm(x, y, x ^ y), mask=i < n)
    tl.store(z_ptr + n + i, libdevice.mul24(x, y), mask=i < n)
    tl.store(z_ptr + 2 * n + i, libdevice.sad(x, y, y), mask=i < n)
    both = libdevice.hiloint2double(x, y)
    tl.store(z_ptr + 3 * n + i, libdevice.double2hiint(both), mask=i < n)
    tl.store(z_ptr + 4 * n + i, libdevice.double2loint(both), mask=i < n)
    tl.store(z_ptr + 5 * n + i, libdevice.float_as_int(libdevice.int_as_float(x)), mask=i < n)


@triton.jit
def float_to_int(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, libdevice.float2int_rn(x), mask=i < n)
    tl.store(z_ptr + n + i, libdevice.float2int_rd(x), mask=i < n)
    tl.store(z_ptr + 2 * n + i, libdevice.float2int_ru(x), mask=i < n)
    tl.store(z_ptr + 3 * n + i, libdevice.float2int_rz(x), mask=i < n)
    tl.store(z_ptr + 4 * n + i, libdevice.llround(x), mask=i < n)
    tl.store(z_ptr + 5 * n + i, libdevice.llrint(x), mask=i < n)


@triton.jit
def int_to_float(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, libdevice.ll2float_rn(x), mask=i < n)
    tl.store(z_ptr + n + i, libdevice.ll2float_rd(x), mask=i < n)
    tl.store(z_ptr + 2 * n + i, libdevice.ll2float_ru(x), mask=i < n)
    tl.store(z_ptr + 3 * n + i, libdevice.ll2float_rz(x), mask=i < n)


@triton.jit
def narrowed(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, libdevice.double2float_rd(x), mask=i < n)
    tl.store(z_ptr + n + i, libdevice.double2float_ru(x), mask=i < n)
    tl.store(z_ptr + 2 * n + i, libdevice.double2float_rz(x), mask=i < n)


# --- by symbols of device libraries: functions as public code writes them around tl.core.extern_elementwise ---


def library_path():
    raise FileNotFoundError("a library that no target needs")


@tl.core.extern
def extern_tanh(x, _semantic=None):
    return tl.core.extern_elementwise("", "", [x], {
        (tl.core.dtype("fp32"), ): ("__nv_tanhf", tl.core.dtype("fp32")),
        (tl.core.dtype("fp64"), ): ("__ocml_tanh_f64", tl.core.dtype("fp64")),
    }, is_pure=True, _semantic=_semantic)


@tl.core.extern
def extern_fmod(x, y, _builder=None):
    return tl.core.extern_elementwise(
        "libdevice", library_path(), [x, y], {
            (tl.float32, tl.float32): ("__ocml_fmod_f32", tl.float32),
            (tl.float64, tl.float64): ("__nv_fmod", tl.float64),
        }, is_pure=True, _builder=_builder)


@tl.core.extern
def extern_ldexp(x, n, _semantic=None):
    return tl.core.extern_elementwise("", "", [x, n], {
        (tl.float32, tl.int32): ("__nv_ldexpf", tl.float32),
        (tl.float64, tl.int32): ("__nv_ldexp", tl.float64),
    }, is_pure=True, _semantic=_semantic)


@tl.core.extern
def extern_isnan(x, _semantic=None):
    return tl.core.extern_elementwise("", "", [x], {
        (tl.float32, ): ("__ocml_isnan_f32", tl.int32),
        (tl.float64, ): ("__nv_isnand", tl.int32),
    }, is_pure=True, _semantic=_semantic).to(tl.int1, _semantic=_semantic)


@triton.jit
def extern_floats(x_ptr, y_ptr, tanh_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n, other=1.0)
    tl.store(tanh_ptr + i, extern_tanh(x), mask=i < n)
    tl.store(z_ptr + i, extern_fmod(x, y), mask=i < n)
    tl.store(z_ptr + n + i, extern_fmod(x, tl.load(y_ptr)), mask=i < n)
    tl.store(z_ptr + 2 * n + i, extern_ldexp(x, 3), mask=i < n)
    tl.store(z_ptr + 3 * n + i, extern_isnan(tl.where(y > 0, x, float("nan"))).to(x.dtype), mask=i < n)


@triton.jit
def extern_promoted(x_ptr, y_ptr, z_ptr, rounded_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)  # f16
    y = tl.load(y_ptr + i, mask=i < n)  # f32
    z = tl.core.extern_elementwise("", "", [x, y], {(tl.float32, tl.float32): ("__nv_fmaxf", tl.float32)}, True)
    tl.store(z_ptr + i, z, mask=i < n)
    types: tl.constexpr = tl.float64
    wide = tl.core.extern_elementwise(lib_name="", lib_path="", args=[y.to(types)], is_pure=True,
                                      arg_type_symbol_dict={(types, ): ("__nv_double2int_rd", tl.int32)})
    tl.store(rounded_ptr + i, wide, mask=i < n)


@tl.core.extern
def extern_bits(x, _semantic=None):
    return tl.core.extern_elementwise(
        "", "", [x], {
            (tl.int32, ): ("__nv_clz", tl.int32),
            (tl.uint32, ): ("__nv_popc", tl.int32),
            (tl.int64, ): ("__nv_clzll", tl.int32),
            (tl.uint64, ): ("__nv_popcll", tl.int32),
        }, is_pure=True, _semantic=_semantic)


@tl.core.extern
def extern_mulhi(x, y, _semantic=None):
    # The symbol alone, not the sign of the dictionary's types, tells how the bits of an integer are read.
    return tl.core.extern_elementwise(
        "", "", [x, y], {
            (tl.int32, tl.int32): ("__nv_umulhi", tl.int32),
            (tl.uint32, tl.uint32): ("__nv_mulhi", tl.uint32),
            (tl.int64, tl.int64): ("__nv_mul64hi", tl.int64),
            (tl.uint64, tl.uint64): ("__nv_umul64hi", tl.uint64),
        }, is_pure=True, _semantic=_semantic)


@triton.jit
def extern_integers(x_ptr, y_ptr, bits_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(bits_ptr + i, extern_bits(x), mask=i < n)
    tl.store(z_ptr + i, extern_mulhi(x, tl.load(y_ptr + i, mask=i < n)), mask=i < n)
