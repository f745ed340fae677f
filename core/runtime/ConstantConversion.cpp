#include "core/runtime/ConstantConversion.h"

namespace tegula {

ConstantValue toConstantValue(const Constant &constant) {
  return std::visit(
      [](const auto &v) -> ConstantValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, DType>)
          return static_cast<ScalarType>(v);
        else
          return v;
      },
      constant.value());
}

Constant toConstant(const ConstantValue &value) {
  return std::visit(
      [](const auto &v) -> Constant {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return Constant(nullptr);
        else if constexpr (std::is_same_v<T, ScalarType>)
          return Constant(static_cast<DType>(v));
        else
          return Constant(v);
      },
      value);
}

} // namespace tegula
