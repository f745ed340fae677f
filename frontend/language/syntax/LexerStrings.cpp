// String literals: their ends, and the fields of format strings.
// Format strings follow Python 3.12 (PEP 701): a field may hold any expression, the enclosing quote included.
#include "frontend/language/syntax/LexerCursor.h"

namespace tegula::lang {
namespace {

[[noreturn]] void failUnterminated(const SourceFile &source, Loc start, const StringShape &shape) {
  std::string quote(shape.quoteLength(), shape.quote);
  failAt(source, start,
         shape.isTriple ? "this string never ends: expected a closing " + quote + " before the end of the file"
                        : "this string never ends: expected a closing " + quote + " before the end of the line");
}

bool atClosingQuote(const Cursor &cursor, const StringShape &shape) {
  for (size_t i = 0; i < shape.quoteLength(); ++i)
    if (cursor.peek(i) != shape.quote)
      return false;
  return true;
}

std::string_view trimRight(std::string_view text) {
  while (!text.empty() && (isBlank(text.back()) || text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

/// `x=` as in f"{x=}", but not `x==`, `x<=`, ...
bool endsInEquals(std::string_view expression) {
  expression = trimRight(expression);
  if (expression.size() < 2 || expression.back() != '=')
    return false;
  return std::string_view("=!<>").find(expression[expression.size() - 2]) == std::string_view::npos;
}

/// Scans the content of one format string; recurses for fields and for strings in them.
class FormatScanner {
public:
  FormatScanner(Cursor &cursor, const StringShape &shape, Loc start, std::vector<FormatPart> *parts, unsigned nesting)
      : cursor_(cursor), shape_(shape), start_(start), parts_(parts), nesting_(nesting) {}

  /// Scans from after the opening quote up to the closing quote.
  void body() {
    size_t literalBegin = cursor_.offset();
    Loc literalLoc = cursor_.loc();
    while (!atClosingQuote(cursor_, shape_)) {
      bool opens = cursor_.peek() == '{';
      if (opens && cursor_.peek(1) != '{') {
        literal(literalBegin, literalLoc);
        field();
        literalBegin = cursor_.offset();
        literalLoc = cursor_.loc();
        continue;
      }
      if (opens)
        cursor_.advance();
      literalCharacter();
    }
    literal(literalBegin, literalLoc);
  }

private:
  void literal(size_t begin, Loc loc) {
    FormatPart part;
    part.text = cursor_.since(begin);
    part.loc = loc;
    if (parts_ && !part.text.empty())
      parts_->push_back(part);
  }

  void literalCharacter() {
    if (cursor_.atEnd() || (cursor_.atLineEnd() && !shape_.isTriple))
      failUnterminated(cursor_.source(), start_, shape_);
    if (cursor_.peek() != '\\')
      return cursor_.advance();
    cursor_.advance();
    if (!shape_.isRaw && cursor_.peek() == 'N' && cursor_.peek(1) == '{') {
      while (!cursor_.atEnd() && !cursor_.atLineEnd() && cursor_.peek() != '}' && cursor_.peek() != shape_.quote)
        cursor_.advance();
    } else if (cursor_.peek() != '{' && cursor_.peek() != '}') {
      cursor_.advance(); // a brace after a backslash is still a brace
    }
  }

  /// Scans a field: {expression[=][!conversion][:format]}
  void field() {
    Loc open = cursor_.loc();
    if (++nesting_ > kMaxNesting)
      failAt(cursor_.source(), open,
             "format strings are nested deeper than " + std::to_string(kMaxNesting) + " levels; split the expression");
    cursor_.advance();
    FormatPart part;
    part.isField = true;
    part.loc = cursor_.loc();
    size_t begin = cursor_.offset();
    expression(open);
    part.text = cursor_.since(begin);
    part.showsText = endsInEquals(part.text);
    if (cursor_.peek() == '!')
      part.conversion = conversion();
    if (cursor_.peek() == ':') {
      cursor_.advance();
      size_t formatBegin = cursor_.offset();
      format();
      part.format = cursor_.since(formatBegin);
    }
    if (cursor_.peek() != '}')
      failAt(cursor_.source(), cursor_.loc(), "expected \"}\" to end the field of this format string", open,
             "the field begins here");
    cursor_.advance();
    --nesting_;
    if (parts_)
      parts_->push_back(part);
  }

  /// Scans up to the `}`, `:` or `!` that ends the expression.
  void expression(Loc open) {
    unsigned depth = 0;
    while (true) {
      char c = cursor_.peek();
      if (cursor_.atEnd())
        failAt(cursor_.source(), open, "the \"{\" in this format string is never closed; add \"}\"");
      bool ends = c == '}' || c == ':' || (c == '!' && cursor_.peek(1) != '=');
      if (depth == 0 && ends)
        return;
      if (c == '(' || c == '[' || c == '{')
        ++depth;
      else if ((c == ')' || c == ']' || c == '}') && depth > 0)
        --depth;
      if (c == shape_.quote && !shape_.isTriple && isLastQuoteOfLine())
        failAt(cursor_.source(), open,
               "the \"{\" in this format string is never closed; add \"}\" before the closing quote");
      step();
    }
  }

  /// Whether the quote here is the line's last one: then it ends the whole string and does not begin one in the field.
  bool isLastQuoteOfLine() const {
    std::string_view after = cursor_.rest().substr(1);
    return after.substr(0, after.find_first_of("\r\n")).find(shape_.quote) == std::string_view::npos;
  }

  /// Skips a string, a comment, a word or one character of an expression.
  void step() {
    if (auto shape = stringShape(cursor_.rest()))
      return scanString(cursor_, *shape, nullptr, nesting_);
    if (cursor_.peek() == '#') {
      while (!cursor_.atEnd() && !cursor_.atLineEnd())
        cursor_.advance();
    } else if (size_t bytes = identifierCharacter(cursor_.rest(), true)) {
      for (; bytes; bytes = identifierCharacter(cursor_.rest(), false))
        cursor_.advance(bytes);
    } else {
      cursor_.advance();
    }
  }

  char conversion() {
    cursor_.advance();
    Loc loc = cursor_.loc();
    size_t begin = cursor_.offset();
    while (identifierCharacter(cursor_.rest(), false))
      cursor_.advance();
    std::string_view name = cursor_.since(begin);
    if (name != "r" && name != "s" && name != "a")
      failAt(cursor_.source(), loc,
             "\"!" + std::string(name) + "\" is no conversion of a format string; write !r, !s or !a");
    while (isBlank(cursor_.peek()))
      cursor_.advance();
    return name[0];
  }

  /// Scans up to the `}` that ends the field; formats may contain fields as well.
  void format() {
    std::vector<FormatPart> *parts = parts_;
    parts_ = nullptr; // nested fields stay part of the format's text
    while (cursor_.peek() != '}' && !atClosingQuote(cursor_, shape_))
      cursor_.peek() == '{' ? field() : literalCharacter();
    parts_ = parts;
  }

  Cursor &cursor_;
  const StringShape &shape_;
  Loc start_;
  std::vector<FormatPart> *parts_;
  unsigned nesting_;
};

} // namespace

std::optional<StringShape> stringShape(std::string_view text) {
  StringShape shape;
  size_t i = 0;
  for (; i < text.size() && i < 3 && isAsciiLetter(text[i]); ++i) {
    switch (text[i] | 0x20) {
    case 'r': shape.isRaw = true; break;
    case 'b': shape.isBytes = true; break;
    case 'f': shape.isFormat = true; break;
    case 't': shape.isTemplate = true; break;
    case 'u': break;
    default: return std::nullopt;
    }
  }
  // A prefix has one letter, or two, one of them r.
  bool isPrefix = i <= 1 || (i == 2 && shape.isRaw && (shape.isBytes || shape.isFormat || shape.isTemplate));
  if (!isPrefix || i >= text.size() || (text[i] != '"' && text[i] != '\''))
    return std::nullopt;
  shape.quote = text[i];
  shape.prefixLength = i;
  shape.isTriple = text.size() >= i + 3 && text[i + 1] == shape.quote && text[i + 2] == shape.quote;
  return shape;
}

void scanString(Cursor &cursor, const StringShape &shape, std::vector<FormatPart> *parts, unsigned nesting) {
  Loc start = cursor.loc();
  cursor.advance(shape.prefixLength + shape.quoteLength());
  if (shape.isFormat || shape.isTemplate) {
    FormatScanner(cursor, shape, start, parts, nesting).body();
  } else {
    while (!atClosingQuote(cursor, shape)) {
      if (cursor.atEnd() || (cursor.atLineEnd() && !shape.isTriple))
        failUnterminated(cursor.source(), start, shape);
      if (cursor.peek() == '\\')
        cursor.advance();
      cursor.advance();
    }
  }
  cursor.advance(shape.quoteLength());
}

std::vector<FormatPart> splitFormatString(const SourceFile &source, const Token &token, unsigned nesting) {
  size_t begin = static_cast<size_t>(token.text.data() - source.text.data());
  Cursor cursor(source, begin, begin + token.text.size(), token.loc);
  std::vector<FormatPart> parts;
  scanString(cursor, stringShape(token.text).value(), &parts, nesting);
  return parts;
}

} // namespace tegula::lang
