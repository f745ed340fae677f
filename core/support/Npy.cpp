#include "core/support/Npy.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

namespace tegula {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 32; // NumPy's own limit

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header's dictionary: a Python literal with the keys descr, fortran_order and shape in any order.
class HeaderParser {
public:
  HeaderParser(const std::string &name, std::string_view text) : name_(name), text_(text) {}

  Header parse() {
    Header header;
    bool haveDescr = false, haveOrder = false, haveShape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr" && !haveDescr)
        header.descr = description(), haveDescr = true;
      else if (key == "fortran_order" && !haveOrder)
        header.fortranOrder = boolean(), haveOrder = true;
      else if (key == "shape" && !haveShape)
        header.shape = shape(), haveShape = true;
      else
        damaged("unexpected key '" + key + "'");
      if (!accept(',') && peek() != '}')
        damaged("',' or '}' expected");
    }
    if (peek() != '\0')
      damaged("text after the dictionary");
    if (!haveDescr || !haveOrder || !haveShape)
      damaged("descr, fortran_order or shape is missing");
    return header;
  }

private:
  [[noreturn]] void damaged(const std::string &why) { throw Error("'" + name_ + "': damaged .npy header: " + why); }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size())
      return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      damaged(std::string("'") + c + "' expected");
  }
  std::string string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      damaged("a string expected");
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos)
      damaged("unterminated string");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }
  std::string description() {
    if (peek() == '[')
      throw Error("'" + name_ + "': structured items are not supported; save each field as an array of its own");
    return string();
  }
  bool boolean() {
    peek();
    for (auto [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    damaged("True or False expected");
  }
  std::vector<int64_t> shape() {
    std::vector<int64_t> result;
    expect('(');
    while (!accept(')')) {
      result.push_back(extent());
      if (result.size() > kMaxRank)
        damaged("more than " + std::to_string(kMaxRank) + " axes");
      if (!accept(',') && peek() != ')')
        damaged("',' or ')' expected in the shape");
    }
    return result;
  }
  int64_t extent() {
    char first = peek();
    if (first < '0' || first > '9')
      damaged("an extent that is not a natural number");
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text_[at_] - '0'), &value))
        damaged("an extent beyond 64 bits");
    if (at_ < text_.size() && text_[at_] == 'L') // Python 2's suffix of long integers
      ++at_;
    return value;
  }

  const std::string &name_;
  std::string_view text_;
  size_t at_ = 0;
};

void setItems(NpyArray &array, const std::string &name, const std::string &descr) {
  auto unsupported = [&](const std::string &what) {
    return Error("'" + name + "': " + what + " (NumPy type '" + descr +
                 "'); expected booleans, integers of 1 to 8 bytes or floats of 2 to 8 bytes");
  };
  if (descr.size() < 2)
    throw unsupported("unknown item type");
  char order = descr[0];
  std::string_view rest = std::string_view(descr).substr(1);
  if (order != '<' && order != '>' && order != '|' && order != '=') {
    order = '|';
    rest = descr;
  }
  char kind = rest[0];
  unsigned size = 0;
  for (char c : rest.substr(1)) {
    if (c < '0' || c > '9' || size > 1000)
      throw unsupported("unknown item type");
    size = size * 10 + static_cast<unsigned>(c - '0');
  }
  if (kind == 'O')
    throw unsupported("Python objects are not supported");
  bool known = (kind == 'b' && size == 1) ||
               ((kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8)) ||
               (kind == 'f' && (size == 2 || size == 4 || size == 8)) || (kind == 'V' && (size == 1 || size == 2));
  if (!known)
    throw unsupported("items of this type are not supported");
  if (order == '>' && size > 1)
    throw Error("'" + name + "': big-endian items (NumPy type '" + descr +
                "'); save a.astype(a.dtype.newbyteorder('<')) instead");
  array.kind = kind;
  array.itemSize = size;
}

std::string describe(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

} // namespace

NpyArray parseNpy(const std::string &name, std::span<const uint8_t> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (text.empty())
    throw Error("'" + name + "': empty, a .npy file is expected");
  if (!text.starts_with(kMagic.substr(0, std::min(kMagic.size(), text.size()))))
    throw Error("'" + name + "': not a .npy file; save it with numpy.save");
  auto truncated = [&] { return Error("'" + name + "': truncated .npy file: it ends inside its header"); };
  if (text.size() < kMagic.size() + 2)
    throw truncated();
  uint8_t major = bytes[kMagic.size()];
  if (major < 1 || major > 3)
    throw Error("'" + name + "': .npy version " + std::to_string(major) + ", versions 1 to 3 are known");
  size_t lengthBytes = major == 1 ? 2 : 4;
  size_t start = kMagic.size() + 2 + lengthBytes;
  if (text.size() < start)
    throw truncated();
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(bytes[kMagic.size() + 2 + i]) << (8 * i);
  if (length > text.size() - start)
    throw truncated();

  Header header = HeaderParser(name, text.substr(start, length)).parse();
  NpyArray array;
  setItems(array, name, header.descr);
  array.fortranOrder = header.fortranOrder;
  array.shape = header.shape;
  uint64_t expected = array.itemSize;
  bool empty = std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end();
  for (int64_t extent : array.shape)
    if (!empty && (__builtin_mul_overflow(expected, static_cast<uint64_t>(extent), &expected) || expected > INT64_MAX))
      throw Error("'" + name + "': shape " + describe(array.shape) +
                  " takes more than 2^63 bytes; the header is damaged");
  if (empty)
    expected = 0;
  uint64_t have = bytes.size() - start - length;
  if (have != expected)
    throw Error("'" + name + "': shape " + describe(array.shape) + " of " + std::to_string(array.itemSize) +
                "-byte items takes " + std::to_string(expected) + " bytes, the file holds " + std::to_string(have) +
                (have < expected ? "; it is truncated" : "; it has something after the array"));
  array.data.assign(bytes.begin() + static_cast<ptrdiff_t>(start + length), bytes.end());
  if (array.kind == 'b') // a boolean's byte must be 0 or 1
    for (uint8_t &item : array.data)
      item = item != 0;
  return array;
}

NpyArray readNpy(const std::string &path) { return parseNpy(path, readFile(path)); }

std::vector<uint8_t> formatNpy(const NpyArray &array) {
  std::string header = "{'descr': '";
  header += array.itemSize == 1 ? '|' : '<';
  header += array.kind + std::to_string(array.itemSize) +
            "', 'fortran_order': " + (array.fortranOrder ? "True" : "False") + ", 'shape': " + describe(array.shape) +
            ", }";
  // The whole header is padded to a multiple of 64 bytes, and ends in a newline.
  size_t lengthBytes = header.size() + 64 < 65536 ? 2 : 4;
  size_t prefix = kMagic.size() + 2 + lengthBytes;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';

  std::vector<uint8_t> bytes(kMagic.begin(), kMagic.end());
  bytes.push_back(lengthBytes == 2 ? 1 : 2);
  bytes.push_back(0);
  for (size_t i = 0; i < lengthBytes; ++i)
    bytes.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

void writeNpy(const std::string &path, const NpyArray &array) { writeFile(path, formatNpy(array)); }

std::optional<ScalarType> scalarType(const NpyArray &array) {
  auto bySize = [&](ScalarType one, ScalarType two, ScalarType four, ScalarType eight) {
    return array.itemSize == 1 ? one : array.itemSize == 2 ? two : array.itemSize == 4 ? four : eight;
  };
  switch (array.kind) {
  case 'b': return ScalarType::I1;
  case 'i': return bySize(ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64);
  case 'u': return bySize(ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64);
  case 'f': return bySize(ScalarType::F16 /* not reached */, ScalarType::F16, ScalarType::F32, ScalarType::F64);
  default: return std::nullopt;
  }
}

void setItemType(NpyArray &array, ScalarType type) {
  array.itemSize = byteSize(type);
  bool hasFloat = type == ScalarType::F16 || type == ScalarType::F32 || type == ScalarType::F64;
  array.kind = type == ScalarType::I1 ? 'b' : hasFloat ? 'f' : isFloat(type) || isUnsigned(type) ? 'u' : 'i';
}

} // namespace tegula
