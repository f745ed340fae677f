#include "core/support/Diagnostic.h"
#include "frontend/language/assembly/Assembly.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

namespace tegula::lang {
namespace {

bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.' || c == ':';
}

std::string withoutComments(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      out += '\n';
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size()) + 1;
      out += ' ';
    } else {
      out += text[i];
    }
  }
  return out;
}

class Reader {
public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  AssemblyProgram program() {
    for (skip(); at_ < text_.size(); skip()) {
      start_ = at_;
      if (take('{')) {
        scopes_.emplace_back();
        continue;
      }
      if (take('}')) {
        if (scopes_.size() > 1)
          scopes_.pop_back();
        continue;
      }
      if (take(';'))
        continue;
      if (text_.compare(at_, 4, ".reg") == 0)
        declaration();
      else
        instruction();
    }
    return std::move(program_);
  }

private:
  [[noreturn]] void fail(const std::string &message) const {
    std::string statement = text_.substr(start_, text_.find_first_of(";\n", start_) - start_);
    throw Error("inline assembly '" + statement + "': " + message);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  std::string name() {
    skip();
    size_t begin = at_;
    while (at_ < text_.size() && isNameCharacter(text_[at_]))
      ++at_;
    if (begin == at_)
      fail(at_ < text_.size() ? std::string("found '") + text_[at_] + "' where a name or number should stand"
                              : "it ends where a name or number should stand");
    return text_.substr(begin, at_ - begin);
  }

  /// .reg .f16x2 a, b;  or  .reg .b32 %r<4>;
  void declaration() {
    at_ += 4;
    std::string type = name();
    do {
      std::string base = name();
      if (!take('<')) {
        declare(base, type.substr(1));
        continue;
      }
      unsigned count = 0;
      std::string digits = name();
      std::from_chars(digits.data(), digits.data() + digits.size(), count);
      if (!take('>') || count > 1000)
        fail("expected a number of registers up to 1000 in angle brackets");
      for (unsigned i = 0; i < count; ++i)
        declare(base + std::to_string(i), type.substr(1));
    } while (take(','));
    end();
  }

  /// A name may be declared again behind the braces around its first declaration: then it is one register.
  void declare(const std::string &name, const std::string &type) {
    bool isOpen = std::ranges::any_of(scopes_, [&](const auto &scope) { return scope.contains(name); });
    auto [known, isNew] = program_.registers.emplace(name, type);
    if (isOpen || known->second != type)
      fail("'" + name + "' is declared twice; give each register a name of its own");
    scopes_.back().insert(name);
  }

  void instruction() {
    AssemblyInstruction made;
    if (take('@'))
      made.predicate = operand();
    skip();
    std::string opcode = name();
    if (opcode.back() == ':' || opcode == "bra")
      fail("labels and jumps cannot be translated; write the loop with tl functions around it");
    for (size_t begin = 0, dot; begin <= opcode.size(); begin = dot + 1) {
      dot = std::min(opcode.find('.', begin), opcode.size());
      made.parts.push_back(opcode.substr(begin, dot - begin));
    }
    skip();
    if (at_ < text_.size() && text_[at_] != ';' && text_[at_] != '}')
      do
        made.operands.push_back(operand());
      while (take(','));
    made.text = text_.substr(start_, at_ - start_);
    end();
    program_.instructions.push_back(std::move(made));
  }

  AssemblyOperand operand() {
    AssemblyOperand made;
    if (take('{')) {
      made.kind = AssemblyOperand::Kind::List;
      do
        made.list.push_back(operand());
      while (take(','));
      if (!take('}'))
        fail("expected '}' after the list of registers");
      return made;
    }
    if (take('['))
      fail("accesses to memory cannot be translated; use tl.load and tl.store");
    made.isInverted = take('!');
    bool isNegative = take('-');
    std::string word = name();
    if (!isNegative && !std::isdigit(static_cast<unsigned char>(word[0]))) {
      made.name = word;
      return made;
    }
    made.kind = AssemblyOperand::Kind::Number;
    if ((made.real = decimal(word))) {
      made.real = isNegative ? -*made.real : *made.real;
      return made;
    }
    made.bits = number(word, isNegative);
    char letter = char(std::tolower(static_cast<unsigned char>(word.size() > 2 ? word[1] : '0')));
    made.floatBits = word[0] == '0' && letter == 'f' ? 32 : word[0] == '0' && letter == 'd' ? 64 : 0;
    return made;
  }

  /// 1.5, 20. and 2.5e-3; nothing for a number without a point. `word` is its part up to the sign of an exponent.
  std::optional<double> decimal(std::string word) {
    if (word.find('.') == std::string::npos)
      return std::nullopt;
    bool isOpen = word.back() == 'e' || word.back() == 'E';
    if (isOpen && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+'))
      word += text_[at_++] + name();
    double value = 0;
    auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (rest != word.data() + word.size() || error != std::errc())
      fail("'" + word + "' is no number");
    return value;
  }

  /// 17, 0x1F, 017 (octal), 0b101, 0f3F800000 and 0d3FF0000000000000 (the bits of a float).
  uint64_t number(std::string word, bool isNegative) {
    bool isFloat =
        word.size() > 2 && word[0] == '0' && std::string_view("fFdD").find(word[1]) != std::string_view::npos;
    bool isHex = isFloat || word.starts_with("0x") || word.starts_with("0X");
    bool isBinary = !isHex && (word.starts_with("0b") || word.starts_with("0B"));
    bool isOctal = !isHex && !isBinary && word.size() > 1 && word[0] == '0';
    if (word.back() == 'U' && !isFloat)
      word.pop_back();
    uint64_t value = 0;
    const char *end = word.data() + word.size();
    auto [rest, error] = std::from_chars(word.data() + (isHex || isBinary ? 2 : 0), end, value,
                                         isHex      ? 16
                                         : isBinary ? 2
                                         : isOctal  ? 8
                                                    : 10);
    if (rest != end || error != std::errc())
      fail("'" + word + "' is no number; floats are written by their bits, as 0f3F800000");
    if (isFloat && isNegative)
      return value ^ uint64_t(1) << (std::tolower(static_cast<unsigned char>(word[1])) == 'f' ? 31 : 63);
    return isNegative ? 0 - value : value;
  }

  /// The last statement needs no semicolon.
  void end() {
    skip();
    if (at_ < text_.size() && text_[at_] != '}' && !take(';'))
      fail(std::string("found '") + text_[at_] + "' where ';' should stand");
  }

  std::string text_;
  size_t at_ = 0, start_ = 0;
  AssemblyProgram program_;
  std::vector<std::set<std::string>> scopes_{1}; // the names declared in the braces around
};

} // namespace

bool AssemblyInstruction::has(std::string_view part) const {
  return std::find(parts.begin() + 1, parts.end(), part) != parts.end();
}

AssemblyProgram parseAssembly(std::string_view text) { return Reader(withoutComments(text)).program(); }

} // namespace tegula::lang
