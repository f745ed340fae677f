// The prelude: functions written in Triton's language, embedded as text and parsed once.
#include "frontend/language/PreludeText.h"
#include "frontend/language/builtins/Builtins.h"
#include "frontend/language/syntax/Parser.h"

namespace tegula::lang {
namespace {

/// A name that kernels may use for a function of the prelude, or for a builtin of another name.
struct Row {
  std::string_view name, function;
};

constexpr Row kLanguage[] = {
    {"_sum_combine", "sum_combine"},
    {"_prod_combine", "prod_combine"},
    {"_xor_combine", "xor_combine"},
    {"_or_combine", "or_combine"},
    {"_elementwise_max", "elementwise_max"},
    {"_elementwise_min", "elementwise_min"},
    {"dot_scaled", "scaled_dot"},
    {"philox", "random_philox"},
    {"philox_impl", "random_philox_impl"},
    {"randint", "random_randint"},
    {"randint4x", "random_randint4x"},
    {"rand", "random_rand"},
    {"rand4x", "random_rand4x"},
    {"randn", "random_randn"},
    {"randn4x", "random_randn4x"},
    {"uint_to_uniform_float", "random_uint_to_uniform_float"},
    {"pair_uniform_to_normal", "random_pair_uniform_to_normal"},
};

/// Beside the functions that builtins have under the same name.
constexpr Row kLibdevice[] = {
    {"isnan", "libdevice_isnan"},
    {"isinf", "libdevice_isinf"},
    {"finitef", "libdevice_finite"},
    {"isfinited", "libdevice_finite"},
    {"fmod", "libdevice_fmod"},
    {"copysign", "libdevice_copysign"},
    {"round", "libdevice_round"},
    {"rint", "libdevice_rint"},
    {"nearbyint", "libdevice_rint"},
    {"saturatef", "libdevice_saturatef"},
    {"log10", "libdevice_log10"},
    {"nextafter", "libdevice_nextafter"},
    {"signbit", "libdevice_signbit"},
    {"fdim", "libdevice_fdim"},
    {"ilogb", "libdevice_ilogb"},
    {"logb", "libdevice_logb"},
    {"ldexp", "libdevice_ldexp"},
    {"remainder", "libdevice_remainder"},
    {"rhypot", "libdevice_rhypot"},
    {"norm3d", "libdevice_norm3d"},
    {"rnorm3d", "libdevice_rnorm3d"},
    {"norm4d", "libdevice_norm4d"},
    {"rnorm4d", "libdevice_rnorm4d"},
    {"rcbrt", "libdevice_rcbrt"},
    {"rsqrt_rn", "libdevice_rsqrt_rn"},
    {"rcp64h", "libdevice_rcp64h"},
    {"j0", "libdevice_j0"},
    {"j1", "libdevice_j1"},
    {"jn", "libdevice_jn"},
    {"y0", "libdevice_y0"},
    {"y1", "libdevice_y1"},
    {"yn", "libdevice_yn"},
    {"cyl_bessel_i0", "libdevice_cyl_bessel_i0"},
    {"cyl_bessel_i1", "libdevice_cyl_bessel_i1"},
    {"popc", "libdevice_popc"},
    {"clz", "libdevice_clz"},
    {"ffs", "libdevice_ffs"},
    {"brev", "libdevice_brev"},
    {"byte_perm", "libdevice_byte_perm"},
    {"mulhi", "libdevice_mulhi"},
    {"mul24", "libdevice_mul24"},
    {"sad", "libdevice_sad"},
    {"hadd", "libdevice_hadd"},
    {"rhadd", "libdevice_rhadd"},
    {"hiloint2double", "libdevice_hiloint2double"},
    {"double2loint", "libdevice_double2loint"},
    {"double2hiint", "libdevice_double2hiint"},
    {"llround", "libdevice_llround"},
    {"lround", "libdevice_lround"},
    {"scalbn", "libdevice_ldexp"},
    {"signbitf", "libdevice_signbit"},
    {"signbitd", "libdevice_signbit"},
    {"llrint", "libdevice_2ll_rn"},
    {"lrint", "libdevice_2int_rn"},
    {"add_rd", "libdevice_add_rd"},
    {"add_ru", "libdevice_add_ru"},
    {"add_rz", "libdevice_add_rz"},
    {"sub_rd", "libdevice_sub_rd"},
    {"sub_ru", "libdevice_sub_ru"},
    {"sub_rz", "libdevice_sub_rz"},
    {"mul_rd", "libdevice_mul_rd"},
    {"mul_ru", "libdevice_mul_ru"},
    {"mul_rz", "libdevice_mul_rz"},
    {"div_rd", "libdevice_div_rd"},
    {"div_ru", "libdevice_div_ru"},
    {"div_rz", "libdevice_div_rz"},
    {"rcp_rd", "libdevice_rcp_rd"},
    {"rcp_ru", "libdevice_rcp_ru"},
    {"rcp_rz", "libdevice_rcp_rz"},
    {"sqrt_rd", "libdevice_sqrt_rd"},
    {"sqrt_ru", "libdevice_sqrt_ru"},
    {"sqrt_rz", "libdevice_sqrt_rd"}, // roots are not negative
    {"rcp_rn", "libdevice_rcp_rn"},
    {"fma_rn", "fma"},
    {"float_as_int", "libdevice_as_int"},
    {"float_as_uint", "libdevice_as_uint"},
    {"int_as_float", "libdevice_as_float"},
    {"uint_as_float", "libdevice_as_float"},
    {"double_as_longlong", "libdevice_as_longlong"},
    {"longlong_as_double", "libdevice_as_double"},
    {"float2int_rn", "libdevice_2int_rn"},
    {"float2int_rd", "libdevice_2int_rd"},
    {"float2int_ru", "libdevice_2int_ru"},
    {"float2int_rz", "libdevice_2int_rz"},
    {"float2uint_rn", "libdevice_2uint_rn"},
    {"float2uint_rd", "libdevice_2uint_rd"},
    {"float2uint_ru", "libdevice_2uint_ru"},
    {"float2uint_rz", "libdevice_2uint_rz"},
    {"float2ll_rn", "libdevice_2ll_rn"},
    {"float2ll_rd", "libdevice_2ll_rd"},
    {"float2ll_ru", "libdevice_2ll_ru"},
    {"float2ll_rz", "libdevice_2ll_rz"},
    {"float2ull_rn", "libdevice_2ull_rn"},
    {"float2ull_rd", "libdevice_2ull_rd"},
    {"float2ull_ru", "libdevice_2ull_ru"},
    {"float2ull_rz", "libdevice_2ull_rz"},
    {"double2int_rn", "libdevice_2int_rn"},
    {"double2int_rd", "libdevice_2int_rd"},
    {"double2int_ru", "libdevice_2int_ru"},
    {"double2int_rz", "libdevice_2int_rz"},
    {"double2uint_rn", "libdevice_2uint_rn"},
    {"double2uint_rd", "libdevice_2uint_rd"},
    {"double2uint_ru", "libdevice_2uint_ru"},
    {"double2uint_rz", "libdevice_2uint_rz"},
    {"double2ll_rn", "libdevice_2ll_rn"},
    {"double2ll_rd", "libdevice_2ll_rd"},
    {"double2ll_ru", "libdevice_2ll_ru"},
    {"double2ll_rz", "libdevice_2ll_rz"},
    {"double2ull_rn", "libdevice_2ull_rn"},
    {"double2ull_rd", "libdevice_2ull_rd"},
    {"double2ull_ru", "libdevice_2ull_ru"},
    {"double2ull_rz", "libdevice_2ull_rz"},
    {"double2float_rn", "libdevice_double2float_rn"},
    {"double2float_rd", "libdevice_double2float_rd"},
    {"double2float_ru", "libdevice_double2float_ru"},
    {"double2float_rz", "libdevice_double2float_rz"},
    {"int2float_rn", "libdevice_2float_rn"},
    {"int2float_rd", "libdevice_2float_rd"},
    {"int2float_ru", "libdevice_2float_ru"},
    {"int2float_rz", "libdevice_2float_rz"},
    {"uint2float_rn", "libdevice_2float_rn"},
    {"uint2float_rd", "libdevice_2float_rd"},
    {"uint2float_ru", "libdevice_2float_ru"},
    {"uint2float_rz", "libdevice_2float_rz"},
    {"ll2float_rn", "libdevice_2float_rn"},
    {"ll2float_rd", "libdevice_2float_rd"},
    {"ll2float_ru", "libdevice_2float_ru"},
    {"ll2float_rz", "libdevice_2float_rz"},
    {"ull2float_rn", "libdevice_2float_rn"},
    {"ull2float_rd", "libdevice_2float_rd"},
    {"ull2float_ru", "libdevice_2float_ru"},
    {"ull2float_rz", "libdevice_2float_rz"},
    {"int2double_rn", "libdevice_2double_rn"},
    {"uint2double_rn", "libdevice_2double_rn"},
    {"ll2double_rn", "libdevice_2double_rn"},
    {"ll2double_rd", "libdevice_2double_rd"},
    {"ll2double_ru", "libdevice_2double_ru"},
    {"ll2double_rz", "libdevice_2double_rz"},
    {"ull2double_rn", "libdevice_2double_rn"},
    {"ull2double_rd", "libdevice_2double_rd"},
    {"ull2double_ru", "libdevice_2double_ru"},
    {"ull2double_rz", "libdevice_2double_rz"},
    {"fast_expf", "exp"},
    {"fast_logf", "log"},
    {"fast_log2f", "log2"},
    {"fast_log10f", "libdevice_log10"},
    {"fast_sinf", "sin"},
    {"fast_cosf", "cos"},
    {"fast_tanf", "tan"},
    {"fast_exp10f", "exp10"},
    {"fast_powf", "pow"},
    {"fast_tanhf", "tanh"},
    {"fast_dividef", "libdevice_fdividef"},
};

const Builtin *libdeviceBuiltin(std::string_view name) {
  for (const Builtin &builtin : libdeviceBuiltins())
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

template <size_t N> std::optional<Value> rowNamed(std::string_view name, const Row (&rows)[N]) {
  for (const Row &row : rows) {
    if (row.name != name)
      continue;
    if (const FunctionStmt *function = preludeScope().names.function(row.function))
      return FunctionValue{function, &preludeScope(), nullptr};
    if (const Builtin *builtin = libdeviceBuiltin(row.function))
      return BuiltinValue{builtin, nullptr};
    if (const Builtin *builtin = findBuiltin(row.function))
      return BuiltinValue{builtin, nullptr};
    throw InternalError("the prelude has no function " + std::string(row.function));
  }
  return std::nullopt;
}

/// Builtins that libdevice has, too.
constexpr std::string_view kShared[] = {"exp",     "exp2",   "log",  "log2",  "sin",   "cos",   "sqrt",
                                        "sqrt_rn", "rsqrt",  "erf",  "floor", "ceil",  "trunc", "abs",
                                        "fma",     "div_rn", "tanh", "log1p", "expm1", "umulhi"};

} // namespace

const ModuleScope &preludeScope() {
  static const ModuleScope scope(parseModule("<prelude>", std::string(preludeText())), /*isPrelude=*/true);
  return scope;
}

bool isVendorModule(std::string_view name) { return name == "cuda" || name == "hip"; }

std::optional<Value> preludeMember(std::string_view name) { return rowNamed(name, kLanguage); }

std::optional<Value> libdeviceMember(std::string_view name) {
  if (auto value = rowNamed(name, kLibdevice))
    return value;
  if (const Builtin *builtin = libdeviceBuiltin(name))
    return BuiltinValue{builtin, nullptr};
  for (std::string_view shared : kShared)
    if (shared == name)
      return BuiltinValue{findBuiltin(name), nullptr};
  return std::nullopt;
}

} // namespace tegula::lang
