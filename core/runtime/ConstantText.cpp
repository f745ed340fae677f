#include "core/runtime/ConstantText.h"

#include "core/support/FloatFormats.h"

namespace tegula {

std::string describe(const ConstantValue &value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool v) const { return v ? "True" : "False"; }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return floatText(v); }
    std::string operator()(const std::string &v) const { return "'" + v + "'"; }
    std::string operator()(ScalarType v) const { return std::string(name(v)); }
  };
  return std::visit(Visitor(), value);
}

std::string describe(const Constants &constants) {
  std::string text;
  for (const auto &[name, value] : constants)
    text += (text.empty() ? "" : ", ") + name + "=" + describe(value);
  return text;
}

} // namespace tegula
