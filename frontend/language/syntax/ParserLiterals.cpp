#include "frontend/language/syntax/ParserImpl.h"

#include "frontend/language/syntax/LexerCursor.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace tegula::lang {
namespace {

/// The digits of a number without `_`; empty where a `_` does not stand between two digits.
std::string withoutUnderscores(std::string_view text, bool isHex = false) {
  auto isDigitHere = [&](char c) { return isHex ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : isDigit(c); };
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
      continue;
    }
    if (i == 0 || i + 1 == text.size() || !isDigitHere(text[i - 1]) || !isDigitHere(text[i + 1]))
      return {};
  }
  return digits;
}

unsigned digitValue(char c) {
  if (isDigit(c))
    return static_cast<unsigned>(c - '0');
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? static_cast<unsigned>(lower - 'a' + 10) : 99;
}

/// Whether a decimal number beyond double's range is too large (not too small): decided by the place of its first
/// digit.
bool isHuge(std::string_view digits) {
  size_t mantissaEnd = std::min(digits.find_first_of("eE"), digits.size());
  int64_t exponent = 0;
  if (mantissaEnd < digits.size()) {
    std::string_view text = digits.substr(mantissaEnd + 1);
    bool isNegative = text.starts_with('-');
    if (text.starts_with('+') || isNegative)
      text.remove_prefix(1);
    int32_t magnitude = std::numeric_limits<int32_t>::max();
    std::from_chars(text.data(), text.data() + text.size(), magnitude); // unchanged on overflow
    exponent = isNegative ? -int64_t(magnitude) : magnitude;
  }
  std::string_view mantissa = digits.substr(0, mantissaEnd);
  auto point = static_cast<int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  auto first = static_cast<int64_t>(mantissa.find_first_of("123456789"));
  return point - first + exponent > 0;
}

} // namespace

Int LiteralParser::integerValue(const Token &token) const {
  std::string_view text = token.text;
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    char letter = static_cast<char>(text[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  }
  // `0x_ff` is legal: a `_` right after the prefix counts as between digits.
  bool hasPrefix = base != 10;
  std::string digits = withoutUnderscores(hasPrefix ? "0" + std::string(text.substr(2)) : std::string(text), hasPrefix);
  bool isValid = digits.size() > (hasPrefix ? 1 : 0) &&
                 std::all_of(digits.begin(), digits.end(), [&](char c) { return digitValue(c) < base; });
  if (!isValid)
    fail(token.loc, "\"" + std::string(text) + "\" is not an integer of base " + std::to_string(base) +
                        "; drop what does not belong to it");
  bool isZero = digits.find_first_not_of('0') == std::string::npos;
  if (!hasPrefix && digits[0] == '0' && !isZero)
    fail(token.loc,
         "the number \"" + std::string(text) + "\" begins with 0; write 0o for an octal number, or drop the zeros");
  constexpr Int kMax = static_cast<Int>(~static_cast<unsigned __int128>(0) >> 1);
  Int value = 0;
  for (char c : digits) {
    Int digit = digitValue(c);
    if (value > (kMax - digit) / base)
      fail(token.loc, "the integer \"" + std::string(text) + "\" needs more than the 127 bits that are available");
    value = value * base + digit;
  }
  return value;
}

double LiteralParser::floatValue(const Token &token) const {
  std::string digits = withoutUnderscores(token.text);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size())
    fail(token.loc, "\"" + std::string(token.text) + "\" is not a number; drop what does not belong to it");
  if (error == std::errc::result_out_of_range)
    return isHuge(digits) ? std::numeric_limits<double>::infinity() : 0.0;
  return value;
}

ExprPtr LiteralParser::parseNumber() {
  const Token &token = take();
  std::string_view text = token.text;
  bool hasPrefix =
      text.size() > 1 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos;
  if (hasPrefix)
    return make<ConstantExpr>(token.loc, Literal(integerValue(token)));
  if (text.back() == 'j' || text.back() == 'J')
    return opaque(token.loc, "complex number",
                  "complex numbers are not part of the kernel language; keep real and imaginary parts in two tensors");
  if (text.find_first_of(".eE") != std::string_view::npos)
    return make<ConstantExpr>(token.loc, Literal(floatValue(token)));
  return make<ConstantExpr>(token.loc, Literal(integerValue(token)));
}

ExprPtr LiteralParser::opaque(Loc loc, std::string what, const std::string &message) const {
  if (!isHost())
    fail(loc, message);
  return std::make_unique<OpaqueExpr>(loc, std::move(what));
}

void LiteralParser::setHeight(Expr &e) const {
  unsigned height = 0;
  forEachChild(e, [&](const Expr &child) { height = std::max<unsigned>(height, child.height); });
  if (height >= kMaxExprHeight)
    fail(e.loc, "this expression has more than " + std::to_string(kMaxExprHeight) +
                    " operations inside each other; split it over several statements");
  e.height = static_cast<uint16_t>(height + 1);
}

} // namespace tegula::lang
