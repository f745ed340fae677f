"""Functions of `triton.language.extra.libdevice`. docs/language/functions.md lists those that kernels may call; the
compiler reports any other."""

from ..types import KernelOnly

# `_r`: with each of the suffixes _rn, _rz, _rd and _ru, to nearest, to zero, down and up.
_NAMES = """
abs acos acosh add_r asin asinh atan atan2 atanh brev byte_perm cbrt ceil clz copysign cos cosh cospi cyl_bessel_i0
cyl_bessel_i1 div_r double2float_r double2hiint double2int_r double2ll_r double2loint double2uint_r double2ull_r
double_as_longlong erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fast_cosf fast_dividef fast_exp10f fast_expf
fast_log10f fast_log2f fast_logf fast_powf fast_sinf fast_tanf fast_tanhf fdim ffs finitef float2int_r float2ll_r
float2uint_r float2ull_r float_as_int float_as_uint floor fma fma_r fmod hadd hiloint2double hypot ilogb int2double_rn
int2float_r int_as_float isfinited isinf isnan j0 j1 jn ldexp lgamma ll2double_r ll2float_r llrint llround log log10
log1p log2 logb longlong_as_double mul24 mul_r mulhi nearbyint nextafter norm3d norm4d normcdf normcdfinv popc pow rcbrt
rcp64h rcp_r remainder rhadd rhypot rint rnorm3d rnorm4d round rsqrt rsqrt_rn sad saturatef scalbn signbit sin sinh
sinpi sqrt sqrt_r sub_r tan tanh tgamma trunc uint2double_rn uint2float_r uint_as_float ull2double_r ull2float_r y0 y1
yn
"""
for _name in _NAMES.split():
    for _suffix in ("nzdu" if _name.endswith("_r") else ("",)):
        globals()[_name + _suffix] = KernelOnly("tegula.language.extra.libdevice", _name + _suffix)
