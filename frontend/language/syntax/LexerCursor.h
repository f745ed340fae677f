// A position in a source text that counts lines. Used by the files of the lexer only.
#pragma once

#include "frontend/language/syntax/Lexer.h"

namespace tegula::lang {

class Cursor {
public:
  /// Walks text[begin, end); `start` is the position of `begin`.
  Cursor(const SourceFile &source, size_t begin, size_t end, Loc start)
      : source_(&source), offset_(begin), end_(end), line_(start.line),
        lineStart_(static_cast<int64_t>(begin) - (start.column - 1)) {}

  const SourceFile &source() const { return *source_; }
  bool atEnd() const { return offset_ >= end_; }
  size_t offset() const { return offset_; }
  Loc loc() const { return {line_, static_cast<uint32_t>(static_cast<int64_t>(offset_) - lineStart_ + 1)}; }

  /// The byte at distance `ahead`; 0 past the end. The text contains no NUL.
  char peek(size_t ahead = 0) const { return offset_ + ahead < end_ ? source_->text[offset_ + ahead] : '\0'; }
  std::string_view rest() const { return std::string_view(source_->text).substr(offset_, end_ - offset_); }
  std::string_view since(size_t begin) const { return std::string_view(source_->text).substr(begin, offset_ - begin); }
  bool atLineEnd() const { return peek() == '\n' || peek() == '\r'; }

  /// Advances by one byte; a line end of any form (\n, \r\n, \r) is one step.
  void advance() {
    if (atEnd())
      return;
    char c = source_->text[offset_];
    bool isCrLf = c == '\r' && peek(1) == '\n';
    offset_ += isCrLf ? 2 : 1;
    if (c == '\n' || c == '\r') {
      ++line_;
      lineStart_ = static_cast<int64_t>(offset_);
    }
  }
  void advance(size_t steps) {
    while (steps--)
      advance();
  }

private:
  const SourceFile *source_;
  size_t offset_, end_;
  uint32_t line_;
  int64_t lineStart_;
};

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

/// A decoded UTF-8 character; length 0 for invalid bytes.
struct CodePoint {
  uint32_t value = 0;
  unsigned length = 0;
};
CodePoint decodeUtf8(std::string_view text);

/// The length in bytes of the identifier character at the beginning of `text`; 0 if it has none. `first`: digits do not
/// count.
size_t identifierCharacter(std::string_view text, bool first);

/// Moves past a string literal with its prefix and quotes. If `parts` is given, splits a format string into it.
void scanString(Cursor &cursor, const StringShape &shape, std::vector<FormatPart> *parts, unsigned nesting);

} // namespace tegula::lang
