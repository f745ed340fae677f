// Reads the text form of layouts character by character; every error names its column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::layout {

class TextCursor {
public:
  /// `what` is used in messages in place of a file's name.
  TextCursor(std::string_view text, std::string what) : text_(text), what_(std::move(what)) {}

  void skipSpaces();
  bool atEnd();
  /// The next character that is not a space; 0 at the end.
  char peek();
  /// If the next character (or text) is this one: skips it and returns true.
  bool take(char c);
  bool take(std::string_view text);
  /// Skips the character `c`; throws "expected ..., found ..." if the next character is another one.
  void expect(char c);
  /// Reads letters, digits and `_` that begin with a letter; empty if the next character is not a letter.
  std::string identifier();
  /// Reads the text between two `"`.
  std::string quoted();
  /// Reads an integer from 0 to 2^31.
  uint32_t number();
  /// Reads `( n, n, ... )` between the two given brackets.
  std::vector<uint32_t> numbers(char open, char close);

  size_t position() const { return position_; }
  void setPosition(size_t position) { position_ = position; }
  /// Throws `what:1:column: error: message` with the text and a caret below it.
  [[noreturn]] void fail(const std::string &message, size_t position) const;
  [[noreturn]] void fail(const std::string &message) const { fail(message, position_); }
  /// Throws "expected `expected`, found 'x'".
  [[noreturn]] void failExpected(const std::string &expected);

private:
  std::string_view text_;
  std::string what_;
  size_t position_ = 0;
};

} // namespace tegula::layout
