// String literals: escapes, adjacent literals, and the fields of format strings.
#include "frontend/language/syntax/ParserImpl.h"

#include "frontend/language/syntax/LexerCursor.h"

namespace tegula::lang {
namespace {

void appendUtf8(std::string &out, uint32_t c) {
  auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

unsigned hexDigit(char c) {
  if (isDigit(c))
    return static_cast<unsigned>(c - '0');
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

/// Decodes the content of a literal.
class TextDecoder {
public:
  /// `mayBeOpaque`: a legal escape that has no value here sets `isOpaque` instead of failing.
  TextDecoder(Cursor cursor, const StringShape &shape, bool mayBeOpaque)
      : cursor_(cursor), shape_(shape), mayBeOpaque_(mayBeOpaque) {}

  bool isOpaque() const { return isOpaque_; }

  std::string run() {
    while (!cursor_.atEnd()) {
      char c = cursor_.peek();
      if (c == '\\' && !shape_.isRaw)
        escape();
      else if ((c == '{' || c == '}') && shape_.isFormat)
        brace(c);
      else if (cursor_.atLineEnd())
        lineEnd();
      else
        copy();
    }
    return std::move(out_);
  }

private:
  void refuse(Loc loc, const char *message) {
    if (!mayBeOpaque_)
      failAt(cursor_.source(), loc, message);
    isOpaque_ = true;
  }
  void copy() {
    out_ += cursor_.peek();
    cursor_.advance();
  }
  /// A line end of any form becomes \n in the value.
  void lineEnd() {
    out_ += '\n';
    cursor_.advance();
  }

  void brace(char c) {
    if (cursor_.peek(1) != c)
      failAt(cursor_.source(), cursor_.loc(),
             "a single \"}\" in a format string closes nothing; write \"}}\" for the character");
    copy();
    cursor_.advance();
  }

  void escape() {
    Loc loc = cursor_.loc();
    cursor_.advance();
    char c = cursor_.peek();
    if (cursor_.atLineEnd())
      return cursor_.advance();
    constexpr std::string_view kLetters = "\\'\"abfnrtv", kValues = "\\'\"\a\b\f\n\r\t\v";
    if (size_t i = kLetters.find(c); c && i != std::string_view::npos) {
      out_ += kValues[i];
      return cursor_.advance();
    }
    if (c >= '0' && c <= '7')
      return octal();
    if (c == 'x')
      return hexadecimal(2, loc);
    if (!shape_.isBytes && (c == 'u' || c == 'U'))
      return hexadecimal(c == 'u' ? 4 : 8, loc);
    if (!shape_.isBytes && c == 'N')
      return named(loc);
    out_ += '\\'; // Python keeps the backslash of an unknown escape
  }

  void named(Loc loc) {
    refuse(loc, "characters by name (\\N{...}) are not supported; write the character itself or its \\u code");
    while (!cursor_.atEnd() && cursor_.peek() != '}')
      cursor_.advance();
    cursor_.advance();
  }

  void octal() {
    uint32_t value = 0;
    for (int i = 0; i < 3 && cursor_.peek() >= '0' && cursor_.peek() <= '7'; ++i, cursor_.advance())
      value = value * 8 + static_cast<uint32_t>(cursor_.peek() - '0');
    put(value);
  }

  void hexadecimal(unsigned digits, Loc loc) {
    cursor_.advance();
    uint32_t value = 0;
    for (unsigned i = 0; i < digits; ++i, cursor_.advance()) {
      if (hexDigit(cursor_.peek()) > 15)
        failAt(cursor_.source(), loc,
               "this escape needs " + std::to_string(digits) + " hexadecimal digits, found " + std::to_string(i));
      value = value * 16 + hexDigit(cursor_.peek());
    }
    if (value > 0x10FFFF)
      failAt(cursor_.source(), loc, "this escape is past the last Unicode character, U+10FFFF");
    if (value >= 0xD800 && value <= 0xDFFF)
      return refuse(loc,
                    "this escape is half of a surrogate pair, not a character; write the character as one \\U escape");
    put(value);
  }

  void put(uint32_t value) {
    if (shape_.isBytes)
      out_ += static_cast<char>(value & 0xFF);
    else
      appendUtf8(out_, value);
  }

  Cursor cursor_;
  const StringShape &shape_;
  bool mayBeOpaque_, isOpaque_ = false;
  std::string out_;
};

void addPiece(std::vector<FormatStringExpr::Piece> &pieces, std::string text) {
  if (text.empty())
    return;
  if (pieces.empty() || pieces.back().value)
    pieces.emplace_back();
  pieces.back().text += text;
}

} // namespace

ExprPtr LiteralParser::parseStrings() {
  const Token &first = peek();
  bool isBytes = stringShape(first.text)->isBytes;
  JoinedText joined;
  bool hasFields = false, hasTemplate = false;
  while (kind() == TokenKind::String || kind() == TokenKind::FormatString) {
    const Token &token = take();
    StringShape shape = stringShape(token.text).value();
    if (shape.isBytes != isBytes)
      fail(token.loc, "a byte string and a text string cannot be joined; give both the prefix b, or none", first.loc,
           "the first string is here");
    hasTemplate |= shape.isTemplate;
    if (shape.isFormat) {
      appendFormatString(token, joined);
    } else {
      size_t begin = offsetOf(token) + shape.prefixLength + shape.quoteLength();
      size_t end = offsetOf(token) + token.text.size() - shape.quoteLength();
      Loc start{token.loc.line, token.loc.column + static_cast<uint32_t>(shape.prefixLength + shape.quoteLength())};
      appendText(joined, {source_, begin, end, start}, shape);
    }
  }
  if (hasTemplate)
    return opaque(first.loc, "template string",
                  "template strings (t\"...\") are not part of the kernel language; write f\"...\"");
  if (joined.isOpaque)
    return std::make_unique<OpaqueExpr>(first.loc, "string");
  std::vector<FormatStringExpr::Piece> &pieces = joined.pieces;
  for (auto &piece : pieces)
    hasFields |= piece.value != nullptr;
  if (!hasFields)
    return make<ConstantExpr>(first.loc, Literal(pieces.empty() ? std::string() : std::move(pieces[0].text)));
  auto result = std::make_unique<FormatStringExpr>(first.loc);
  result->pieces = std::move(pieces);
  return finish(std::move(result));
}

void LiteralParser::appendText(JoinedText &joined, const Cursor &text, const StringShape &shape) const {
  TextDecoder decoder(text, shape, isHost());
  addPiece(joined.pieces, decoder.run());
  joined.isOpaque |= decoder.isOpaque();
}

void LiteralParser::appendFormatString(const Token &token, JoinedText &joined) {
  Level level(*this);
  StringShape shape = stringShape(token.text).value();
  for (const FormatPart &part : splitFormatString(source_, token, depth_)) {
    auto begin = static_cast<size_t>(part.text.data() - source_.text.data());
    if (!part.isField) {
      appendText(joined, {source_, begin, begin + part.text.size(), part.loc}, shape);
      continue;
    }
    if (part.showsText)
      addPiece(joined.pieces, std::string(part.text));
    FormatStringExpr::Piece piece;
    piece.value = parseField(part);
    piece.format = part.format;
    piece.conversion = part.conversion;
    if (part.showsText && !part.conversion && part.format.empty())
      piece.conversion = 'r';
    joined.pieces.push_back(std::move(piece));
  }
}

ExprPtr LiteralParser::parseField(const FormatPart &part) {
  auto begin = static_cast<size_t>(part.text.data() - source_.text.data());
  std::vector<Token> tokens = tokenizeExpression(source_, begin, begin + part.text.size(), part.loc, depth_);
  if (part.showsText)
    tokens.erase(tokens.end() - 2); // removes the '=' before End
  if (tokens.size() == 1)
    fail(part.loc,
         "expected an expression between the braces of this format string; write \"{{}}\" for the characters");
  return ExpressionParser(source_, std::move(tokens), mode_, depth_).parseWhole();
}

} // namespace tegula::lang
