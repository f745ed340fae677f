// The table of builtins: lookup by name, and messages for names that are missing.
#include "core/support/Suggest.h"
#include "frontend/language/builtins/Builtins.h"

#include <map>

namespace tegula::lang {

namespace {

using Table = std::map<std::string_view, const Builtin *, std::less<>>;

const Table &languageTable() {
  static const Table table = [] {
    Table rows;
    for (auto family : {creationBuiltins(), shapeBuiltins(), indexBuiltins(), memoryBuiltins(), descriptorBuiltins(),
                        atomicBuiltins(), mathBuiltins(), operatorBuiltins(), reduceBuiltins(), scanBuiltins(),
                        controlBuiltins(), debugBuiltins(), typeBuiltins(), targetBuiltins()})
      for (const Builtin &builtin : family)
        if (!rows.emplace(builtin.name, &builtin).second)
          throw InternalError("two builtins are named '" + std::string(builtin.name) + "'");
    return rows;
  }();
  return table;
}

const Table &pythonTable() {
  static const Table table = [] {
    Table rows;
    for (const Builtin &builtin : pythonBuiltins())
      rows.emplace(builtin.name, &builtin);
    return rows;
  }();
  return table;
}

const Builtin *find(const Table &table, std::string_view name) {
  auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

struct Absent {
  std::string_view name, why;
};

constexpr std::string_view kRandomWhy =
    "tl's random numbers are not available yet; pass the random values in an array and load them";
constexpr std::string_view kVendorWhy = "tl.extra and libdevice hold functions of one vendor, which are not available; "
                                        "use tl.math (exp, log, sqrt, erf, ...)";

/// Names of Triton's API that kernels may use but that do not exist here, with the alternative for the message.
constexpr Absent kAbsent[] = {
    {"dot_scaled",
     "tl.dot_scaled is not available yet; convert the operands with .to(), apply the scales and use tl.dot"},
    {"inline_asm_elementwise",
     "inline assembly ties a kernel to one target and is not available; write the operation with tl functions"},
    {"extern_elementwise", "functions of external libraries are not available; write the operation with tl functions"},
    {"aggregate_replace", "tl.aggregate_replace is not available; construct a new instance with the changed fields"},
    {"float8e4b15",
     "the type float8e4b15 is not available; use tl.float8e4nv, tl.float8e5, tl.float8e4b8 or tl.float8e5b16"},
    {"extra", kVendorWhy},
    {"libdevice", kVendorWhy},
    {"philox", kRandomWhy},
    {"philox_impl", kRandomWhy},
    {"rand", kRandomWhy},
    {"rand4x", kRandomWhy},
    {"randn", kRandomWhy},
    {"randn4x", kRandomWhy},
    {"randint", kRandomWhy},
    {"randint4x", kRandomWhy},
    {"uint_to_uniform_float", kRandomWhy},
    {"pair_uniform_to_normal", kRandomWhy},
    {"tanh", "tanh is a libdevice function and not available; write 2 * tl.sigmoid(2 * x) - 1"},
    {"pow", "pow is a libdevice function and not available; write tl.exp2(y * tl.log2(x)) for positive x"},
    {"tan", "tan is a libdevice function and not available; write tl.sin(x) / tl.cos(x)"},
    {"sinh", "sinh is a libdevice function and not available; write (tl.exp(x) - tl.exp(-x)) / 2"},
    {"cosh", "cosh is a libdevice function and not available; write (tl.exp(x) + tl.exp(-x)) / 2"},
    {"log1p", "log1p is a libdevice function and not available; write tl.log(1 + x)"},
    {"expm1", "expm1 is a libdevice function and not available; write tl.exp(x) - 1"},
    {"log10", "log10 is a libdevice function and not available; write tl.log2(x) * 0.30102999566398120"},
    {"round", "round is a libdevice function and not available; write tl.floor(x + 0.5)"},
    {"rint", "rint is a libdevice function and not available; write tl.floor(x + 0.5)"},
    {"trunc", "trunc is a libdevice function and not available; write tl.where(x < 0, tl.ceil(x), tl.floor(x))"},
    {"isnan", "isnan is a libdevice function and not available; write x != x"},
    {"isinf", "isinf is a libdevice function and not available; write tl.abs(x) == float('inf')"},
    {"fast_expf", kVendorWhy},
    {"fast_dividef", kVendorWhy},
    {"atan", kVendorWhy},
    {"atan2", kVendorWhy},
    {"asin", kVendorWhy},
    {"acos", kVendorWhy},
    {"fmod", "fmod is a libdevice function and not available; the operator % computes the same"},
    {"float4e2m1", "4-bit floats are not available; unpack them with shifts and masks"},
    {"gdc_wait",
     "gdc_wait is an instruction of one vendor and not available; nothing has to replace it for a correct result"},
    {"gdc_launch_dependents", "gdc_launch_dependents is an instruction of one vendor and not available; nothing has to "
                              "replace it for a correct result"},
};

} // namespace

const Builtin *findBuiltin(std::string_view name) { return find(languageTable(), name); }

const Builtin *findPythonBuiltin(std::string_view name) { return find(pythonTable(), name); }

std::vector<std::string_view> builtinNames() {
  std::vector<std::string_view> names;
  for (auto &[name, builtin] : languageTable())
    if (name.find('.') == std::string_view::npos)
      names.push_back(name);
  return names;
}

std::string_view unavailable(std::string_view name) {
  for (const Absent &row : kAbsent)
    if (row.name == name)
      return row.why;
  return {};
}

std::string suggestion(std::string_view name, const std::vector<std::string_view> &names) {
  std::vector<std::string> candidates(names.begin(), names.end());
  return tegula::suggestion(name, candidates);
}

} // namespace tegula::lang
