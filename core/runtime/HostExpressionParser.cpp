#include "core/runtime/HostExpressionNode.h"

#include <cctype>
#include <charconv>

namespace tegula {
namespace {

using Node = HostExpression::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr unsigned kMaxDepth = 100;

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continuesName(char c) { return startsName(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// A recursive-descent parser with one function for each level of Python's precedence.
class Parser {
public:
  explicit Parser(const HostExpression::Source &source) : source_(source), text_(source.text) {}

  NodePtr single() {
    NodePtr node = conditional();
    atEnd();
    return node;
  }

  std::vector<NodePtr> list() {
    // In `(a, b)` the parentheses enclose the list; in `(a + b) * c, d` they do not.
    if (peek() == '(') {
      size_t start = at_;
      ++at_;
      std::vector<NodePtr> inner = commaSeparated(')');
      if (accept(")") && peek() == '\0' && inner.size() != 0)
        return inner;
      at_ = start;
    }
    std::vector<NodePtr> result = commaSeparated('\0');
    atEnd();
    return result;
  }

private:
  [[noreturn]] void fail(size_t offset, const std::string &message) { failAt(source_, offset, message); }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (text_.substr(at_, token.size()) != token)
      return false;
    if (startsName(token[0]) && at_ + token.size() < text_.size() && continuesName(text_[at_ + token.size()]))
      return false;
    at_ += token.size();
    return true;
  }
  void atEnd() {
    if (peek() != '\0' || at_ < text_.size())
      fail(at_, std::string("unexpected '") + text_[at_] + "' in a host expression");
  }
  std::vector<NodePtr> commaSeparated(char end) {
    std::vector<NodePtr> result;
    do {
      if (!result.empty() && peek() == end)
        break;
      result.push_back(conditional());
    } while (accept(","));
    return result;
  }

  static std::shared_ptr<Node> make(Node::Kind kind, size_t offset, std::string text = {},
                                    std::vector<NodePtr> operands = {}) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->offset = offset;
    node->text = std::move(text);
    node->operands = std::move(operands);
    return node;
  }

  struct Nested {
    Parser &parser;
    explicit Nested(Parser &p) : parser(p) {
      if (++parser.depth_ > kMaxDepth)
        parser.fail(parser.at_, "expression nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    ~Nested() { --parser.depth_; }
  };

  NodePtr conditional() {
    Nested nested(*this);
    NodePtr value = disjunction();
    peek();
    size_t offset = at_;
    if (!accept("if"))
      return value;
    NodePtr condition = disjunction();
    if (!accept("else"))
      fail(at_, "'else' expected after the condition");
    NodePtr otherwise = conditional();
    return make(Node::Kind::Conditional, offset, {}, {condition, value, otherwise});
  }

  NodePtr disjunction() {
    NodePtr left = conjunction();
    for (size_t offset = (peek(), at_); accept("or"); offset = (peek(), at_))
      left = make(Node::Kind::Or, offset, {}, {left, conjunction()});
    return left;
  }

  NodePtr conjunction() {
    NodePtr left = negation();
    for (size_t offset = (peek(), at_); accept("and"); offset = (peek(), at_))
      left = make(Node::Kind::And, offset, {}, {left, negation()});
    return left;
  }

  NodePtr negation() {
    Nested nested(*this);
    peek();
    size_t offset = at_;
    if (accept("not"))
      return make(Node::Kind::Unary, offset, "not", {negation()});
    return comparison();
  }

  std::string comparisonOperator() {
    for (const char *op : {"<=", ">=", "==", "!=", "<", ">"})
      if (accept(op))
        return op;
    if (accept("is"))
      return accept("not") ? "is not" : "is";
    return {};
  }

  NodePtr comparison() {
    NodePtr first = sum();
    peek();
    auto node = make(Node::Kind::Comparison, at_, {}, {first});
    for (std::string op = comparisonOperator(); !op.empty(); op = comparisonOperator()) {
      node->operators.push_back(op);
      node->operands.push_back(sum());
    }
    return node->operators.empty() ? first : node;
  }

  NodePtr sum() {
    NodePtr left = product();
    while (true) {
      char c = peek();
      if (c != '+' && c != '-')
        return left;
      size_t offset = at_++;
      left = make(Node::Kind::Binary, offset, std::string(1, c), {left, product()});
    }
  }

  NodePtr product() {
    NodePtr left = unary();
    while (true) {
      peek();
      size_t offset = at_;
      std::string op;
      for (const char *candidate : {"//", "/", "%", "*"})
        if (op.empty() && text_.substr(at_, 2) != "**" && accept(candidate))
          op = candidate;
      if (op.empty())
        return left;
      left = make(Node::Kind::Binary, offset, op, {left, unary()});
    }
  }

  NodePtr unary() {
    Nested nested(*this);
    char c = peek();
    if (c != '-' && c != '+')
      return power();
    size_t offset = at_++;
    return make(Node::Kind::Unary, offset, std::string(1, c), {unary()});
  }

  NodePtr power() {
    NodePtr base = primary();
    peek();
    size_t offset = at_;
    if (!accept("**"))
      return base;
    return make(Node::Kind::Binary, offset, "**",
                {base, unary()}); // right-associative; binds tighter than a unary minus to its left
  }

  NodePtr primary() {
    char c = peek();
    size_t offset = at_;
    if (accept("(")) {
      NodePtr inner = conditional();
      if (!accept(")"))
        fail(at_, "')' expected");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1]))))
      return number();
    if (c == '\'' || c == '"')
      return string();
    if (startsName(c))
      return nameOrCall();
    if (at_ >= text_.size())
      fail(offset, text_.find_first_not_of(" \t\n") == std::string_view::npos
                       ? "a host expression expected, nothing found"
                       : "the expression ends where a value is expected");
    fail(offset, std::string("a value expected, '") + c + "' found");
  }

  NodePtr number() {
    size_t start = at_;
    bool hex = text_[at_] == '0' && at_ + 1 < text_.size() && (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X');
    if (hex)
      at_ += 2;
    bool isFloat = false;
    std::string digits;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      bool sign = !hex && (c == '+' || c == '-') && !digits.empty() && (digits.back() == 'e' || digits.back() == 'E');
      if (c == '_')
        continue;
      if (!sign && !continuesName(c) && !(c == '.' && !hex))
        break;
      isFloat |= !hex && (c == '.' || c == 'e' || c == 'E');
      digits += c;
    }
    auto node = make(Node::Kind::Literal, start);
    const char *end = digits.data() + digits.size();
    std::from_chars_result result{};
    if (isFloat) {
      double value = 0;
      result = std::from_chars(digits.data(), end, value);
      node->value = value;
    } else {
      int64_t value = 0;
      result = std::from_chars(digits.data(), end, value, hex ? 16 : 10);
      node->value = value;
    }
    std::string written(text_.substr(start, at_ - start));
    if (result.ec == std::errc::result_out_of_range)
      fail(start, "number " + written + " does not fit in 64 bits");
    if (result.ec != std::errc() || result.ptr != end)
      fail(start, "malformed number " + written);
    return node;
  }

  NodePtr string() {
    size_t start = at_;
    size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos)
      fail(start, "unterminated string");
    auto node = make(Node::Kind::Literal, start);
    node->value = std::string(text_.substr(start + 1, end - start - 1));
    at_ = end + 1;
    return node;
  }

  std::string word() {
    size_t start = at_;
    while (at_ < text_.size() && continuesName(text_[at_]))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  NodePtr nameOrCall() {
    size_t start = at_;
    std::string name = word();
    auto literal = [&](HostValue value) {
      auto node = make(Node::Kind::Literal, start);
      node->value = std::move(value);
      return node;
    };
    if (name == "True" || name == "False")
      return literal(name == "True");
    if (name == "None")
      return literal(std::monostate());
    for (const char *keyword : {"if", "else", "and", "or", "not", "is", "in", "lambda", "for"})
      if (name == keyword)
        fail(start, "a value expected, '" + name + "' found");
    while (peek() == '.') {
      if (name != "triton" && name != "tl" && name != "triton.language" && name != "language")
        fail(at_, "attributes are not part of host expressions; only triton.X and tl.X are known");
      ++at_;
      if (!startsName(peek()))
        fail(at_, "a name expected after '.'");
      std::string member = word();
      name = member == "language" ? "triton.language" : member;
      if (member != "language" && peek() != '(') {
        if (std::optional<ScalarType> type = parseScalarType(name))
          return literal(HostValue(*type));
        fail(start, "'" + std::string(text_.substr(start, at_ - start)) + "' is not known in host expressions");
      }
    }
    if (!accept("("))
      return make(Node::Kind::Name, start, name);
    auto call = make(Node::Kind::Call, start, name);
    if (peek() != ')')
      call->operands = commaSeparated(')');
    if (!accept(")"))
      fail(at_, "')' expected");
    return call;
  }

  const HostExpression::Source &source_;
  std::string_view text_;
  size_t at_ = 0;
  unsigned depth_ = 0;
};

} // namespace

HostExpression HostExpression::parse(const std::string &text, const std::string &label) {
  HostExpression expression;
  expression.source_ = std::make_shared<Source>(Source{text, label});
  expression.root_ = Parser(*expression.source_).single();
  return expression;
}

std::vector<HostExpression> HostExpression::parseList(const std::string &text, const std::string &label) {
  auto source = std::make_shared<Source>(Source{text, label});
  std::vector<HostExpression> result;
  for (NodePtr &root : Parser(*source).list()) {
    result.emplace_back();
    result.back().source_ = source;
    result.back().root_ = std::move(root);
  }
  return result;
}

void failAt(const HostExpression::Source &source, size_t offset, const std::string &message) {
  Diagnostic diagnostic;
  size_t lineStart = offset ? source.text.rfind('\n', offset - 1) + 1 : 0; // in the first line npos + 1 = 0
  size_t lineEnd = source.text.find('\n', offset);
  diagnostic.location.file = source.label;
  diagnostic.location.line = 1;
  for (size_t i = 0; i < lineStart; ++i)
    diagnostic.location.line += source.text[i] == '\n';
  diagnostic.location.column = static_cast<uint32_t>(offset - lineStart + 1);
  diagnostic.message = message;
  diagnostic.sourceLine = source.text.substr(lineStart, lineEnd == std::string::npos ? lineEnd : lineEnd - lineStart);
  throw Error(diagnostic);
}

} // namespace tegula
