#include "frontend/language/syntax/Lexer.h"

#include "frontend/language/syntax/LexerCursor.h"

#include <algorithm>
#include <iterator>

namespace tegula::lang {
namespace {

constexpr size_t kMaxSourceBytes = size_t(1) << 28;
constexpr unsigned kTabWidth = 8;

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

// Longest first, because the first match is taken.
constexpr std::string_view kOperators[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=",
    "*=",  "/=",  "%=",  "@=",  "&=",  "|=", "^=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ";",  ".",  "=",
};

bool isKeyword(std::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

char closingOf(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

class Lexer {
public:
  /// `isExpression`: line ends are whitespace and indentation has no meaning.
  Lexer(const SourceFile &source, Cursor cursor, bool isExpression, unsigned nesting)
      : source_(source), cursor_(cursor), isExpression_(isExpression), nesting_(nesting) {}

  std::vector<Token> run() {
    while (!cursor_.atEnd()) {
      if (atLineStart_ && !isExpression_ && skipBlankLineOrIndent())
        continue;
      if (isBlank(cursor_.peek()))
        cursor_.advance();
      else if (cursor_.peek() == '#')
        skipComment();
      else if (cursor_.atLineEnd())
        lineEnd();
      else if (cursor_.peek() == '\\')
        continuation();
      else
        token();
    }
    finish();
    return std::move(tokens_);
  }

private:
  struct Bracket {
    char open;
    Loc loc;
  };
  /// The column of an indentation counted twice: with tab stops of eight and with tabs of one. Both must give the same
  /// order of lines, as in Python.
  struct Indentation {
    unsigned wide = 0, narrow = 0;
  };

  void emit(TokenKind kind, size_t begin, Loc start) {
    tokens_.push_back({kind, start, cursor_.loc(), cursor_.since(begin)});
  }
  void emitEmpty(TokenKind kind) { emit(kind, cursor_.offset(), cursor_.loc()); }

  void skipComment() {
    while (!cursor_.atEnd() && !cursor_.atLineEnd())
      cursor_.advance();
  }

  void lineEnd() {
    if (brackets_.empty() && !isExpression_) {
      emitEmpty(TokenKind::Newline);
      atLineStart_ = true;
    }
    cursor_.advance();
  }

  void continuation() {
    Loc loc = cursor_.loc();
    cursor_.advance();
    if (!cursor_.atLineEnd())
      failAt(source_, loc,
             "a backslash continues a line only as its last character; delete it or what follows it in this line");
    cursor_.advance();
    if (cursor_.atEnd())
      failAt(source_, loc, "the file ends after this line continuation; delete the backslash");
  }

  /// Skips a line without code and returns true; otherwise reads the indentation.
  bool skipBlankLineOrIndent() {
    Indentation here = measureIndentation();
    if (cursor_.peek() == '#')
      skipComment();
    if (cursor_.atEnd() || cursor_.atLineEnd()) {
      cursor_.advance();
      return true;
    }
    atLineStart_ = false;
    indent(here);
    return false;
  }

  Indentation measureIndentation() {
    Indentation here;
    for (; isBlank(cursor_.peek()); cursor_.advance()) {
      char c = cursor_.peek();
      if (c == '\f')
        here = {};
      else
        here = {c == '\t' ? (here.wide / kTabWidth + 1) * kTabWidth : here.wide + 1, here.narrow + 1};
    }
    return here;
  }

  void indent(Indentation here) {
    Indentation current = indents_.back();
    if (here.wide > current.wide) {
      checkTabs(here.narrow > current.narrow);
      if (indents_.size() > kMaxNesting)
        failAt(source_, cursor_.loc(),
               "blocks are nested deeper than " + std::to_string(kMaxNesting) +
                   " levels; split the code into functions");
      indents_.push_back(here);
      emitEmpty(TokenKind::Indent);
      return;
    }
    unsigned inner = 0;
    while (here.wide < indents_.back().wide) {
      inner = indents_.back().wide;
      indents_.pop_back();
      emitEmpty(TokenKind::Dedent);
    }
    if (here.wide != indents_.back().wide)
      failAt(source_, cursor_.loc(),
             "this line is indented by " + std::to_string(here.wide) + " columns; expected " +
                 std::to_string(indents_.back().wide) + " or " + std::to_string(inner) + " as in the blocks before it");
    checkTabs(here.narrow == indents_.back().narrow);
  }

  void checkTabs(bool isConsistent) {
    if (!isConsistent)
      failAt(source_, cursor_.loc(),
             "tabs and spaces are mixed so that the indentation depends on the tab width; indent with spaces only");
  }

  void token() {
    size_t begin = cursor_.offset();
    Loc start = cursor_.loc();
    char c = cursor_.peek();
    if (auto shape = stringShape(cursor_.rest())) {
      scanString(cursor_, *shape, nullptr, nesting_ + static_cast<unsigned>(brackets_.size()));
      emit(shape->isFormat || shape->isTemplate ? TokenKind::FormatString : TokenKind::String, begin, start);
    } else if (size_t bytes = identifierCharacter(cursor_.rest(), true)) {
      for (; bytes; bytes = identifierCharacter(cursor_.rest(), false))
        cursor_.advance(bytes);
      emit(isKeyword(cursor_.since(begin)) ? TokenKind::Keyword : TokenKind::Name, begin, start);
    } else if (isDigit(c) || (c == '.' && isDigit(cursor_.peek(1)))) {
      number();
      emit(TokenKind::Number, begin, start);
    } else {
      punctuation();
    }
  }

  void punctuation() {
    size_t begin = cursor_.offset();
    Loc start = cursor_.loc();
    auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                              [&](std::string_view op) { return cursor_.rest().starts_with(op); });
    if (found == std::end(kOperators)) {
      cursor_.advance(std::max(1u, decodeUtf8(cursor_.rest()).length));
      return emit(TokenKind::Invalid, begin, start);
    }
    char c = cursor_.peek();
    if (c == '(' || c == '[' || c == '{')
      open(c, start);
    else if (c == ')' || c == ']' || c == '}')
      close(c, start);
    cursor_.advance(found->size());
    emit(TokenKind::Operator, begin, start);
  }

  void open(char c, Loc loc) {
    if (brackets_.size() + nesting_ >= kMaxNesting)
      failAt(source_, loc,
             "brackets are nested deeper than " + std::to_string(kMaxNesting) + " levels; split the expression");
    brackets_.push_back({c, loc});
  }

  void close(char c, Loc loc) {
    std::string text(1, c);
    if (brackets_.empty())
      failAt(source_, loc, "this \"" + text + "\" closes no bracket; delete it, or open one before it");
    Bracket opened = brackets_.back();
    if (closingOf(opened.open) != c)
      failAt(source_, loc, std::string("expected \"") + closingOf(opened.open) + "\", found \"" + text + "\"",
             opened.loc, std::string("the \"") + opened.open + "\" was opened here");
    brackets_.pop_back();
  }

  template <class Accepts> void skipWhile(Accepts accepts) {
    while (accepts(cursor_.peek()))
      cursor_.advance();
  }

  /// Takes every character that may belong to a number; the parser decodes it and reports errors.
  void number() {
    auto isDecimal = [](char c) { return isDigit(c) || c == '_'; };
    char base = static_cast<char>(cursor_.peek(1) | 0x20);
    if (cursor_.peek() == '0' && (base == 'x' || base == 'o' || base == 'b')) {
      cursor_.advance(2);
      bool isHex = base == 'x';
      skipWhile([&](char c) { return isDecimal(c) || (isHex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f'); });
    } else {
      skipWhile(isDecimal);
      if (cursor_.peek() == '.') {
        cursor_.advance();
        skipWhile(isDecimal);
      }
      bool hasSign = cursor_.peek(1) == '+' || cursor_.peek(1) == '-';
      if ((cursor_.peek() | 0x20) == 'e' && isDigit(cursor_.peek(hasSign ? 2 : 1))) {
        cursor_.advance(hasSign ? 2 : 1);
        skipWhile(isDecimal);
      }
    }
    // `1if x else y` is legal; any other letter after the digits is taken as part of the (invalid) number.
    size_t length = 0;
    while (size_t bytes = identifierCharacter(cursor_.rest().substr(length), false))
      length += bytes;
    if (!isKeyword(cursor_.rest().substr(0, length)))
      cursor_.advance(length);
  }

  void finish() {
    if (!brackets_.empty()) {
      Bracket opened = brackets_.back();
      failAt(source_, opened.loc,
             std::string("this \"") + opened.open + "\" is never closed; add \"" + closingOf(opened.open) +
                 "\" where the expression ends");
    }
    if (!isExpression_ && !tokens_.empty() && tokens_.back().kind != TokenKind::Newline)
      emitEmpty(TokenKind::Newline);
    for (size_t i = 1; i < indents_.size(); ++i)
      emitEmpty(TokenKind::Dedent);
    emitEmpty(TokenKind::End);
  }

  const SourceFile &source_;
  Cursor cursor_;
  bool isExpression_;
  unsigned nesting_;
  bool atLineStart_ = true;
  std::vector<Bracket> brackets_;
  std::vector<Indentation> indents_{{}};
  std::vector<Token> tokens_;
};

void refuseUnreadable(const SourceFile &source, size_t begin, size_t end) {
  if (source.text.size() > kMaxSourceBytes)
    throw Error(source.path + ": the file has " + std::to_string(source.text.size()) + " bytes; at most " +
                std::to_string(kMaxSourceBytes) + " bytes of source are read");
  size_t nul = std::string_view(source.text).substr(begin, end - begin).find('\0');
  if (nul == std::string_view::npos)
    return;
  nul += begin;
  Cursor cursor(source, 0, source.text.size(), {1, 1});
  while (cursor.offset() < nul)
    cursor.advance();
  failAt(source, cursor.loc(), "the file holds a NUL byte here, so it is not Python source text");
}

} // namespace

std::vector<Token> tokenize(const SourceFile &source) {
  refuseUnreadable(source, 0, source.text.size());
  return Lexer(source, Cursor(source, 0, source.text.size(), {1, 1}), false, 0).run();
}

std::vector<Token> tokenizeExpression(const SourceFile &source, size_t begin, size_t end, Loc start, unsigned nesting) {
  refuseUnreadable(source, begin, end);
  return Lexer(source, Cursor(source, begin, end, start), true, nesting).run();
}

Diagnostic diagnosticAt(const SourceFile &source, Loc loc, std::string message, Diagnostic::Severity severity) {
  return {severity, {source.path, loc.line, loc.column}, std::move(message), std::string(source.line(loc.line)), {}};
}

void failAt(const SourceFile &source, Loc loc, std::string message) {
  throw Error(diagnosticAt(source, loc, std::move(message)));
}

void failAt(const SourceFile &source, Loc loc, std::string message, Loc noteLoc, std::string note) {
  Diagnostic diagnostic = diagnosticAt(source, loc, std::move(message));
  diagnostic.notes.push_back(diagnosticAt(source, noteLoc, std::move(note), Diagnostic::Severity::Note));
  throw Error(std::move(diagnostic));
}

} // namespace tegula::lang
