// Source text -> tokens. Knows Python's lines, indentation, brackets and literals, and nothing of its grammar. Literals
// stay undecoded, because host code may hold numbers and escapes that the kernel language has no value for.
#pragma once

#include "core/support/Diagnostic.h"
#include "frontend/language/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace tegula::lang {

/// Levels of brackets, blocks, operators or format strings inside each other, at most.
inline constexpr unsigned kMaxNesting = 200;

enum class TokenKind : uint8_t {
  Name,
  Keyword, // reserved words only; `match`, `case`, `type` are names
  Number,
  String,       // with prefix and quotes
  FormatString, // f"..", whole, with all nested fields
  Operator,     // brackets and punctuation too
  Newline,      // the end of a logical line
  Indent,
  Dedent,
  End,
  Invalid, // a character that Python has no use for outside of strings
};

struct Token {
  TokenKind kind;
  Loc loc;
  Loc end;               // just past the last character
  std::string_view text; // into SourceFile::text; empty for Newline, Indent, Dedent and End
};

/// The tokens of a whole file; the last is End. Throws tegula::Error at an unterminated string, an unmatched bracket,
/// an inconsistent indentation or a NUL byte.
std::vector<Token> tokenize(const SourceFile &source);

/// The tokens of text[begin, end) of `source`, where line ends are blanks, as inside brackets. `start` is begin's
/// place, `nesting` the number of levels around it.
std::vector<Token> tokenizeExpression(const SourceFile &source, size_t begin, size_t end, Loc start,
                                      unsigned nesting = 0);

/// What a string literal's prefix and quotes say.
struct StringShape {
  bool isRaw = false, isBytes = false, isFormat = false, isTemplate = false, isTriple = false;
  char quote = '"';
  size_t prefixLength = 0;
  size_t quoteLength() const { return isTriple ? 3 : 1; }
};

/// Nothing where `text` does not begin with a string's prefix and quote.
std::optional<StringShape> stringShape(std::string_view text);

/// A piece of a format string: literal text, or a field {expression!conversion:format}.
struct FormatPart {
  bool isField = false;
  std::string_view text; // the literal, undecoded, or the field's expression
  Loc loc;               // where `text` begins
  char conversion = 0;
  std::string_view format;
  bool showsText = false; // {x=} prints its own text
};

/// The pieces of a FormatString token, in order. `nesting` as above.
std::vector<FormatPart> splitFormatString(const SourceFile &source, const Token &token, unsigned nesting = 0);

/// A diagnostic at `loc` with its source line.
Diagnostic diagnosticAt(const SourceFile &source, Loc loc, std::string message,
                        Diagnostic::Severity severity = Diagnostic::Severity::Error);

/// Throws tegula::Error at `loc`.
[[noreturn]] void failAt(const SourceFile &source, Loc loc, std::string message);

/// The same with a note at a second place.
[[noreturn]] void failAt(const SourceFile &source, Loc loc, std::string message, Loc noteLoc, std::string note);

/// Says why an Invalid token cannot stand there and what to write instead.
std::string explainInvalid(std::string_view text);

} // namespace tegula::lang
