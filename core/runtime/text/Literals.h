// Literals in texts that users write: types, shapes, values of constexpr parameters. All functions throw tegula::Error
// that names the context and the expected form.
#pragma once

#include "core/runtime/HostExpression.h"

#include <string>
#include <vector>

namespace tegula {

/// None, a dtype (fp16, tl.float16), a number, or a string ('relu', or bare: relu).
ConstantValue parseConstant(const std::string &parameter, const std::string &text);
/// `64x128`; `1024`; empty text is an error.
std::vector<int64_t> parseShape(const std::string &text, const std::string &context);
/// "unknown type 'flaot32'; did you mean 'float32'?": for a name that no element type has.
std::string unknownType(const std::string &text);
ScalarType parseType(const std::string &text, const std::string &context);
/// inf and nan; nothing for other names. The names that literals may hold, for HostExpression::evaluate.
std::optional<HostValue> specialNumber(std::string_view name);

} // namespace tegula
