// Source text -> tokens. Knows Python's lines, indentation, brackets and literals, not its grammar. Literals stay
// undecoded, because host code may contain numbers and escapes that the kernel language has no value for.
#pragma once

#include "core/support/Diagnostic.h"
#include "frontend/language/syntax/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace tegula::lang {

/// The maximum nesting of brackets, blocks, operators and format strings.
inline constexpr unsigned kMaxNesting = 200;

enum class TokenKind : uint8_t {
  Name,
  Keyword, // reserved words; `match`, `case`, `type` are names
  Number,
  String,       // with its prefix and quotes
  FormatString, // f"..", whole, with all nested fields
  Operator,     // also brackets and punctuation
  Newline,      // the end of a logical line
  Indent,
  Dedent,
  End,
  Invalid, // a character that Python allows only in strings
};

struct Token {
  TokenKind kind;
  Loc loc;
  Loc end;               // the position after the last character
  std::string_view text; // into SourceFile::text; empty for Newline, Indent, Dedent and End
};

/// The tokens of a whole file; the last is End. Throws tegula::Error at an unterminated string, an unmatched bracket,
/// an inconsistent indentation or a NUL byte.
std::vector<Token> tokenize(const SourceFile &source);

/// The tokens of text[begin, end) of `source`; line ends are whitespace, as inside brackets. `start` is the position of
/// `begin`, `nesting` the number of enclosing levels.
std::vector<Token> tokenizeExpression(const SourceFile &source, size_t begin, size_t end, Loc start,
                                      unsigned nesting = 0);

/// The kind of a string literal, from its prefix and quotes.
struct StringShape {
  bool isRaw = false, isBytes = false, isFormat = false, isTemplate = false, isTriple = false;
  char quote = '"';
  size_t prefixLength = 0;
  size_t quoteLength() const { return isTriple ? 3 : 1; }
};

/// The kind of the string that `text` begins with; nothing where it begins with none.
std::optional<StringShape> stringShape(std::string_view text);

/// A piece of a format string: literal text, or a field {expression!conversion:format}.
struct FormatPart {
  bool isField = false;
  std::string_view text; // literal: its undecoded text; field: its expression
  Loc loc;               // position of `text`
  char conversion = 0;
  std::string_view format;
  bool showsText = false; // {x=}: the field also prints its own text
};

/// The parts of a FormatString token, in order. `nesting`: the number of enclosing levels.
std::vector<FormatPart> splitFormatString(const SourceFile &source, const Token &token, unsigned nesting = 0);

/// A diagnostic at `loc` with its source line.
Diagnostic diagnosticAt(const SourceFile &source, Loc loc, std::string message,
                        Diagnostic::Severity severity = Diagnostic::Severity::Error);

/// Throws tegula::Error at `loc`.
[[noreturn]] void failAt(const SourceFile &source, Loc loc, std::string message);

/// Throws tegula::Error at `loc` with a note at a second position.
[[noreturn]] void failAt(const SourceFile &source, Loc loc, std::string message, Loc noteLoc, std::string note);

/// The reason why an Invalid token is not allowed, and the character to write instead.
std::string explainInvalid(std::string_view text);

} // namespace tegula::lang
