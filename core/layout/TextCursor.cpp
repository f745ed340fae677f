#include "core/layout/TextCursor.h"
#include "core/support/Diagnostic.h"

#include <cctype>

namespace tegula::layout {

void TextCursor::skipSpaces() {
  while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
    ++position_;
}

bool TextCursor::atEnd() {
  skipSpaces();
  return position_ == text_.size();
}

char TextCursor::peek() { return atEnd() ? '\0' : text_[position_]; }

bool TextCursor::take(char c) {
  if (peek() != c || c == '\0')
    return false;
  ++position_;
  return true;
}

bool TextCursor::take(std::string_view text) {
  skipSpaces();
  if (!text_.substr(position_).starts_with(text))
    return false;
  position_ += text.size();
  return true;
}

void TextCursor::expect(char c) {
  if (!take(c))
    failExpected(std::string("'") + c + "'");
}

std::string TextCursor::identifier() {
  size_t start = (skipSpaces(), position_), end = start;
  auto is = [&](size_t i, auto classify) { return i < text_.size() && classify(static_cast<unsigned char>(text_[i])); };
  if (is(end, [](unsigned char c) { return std::isalpha(c); }))
    while (is(end, [](unsigned char c) { return std::isalnum(c) || c == '_'; }))
      ++end;
  position_ = end;
  return std::string(text_.substr(start, end - start));
}

std::string TextCursor::quoted() {
  size_t start = (skipSpaces(), position_);
  expect('"');
  size_t end = text_.find('"', position_);
  if (end == std::string_view::npos)
    fail("this '\"' is not closed", start);
  std::string inside(text_.substr(position_, end - position_));
  position_ = end + 1;
  return inside;
}

uint32_t TextCursor::number() {
  skipSpaces();
  size_t start = position_;
  uint64_t value = 0;
  for (; position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_])); ++position_) {
    value = value * 10 + static_cast<uint64_t>(text_[position_] - '0');
    if (value > uint64_t(1) << 31)
      fail("a number above 2^31", start);
  }
  if (position_ == start)
    failExpected("a number");
  return static_cast<uint32_t>(value);
}

std::vector<uint32_t> TextCursor::numbers(char open, char close) {
  std::vector<uint32_t> values;
  expect(open);
  do
    values.push_back(number());
  while (take(','));
  if (!take(close))
    failExpected(std::string("',' or '") + close + "'");
  return values;
}

void TextCursor::fail(const std::string &message, size_t position) const {
  Diagnostic diagnostic;
  diagnostic.location = {what_, 1, static_cast<uint32_t>(position + 1)};
  diagnostic.message = message;
  diagnostic.sourceLine = std::string(text_);
  for (char &c : diagnostic.sourceLine)
    c = c == '\n' ? ' ' : c;
  throw Error(diagnostic);
}

void TextCursor::failExpected(const std::string &expected) {
  char next = peek();
  fail("expected " + expected + ", found " + (next ? "'" + std::string(1, next) + "'" : "the end"));
}

} // namespace tegula::layout
