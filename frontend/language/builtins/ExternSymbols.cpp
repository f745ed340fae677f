#include "frontend/language/builtins/ExternSymbols.h"

#include "core/support/Diagnostic.h"

#include <map>

namespace tegula::lang {
namespace {

/// A row of the tables. `types` has a letter for the result and one for each argument: f and d are floats of 32 and 64
/// bits, i and l signed integers of 32 and 64 bits, u and w unsigned ones.
struct Row {
  std::string_view name, function, types;
};

/// Functions of one float type, x in `types`. The row {"tanh", "tanh", "xx"} is four symbols: __nv_tanhf and
/// __ocml_tanh_f32 of f32, __nv_tanh and __ocml_tanh_f64 of f64.
constexpr Row kOfFloats[] = {
    {"acos", "acos", "xx"},
    {"acosh", "acosh", "xx"},
    {"asin", "asin", "xx"},
    {"asinh", "asinh", "xx"},
    {"atan", "atan", "xx"},
    {"atan2", "atan2", "xxx"},
    {"atanh", "atanh", "xx"},
    {"cbrt", "cbrt", "xx"},
    {"ceil", "ceil", "xx"},
    {"copysign", "copysign", "xxx"},
    {"cos", "cos", "xx"},
    {"cosh", "cosh", "xx"},
    {"cospi", "cospi", "xx"},
    {"erf", "erf", "xx"},
    {"erfc", "erfc", "xx"},
    {"erfcinv", "erfcinv", "xx"},
    {"erfcx", "erfcx", "xx"},
    {"erfinv", "erfinv", "xx"},
    {"exp", "exp", "xx"},
    {"exp10", "exp10", "xx"},
    {"exp2", "exp2", "xx"},
    {"expm1", "expm1", "xx"},
    {"fabs", "abs", "xx"},
    {"fdim", "fdim", "xxx"},
    {"floor", "floor", "xx"},
    {"fma", "fma", "xxxx"},
    {"fmax", "maximum", "xxx"},
    {"fmin", "minimum", "xxx"},
    {"fmod", "fmod", "xxx"},
    {"hypot", "hypot", "xxx"},
    {"ilogb", "ilogb", "ix"},
    {"j0", "j0", "xx"},
    {"j1", "j1", "xx"},
    {"ldexp", "ldexp", "xxi"},
    {"lgamma", "lgamma", "xx"},
    {"log", "log", "xx"},
    {"log10", "log10", "xx"},
    {"log1p", "log1p", "xx"},
    {"log2", "log2", "xx"},
    {"logb", "logb", "xx"},
    {"nearbyint", "nearbyint", "xx"},
    {"nextafter", "nextafter", "xxx"},
    {"pow", "pow", "xxx"},
    {"rcbrt", "rcbrt", "xx"},
    {"remainder", "remainder", "xxx"},
    {"rhypot", "rhypot", "xxx"},
    {"rint", "rint", "xx"},
    {"round", "round", "xx"},
    {"rsqrt", "rsqrt", "xx"},
    {"scalbn", "scalbn", "xxi"},
    {"sin", "sin", "xx"},
    {"sinh", "sinh", "xx"},
    {"sinpi", "sinpi", "xx"},
    {"sqrt", "sqrt", "xx"},
    {"tan", "tan", "xx"},
    {"tanh", "tanh", "xx"},
    {"tgamma", "tgamma", "xx"},
    {"trunc", "trunc", "xx"},
    {"y0", "y0", "xx"},
    {"y1", "y1", "xx"},
};

/// As kOfFloats, for functions that have no __ocml_ symbol: two symbols a row, __nv_jnf and __nv_jn.
constexpr Row kOfNvFloats[] = {
    {"cyl_bessel_i0", "cyl_bessel_i0", "xx"},
    {"cyl_bessel_i1", "cyl_bessel_i1", "xx"},
    {"jn", "jn", "xix"},
    {"llrint", "llrint", "lx"},
    {"llround", "llround", "lx"},
    {"norm3d", "norm3d", "xxxx"},
    {"norm4d", "norm4d", "xxxxx"},
    {"normcdf", "normcdf", "xx"},
    {"normcdfinv", "normcdfinv", "xx"},
    {"powi", "pow", "xxi"},
    {"rnorm3d", "rnorm3d", "xxxx"},
    {"rnorm4d", "rnorm4d", "xxxxx"},
    {"yn", "yn", "xix"},
};

/// As kOfFloats, for functions whose __ocml_ symbol has a name of its own: two symbols a row, __ocml_i0_f32 and
/// __ocml_i0_f64.
constexpr Row kOfOcmlFloats[] = {
    {"i0", "cyl_bessel_i0", "xx"},   {"i1", "cyl_bessel_i1", "xx"}, {"isfinite", "finitef", "ix"},
    {"isinf", "isinf", "ix"},        {"isnan", "isnan", "ix"},      {"len3", "norm3d", "xxxx"},
    {"len4", "norm4d", "xxxxx"},     {"native_cos", "cos", "xx"},   {"native_exp", "exp", "xx"},
    {"native_exp10", "exp10", "xx"}, {"native_exp2", "exp2", "xx"}, {"native_log", "log", "xx"},
    {"native_log10", "log10", "xx"}, {"native_log2", "log2", "xx"}, {"native_rsqrt", "rsqrt", "xx"},
    {"native_sin", "sin", "xx"},     {"native_sqrt", "sqrt", "xx"}, {"ncdf", "normcdf", "xx"},
    {"ncdfinv", "normcdfinv", "xx"}, {"pown", "pow", "xxi"},        {"rlen3", "rnorm3d", "xxxx"},
    {"rlen4", "rnorm4d", "xxxxx"},   {"signbit", "signbit", "ix"},
};

/// Symbols with types of their own, by their whole names.
constexpr Row kSingle[] = {
    {"__nv_abs", "abs", "ii"},
    {"__nv_brev", "brev", "ii"},
    {"__nv_brevll", "brev", "ll"},
    {"__nv_byte_perm", "byte_perm", "iiii"},
    {"__nv_clz", "clz", "ii"},
    {"__nv_clzll", "clz", "il"},
    {"__nv_double2hiint", "double2hiint", "id"},
    {"__nv_double2loint", "double2loint", "id"},
    {"__nv_double_as_longlong", "double_as_longlong", "ld"},
    {"__nv_fast_cosf", "fast_cosf", "ff"},
    {"__nv_fast_exp10f", "fast_exp10f", "ff"},
    {"__nv_fast_expf", "fast_expf", "ff"},
    {"__nv_fast_fdividef", "fast_dividef", "fff"},
    {"__nv_fast_log10f", "fast_log10f", "ff"},
    {"__nv_fast_log2f", "fast_log2f", "ff"},
    {"__nv_fast_logf", "fast_logf", "ff"},
    {"__nv_fast_powf", "fast_powf", "fff"},
    {"__nv_fast_sinf", "fast_sinf", "ff"},
    {"__nv_fast_tanf", "fast_tanf", "ff"},
    {"__nv_fast_tanhf", "fast_tanhf", "ff"},
    {"__nv_ffs", "ffs", "ii"},
    {"__nv_ffsll", "ffs", "il"},
    {"__nv_finitef", "finitef", "if"},
    {"__nv_float_as_int", "float_as_int", "if"},
    {"__nv_float_as_uint", "float_as_uint", "uf"},
    {"__nv_frsqrt_rn", "rsqrt_rn", "ff"},
    {"__nv_hadd", "hadd", "iii"},
    {"__nv_hiloint2double", "hiloint2double", "dii"},
    {"__nv_int2double_rn", "int2double_rn", "di"},
    {"__nv_int_as_float", "int_as_float", "fi"},
    {"__nv_isfinited", "isfinited", "id"},
    {"__nv_isinfd", "isinf", "id"},
    {"__nv_isinff", "isinf", "if"},
    {"__nv_isnand", "isnan", "id"},
    {"__nv_isnanf", "isnan", "if"},
    {"__nv_llabs", "abs", "ll"},
    {"__nv_llmax", "maximum", "lll"},
    {"__nv_llmin", "minimum", "lll"},
    {"__nv_longlong_as_double", "longlong_as_double", "dl"},
    {"__nv_max", "maximum", "iii"},
    {"__nv_min", "minimum", "iii"},
    {"__nv_mul24", "mul24", "iii"},
    {"__nv_mul64hi", "mulhi", "lll"},
    {"__nv_mulhi", "mulhi", "iii"},
    {"__nv_popc", "popc", "ii"},
    {"__nv_popcll", "popc", "il"},
    {"__nv_rcp64h", "rcp64h", "dd"},
    {"__nv_rhadd", "rhadd", "iii"},
    {"__nv_sad", "sad", "uiiu"},
    {"__nv_saturatef", "saturatef", "ff"},
    {"__nv_signbitd", "signbitd", "id"},
    {"__nv_signbitf", "signbitf", "if"},
    {"__nv_uhadd", "hadd", "uuu"},
    {"__nv_uint2double_rn", "uint2double_rn", "du"},
    {"__nv_uint_as_float", "uint_as_float", "fu"},
    {"__nv_ullmax", "maximum", "www"},
    {"__nv_ullmin", "minimum", "www"},
    {"__nv_umax", "maximum", "uuu"},
    {"__nv_umin", "minimum", "uuu"},
    {"__nv_umul24", "mul24", "uuu"},
    {"__nv_umul64hi", "mulhi", "www"},
    {"__nv_umulhi", "mulhi", "uuu"},
    {"__nv_urhadd", "rhadd", "uuu"},
    {"__nv_usad", "sad", "uuuu"},
    {"__triton_hip_fabs", "abs", "dd"},
    {"__triton_hip_fabs", "abs", "ff"},
    {"__triton_hip_fast_expf", "fast_expf", "ff"},
    {"__triton_hip_fast_fdividef", "fast_dividef", "fff"},
    {"__triton_hip_fast_tanhf", "fast_tanhf", "ff"},
    {"__triton_hip_iabs", "abs", "ii"},
    {"__triton_hip_iabs", "abs", "ll"},
    {"__triton_hip_llrint", "llrint", "ld"},
    {"__triton_hip_llrint", "llrint", "lf"},
};

/// Functions in the four directions of rounding. Each row is one symbol for each of _rn, _rd, _ru and _rz, which is
/// appended to `name` and `function`.
constexpr Row kRounded[] = {
    {"__nv_dadd", "add", "ddd"},
    {"__nv_ddiv", "div", "ddd"},
    {"__nv_dmul", "mul", "ddd"},
    {"__nv_double2float", "double2float", "fd"},
    {"__nv_double2int", "double2int", "id"},
    {"__nv_double2ll", "double2ll", "ld"},
    {"__nv_double2uint", "double2uint", "ud"},
    {"__nv_double2ull", "double2ull", "wd"},
    {"__nv_drcp", "rcp", "dd"},
    {"__nv_dsqrt", "sqrt", "dd"},
    {"__nv_dsub", "sub", "ddd"},
    {"__nv_fadd", "add", "fff"},
    {"__nv_fdiv", "div", "fff"},
    {"__nv_float2int", "float2int", "if"},
    {"__nv_float2ll", "float2ll", "lf"},
    {"__nv_float2uint", "float2uint", "uf"},
    {"__nv_float2ull", "float2ull", "wf"},
    {"__nv_fma", "fma", "dddd"},
    {"__nv_fmaf", "fma", "ffff"},
    {"__nv_fmul", "mul", "fff"},
    {"__nv_frcp", "rcp", "ff"},
    {"__nv_fsqrt", "sqrt", "ff"},
    {"__nv_fsub", "sub", "fff"},
    {"__nv_int2float", "int2float", "fi"},
    {"__nv_ll2double", "ll2double", "dl"},
    {"__nv_ll2float", "ll2float", "fl"},
    {"__nv_uint2float", "uint2float", "fu"},
    {"__nv_ull2double", "ull2double", "dw"},
    {"__nv_ull2float", "ull2float", "fw"},
};

ScalarType typeOf(char letter, char x) {
  switch (letter == 'x' ? x : letter) {
  case 'f': return ScalarType::F32;
  case 'd': return ScalarType::F64;
  case 'i': return ScalarType::I32;
  case 'u': return ScalarType::U32;
  case 'l': return ScalarType::I64;
  case 'w': return ScalarType::U64;
  default: throw InternalError(std::string("a table of symbols has the unknown type '") + letter + "'");
  }
}

using Symbols = std::map<std::string, std::vector<ExternSymbol>>;

/// Adds a form of a symbol; `x` is the letter of the type that x stands for.
void add(Symbols &symbols, const std::string &name, std::string function, std::string_view types, char x = 0) {
  ExternSymbol symbol{std::move(function), typeOf(types[0], x), {}};
  for (char letter : types.substr(1))
    symbol.arguments.push_back(typeOf(letter, x));
  symbols[name].push_back(std::move(symbol));
}

void addNvFloats(Symbols &symbols, const Row &row) {
  std::string name = "__nv_" + std::string(row.name), function(row.function);
  add(symbols, name + "f", function, row.types, 'f');
  add(symbols, name, function, row.types, 'd');
}

void addOcmlFloats(Symbols &symbols, const Row &row) {
  std::string name = "__ocml_" + std::string(row.name), function(row.function);
  add(symbols, name + "_f32", function, row.types, 'f');
  add(symbols, name + "_f64", function, row.types, 'd');
}

const Symbols &allSymbols() {
  static const Symbols all = [] {
    Symbols symbols;
    for (const Row &row : kOfFloats) {
      addNvFloats(symbols, row);
      addOcmlFloats(symbols, row);
    }
    for (const Row &row : kOfNvFloats)
      addNvFloats(symbols, row);
    for (const Row &row : kOfOcmlFloats)
      addOcmlFloats(symbols, row);
    for (const Row &row : kSingle)
      add(symbols, std::string(row.name), std::string(row.function), row.types);
    for (const Row &row : kRounded)
      for (const char *direction : {"_rn", "_rd", "_ru", "_rz"})
        add(symbols, std::string(row.name) + direction, std::string(row.function) + direction, row.types);
    return symbols;
  }();
  return all;
}

} // namespace

std::vector<ExternSymbol> externSymbols(const std::string &name) {
  auto found = allSymbols().find(name);
  return found == allSymbols().end() ? std::vector<ExternSymbol>() : found->second;
}

std::vector<std::string> externSymbolNames() {
  std::vector<std::string> names;
  for (auto &[name, forms] : allSymbols())
    names.push_back(name);
  return names;
}

} // namespace tegula::lang
