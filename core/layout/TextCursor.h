// Reads the texts of layouts character by character; every error has its column.
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
  /// The next character that is no space; 0 at the end.
  char peek();
  /// Takes the character, or the text, if it is next.
  bool take(char c);
  bool take(std::string_view text);
  /// Throws "expected ..., found ..." unless it is next.
  void expect(char c);
  /// Letters, digits and `_`, beginning with a letter; empty where there is none.
  std::string identifier();
  /// The text between two `"`.
  std::string quoted();
  /// An integer from 0 to 2^31.
  uint32_t number();
  /// `( n, n, ... )` between two given brackets.
  std::vector<uint32_t> numbers(char open, char close);

  size_t position() const { return position_; }
  void setPosition(size_t position) { position_ = position; }
  /// `what:1:column: error: message` with the text and a caret below it.
  [[noreturn]] void fail(const std::string &message, size_t position) const;
  [[noreturn]] void fail(const std::string &message) const { fail(message, position_); }
  /// "expected `expected`, found 'x'"
  [[noreturn]] void failExpected(const std::string &expected);

private:
  std::string_view text_;
  std::string what_;
  size_t position_ = 0;
};

} // namespace tegula::layout
