// Characters beyond ASCII: those allowed in names, and messages for the others.
#include "frontend/language/syntax/LexerCursor.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace tegula::lang {
namespace {

struct Range {
  uint32_t first, last;
};

// Blocks of punctuation, symbols and blanks, which are not allowed in names. Python's rule uses Unicode categories;
// this table has the characters that are commonly pasted from documents and accepts all others as letters.
constexpr Range kNotInNames[] = {
    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB6},       {0xB8, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
    {0xF7, 0xF7},     {0x2000, 0x203E}, {0x2041, 0x2053},   {0x2055, 0x2070}, {0x207A, 0x207E}, {0x208A, 0x208E},
    {0x20A0, 0x20CF}, {0x2190, 0x2BFF}, {0x3000, 0x3004},   {0x3008, 0x3020}, {0xE000, 0xF8FF}, {0xFE10, 0xFE1F},
    {0xFE50, 0xFE6F}, {0xFEFF, 0xFEFF}, {0xFF01, 0xFF0F},   {0xFF1A, 0xFF20}, {0xFF3B, 0xFF3E}, {0xFF40, 0xFF40},
    {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},
};

struct Replacement {
  uint32_t codePoint;
  const char *write;
};

constexpr Replacement kReplacements[] = {
    {0x00A0, "a plain space"}, {0x00D7, "\"*\""},         {0x00F7, "\"/\""},         {0x2013, "\"-\""},
    {0x2014, "\"-\""},         {0x2018, "a plain quote"}, {0x2019, "a plain quote"}, {0x201C, "a plain quote"},
    {0x201D, "a plain quote"}, {0x2026, "\"...\""},       {0x2192, "\"->\""},        {0x2212, "\"-\""},
    {0x2260, "\"!=\""},        {0x2264, "\"<=\""},        {0x2265, "\">=\""},        {0x3000, "a plain space"},
};

std::string hex(const char *format, uint32_t value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

} // namespace

CodePoint decodeUtf8(std::string_view text) {
  if (text.empty())
    return {};
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  unsigned length = lead >= 0xF0 && lead <= 0xF4  ? 4
                    : lead >= 0xE0 && lead < 0xF0 ? 3
                    : lead >= 0xC2 && lead < 0xE0 ? 2
                                                  : 0;
  if (length == 0 || text.size() < length)
    return {};
  uint32_t value = lead & (0x7Fu >> length);
  for (unsigned i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || value > 0x10FFFF || isSurrogate)
    return {};
  return {value, length};
}

size_t identifierCharacter(std::string_view text, bool first) {
  if (text.empty())
    return 0;
  if (isAsciiLetter(text[0]) || (!first && isDigit(text[0])))
    return 1;
  CodePoint c = decodeUtf8(text);
  if (c.value < 0x80)
    return 0;
  bool isSymbol = std::any_of(std::begin(kNotInNames), std::end(kNotInNames),
                              [&](Range r) { return c.value >= r.first && c.value <= r.last; });
  return isSymbol ? 0 : c.length;
}

std::string explainInvalid(std::string_view text) {
  if (text == "!")
    return "\"!\" is not an operator of Python; write \"not x\" for a condition, \"~x\" for a mask";
  if (text == "?")
    return "\"?\" is not an operator of Python; write \"a if condition else b\"";
  CodePoint c = decodeUtf8(text);
  if (c.length == 0)
    return "the byte " + hex("0x%02x", static_cast<unsigned char>(text.empty() ? 0 : text[0])) +
           " is not UTF-8 text; save the file as UTF-8";
  if (c.value < 0x20 || c.value == 0x7F)
    return "the control character " + hex("0x%02x", c.value) + " cannot stand in a program; delete it";
  if (c.value < 0x80)
    return "the character \"" + std::string(text) + "\" is not part of Python; delete it";
  std::string message =
      "the character \"" + std::string(text) + "\" (" + hex("U+%04X", c.value) + ") is not part of Python; ";
  for (const Replacement &r : kReplacements)
    if (r.codePoint == c.value)
      return message + "write " + r.write;
  return message + "it may come from a formatted document: type it again";
}

} // namespace tegula::lang
