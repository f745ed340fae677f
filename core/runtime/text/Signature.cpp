#include "core/runtime/text/Signature.h"
#include "core/runtime/text/Literals.h"
#include "core/support/Diagnostic.h"

#include <cctype>
#include <charconv>

namespace tegula {
namespace {

std::string trimmed(const std::string &text) {
  size_t start = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return start == std::string::npos ? std::string() : text.substr(start, end - start + 1);
}

struct Item {
  std::string text;
  uint32_t column = 1;
};

/// Splits the text at commas outside of brackets.
std::vector<Item> split(const std::string &text) {
  std::vector<Item> items;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    depth += (c == '<' || c == '[') - (c == '>' || c == ']');
    if (i < text.size() && (c != ',' || depth > 0))
      continue;
    std::string item = text.substr(start, i - start);
    size_t lead = item.find_first_not_of(" \t\n");
    items.push_back({trimmed(item), static_cast<uint32_t>(start + (lead == std::string::npos ? 0 : lead) + 1)});
    start = i + 1;
  }
  return items;
}

uint32_t parseDivisibility(const std::string &text) {
  uint32_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value == 0 || (value & (value - 1)))
    throw Error("'" + text + "' after ':' is not a power of two");
  return value;
}

/// Parses `desc<64x64xf16>`, or Triton's form `tensordesc<fp16[64, 64]>`.
ParamType parseDescriptor(const std::string &text) {
  ParamType type;
  type.kind = ParamType::Kind::Descriptor;
  size_t open = text.find('<');
  if (open == std::string::npos || !text.ends_with('>'))
    throw Error("a descriptor is written desc<64x64xf16>");
  std::string inner = text.substr(open + 1, text.size() - open - 2);
  std::string shape, element;
  if (size_t bracket = inner.find('['); bracket != std::string::npos && inner.ends_with(']')) {
    element = trimmed(inner.substr(0, bracket));
    for (char c : inner.substr(bracket + 1, inner.size() - bracket - 2))
      if (c != ' ')
        shape += c == ',' ? 'x' : c;
  } else if (size_t last = inner.rfind('x'); last != std::string::npos) {
    shape = inner.substr(0, last);
    element = inner.substr(last + 1);
  } else {
    throw Error("a descriptor is written desc<64x64xf16>");
  }
  type.block = parseShape(shape, text);
  type.type = parseType(element, text);
  return type;
}

ParamType parseItem(const std::string &text) {
  if (text.empty())
    throw Error("a type or a literal is expected");
  if (text.starts_with("desc<") || text.starts_with("tensordesc<"))
    return parseDescriptor(text);
  // In `i32=64`, only heuristics see the value; the code is valid for any value.
  if (size_t equals = text.find('='); equals != std::string::npos && text[0] != '\'' && text[0] != '"') {
    ParamType typed = parseItem(trimmed(text.substr(0, equals)));
    if (typed.kind != ParamType::Kind::Scalar)
      throw Error("only the type of a number can have a value after '='");
    typed.value = parseConstant("value", trimmed(text.substr(equals + 1)));
    return typed;
  }
  ParamType type;
  size_t stars = std::min(text.find_first_not_of('*'), text.size());
  if (stars > 2)
    throw Error("at most two '*' are supported");
  size_t colon = text.find(':');
  std::string name = trimmed(text.substr(stars, colon == std::string::npos ? colon : colon - stars));
  std::optional<ScalarType> known = parseScalarType(name);
  if (known || stars > 0) {
    type.type = known ? *known : parseType(name, text);
    type.kind = stars == 2   ? ParamType::Kind::PointerToPointers
                : stars == 1 ? ParamType::Kind::Pointer
                             : ParamType::Kind::Scalar;
    if (colon != std::string::npos) {
      if (stars == 0 && isFloat(type.type))
        throw Error("a float has no divisibility");
      type.divisibility = parseDivisibility(trimmed(text.substr(colon + 1)));
    }
    return type;
  }
  bool startsLiteral = std::isdigit(static_cast<unsigned char>(text[0])) ||
                       std::string_view("-+.'\"(").find(text[0]) != std::string_view::npos;
  if (!startsLiteral && text != "True" && text != "False" && text != "None" && text != "inf" && text != "nan")
    parseType(name, text); // throws an error with a suggestion
  type.kind = ParamType::Kind::Constant;
  type.value = parseConstant("literal", text);
  return type;
}

} // namespace

std::vector<ParamType> parseSignature(const std::string &text, const std::string &label) {
  std::vector<ParamType> types;
  if (trimmed(text).empty())
    return types;
  for (const Item &item : split(text)) {
    try {
      types.push_back(parseItem(item.text));
    } catch (const Error &e) {
      Diagnostic diagnostic;
      diagnostic.location = {label, 1, item.column};
      diagnostic.message = e.diagnostic().message;
      diagnostic.sourceLine = text;
      throw Error(diagnostic);
    }
  }
  return types;
}

} // namespace tegula
