// Parses literals in texts that users write: types, shapes, values of constexpr parameters. All functions throw
// tegula::Error that names the context and the expected form.
#pragma once

#include "core/runtime/HostExpression.h"

#include <string>
#include <vector>

namespace tegula {

/// Parses None, a dtype (fp16, tl.float16), a number, or a string ('relu', or without quotes: relu).
ConstantValue parseConstant(const std::string &parameter, const std::string &text);
/// Parses a shape: `64x128`, `1024`. An empty text is an error.
std::vector<int64_t> parseShape(const std::string &text, const std::string &context);
/// The message for a name that is no element type: "unknown type 'flaot32'; did you mean 'float32'?"
std::string unknownType(const std::string &text);
ScalarType parseType(const std::string &text, const std::string &context);
/// The value of the name `inf` or `nan`, which literals may contain; nothing for other names. Passed to
/// HostExpression::evaluate as its look-up of names.
std::optional<HostValue> specialNumber(std::string_view name);

} // namespace tegula
