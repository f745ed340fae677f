#include "core/runtime/text/Literals.h"
#include "core/support/Diagnostic.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace tegula {
namespace {

bool isWord(const std::string &text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

} // namespace

std::optional<HostValue> specialNumber(std::string_view name) {
  if (name == "inf")
    return std::numeric_limits<double>::infinity();
  if (name == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

std::string unknownType(const std::string &text) {
  constexpr std::pair<std::string_view, const char *> kOfOthers[] = {// names of C, Python and PyTorch
                                                                     {"float", "f32, or f64 for Python's"},
                                                                     {"double", "f64"},
                                                                     {"half", "f16"},
                                                                     {"int", "i32 or i64"},
                                                                     {"long", "i64"},
                                                                     {"short", "i16"},
                                                                     {"char", "i8"},
                                                                     {"byte", "u8"},
                                                                     {"unsigned", "u32"},
                                                                     {"uint", "u32"},
                                                                     {"fp8", "f8e4m3 or f8e5m2"}};
  std::string bare = text.starts_with("tl.") ? text.substr(3) : text, unknown = "unknown type '" + text + "'";
  for (const auto &[name, ours] : kOfOthers)
    if (bare == name)
      return unknown + "; write " + ours;
  std::vector<std::string> names;
  for (unsigned i = 0; i < kScalarTypeCount; ++i)
    names.emplace_back(name(static_cast<ScalarType>(i)));
  std::string near = suggestion(bare, names);
  return unknown + (near.empty() ? "; known: " + listed(names) : near);
}

ScalarType parseType(const std::string &text, const std::string &context) {
  if (std::optional<ScalarType> type = parseScalarType(text.starts_with("tl.") ? text.substr(3) : text))
    return *type;
  throw Error(context + ": " + unknownType(text));
}

std::vector<int64_t> parseShape(const std::string &text, const std::string &context) {
  std::vector<int64_t> shape;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int64_t extent = 0;
    auto [next, failed] = std::from_chars(at, end, extent);
    if (failed != std::errc() || extent < 0 || (next != end && *next != 'x'))
      throw Error(context + ": '" + text + "' is not a shape; expected natural numbers, e.g. 64x128");
    shape.push_back(extent);
    if (next == end)
      return shape;
    at = next + 1;
  }
}

ConstantValue parseConstant(const std::string &parameter, const std::string &text) {
  std::string bare = text.starts_with("tl.") ? text.substr(3) : text;
  if (std::optional<ScalarType> type = parseScalarType(bare))
    return *type;
  if (isWord(text) && text != "True" && text != "False" && text != "None" && !specialNumber(text)) {
    if (text == "true" || text == "false" || text == "none")
      throw Error(parameter + "=" + text + ": write " + static_cast<char>(std::toupper(text[0])) + text.substr(1) +
                  ", or '" + text + "' in quotes for a string");
    return text;
  }
  return HostExpression::parse(text, parameter).evaluateConstant(specialNumber);
}

} // namespace tegula
