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
    {"tan", "libdevice_tan"},
    {"sinh", "libdevice_sinh"},
    {"cosh", "libdevice_cosh"},
    {"fast_expf", "exp"},
    {"fast_logf", "log"},
    {"fast_log2f", "log2"},
    {"fast_log10f", "libdevice_log10"},
    {"fast_sinf", "sin"},
    {"fast_cosf", "cos"},
    {"fast_tanf", "libdevice_tan"},
    {"fast_tanhf", "tanh"},
    {"fast_dividef", "libdevice_fdividef"},
};

template <size_t N> std::optional<Value> rowNamed(std::string_view name, const Row (&rows)[N]) {
  for (const Row &row : rows) {
    if (row.name != name)
      continue;
    if (const FunctionStmt *function = preludeScope().names.function(row.function))
      return FunctionValue{function, &preludeScope(), nullptr};
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
  for (std::string_view shared : kShared)
    if (shared == name)
      return BuiltinValue{findBuiltin(name), nullptr};
  return std::nullopt;
}

} // namespace tegula::lang
