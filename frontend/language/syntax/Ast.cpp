#include "frontend/language/syntax/Ast.h"

#include <algorithm>

namespace tegula::lang {

std::string_view SourceFile::line(uint32_t line) const {
  size_t begin = 0;
  for (uint32_t current = 1; begin <= text.size(); ++current) {
    size_t end = text.find_first_of("\r\n", begin);
    if (end == std::string::npos)
      end = text.size();
    if (current == line)
      return std::string_view(text).substr(begin, end - begin);
    bool isCrLf = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
    begin = end + (isCrLf ? 2 : 1);
  }
  return {};
}

std::string toString(Int value) {
  // The magnitude of the smallest Int does not fit an Int.
  unsigned __int128 rest = value;
  if (value < 0)
    rest = -rest;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest);
  if (value < 0)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

namespace {

class ChildVisitor {
public:
  explicit ChildVisitor(const std::function<void(const Expr &)> &visit) : visit_(visit) {}

  void children(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Name:
    case ExprKind::Constant:
    case ExprKind::Opaque: return;
    case ExprKind::Tuple: return each(as<TupleExpr>(&e)->elements);
    case ExprKind::List: return each(as<ListExpr>(&e)->elements);
    case ExprKind::Dict:
      for (auto &[key, value] : as<DictExpr>(&e)->items)
        one(key), one(value);
      return;
    case ExprKind::Unary: return one(as<UnaryExpr>(&e)->operand);
    case ExprKind::Binary: return one(as<BinaryExpr>(&e)->lhs), one(as<BinaryExpr>(&e)->rhs);
    case ExprKind::BoolOp: return each(as<BoolExpr>(&e)->operands);
    case ExprKind::Compare: return each(as<CompareExpr>(&e)->operands);
    case ExprKind::Call: return call(*as<CallExpr>(&e));
    case ExprKind::Attribute: return one(as<AttributeExpr>(&e)->base);
    case ExprKind::Subscript: return one(as<SubscriptExpr>(&e)->base), one(as<SubscriptExpr>(&e)->index);
    case ExprKind::Slice: {
      auto &slice = *as<SliceExpr>(&e);
      return one(slice.lower), one(slice.upper), one(slice.step);
    }
    case ExprKind::IfExp: {
      auto &choice = *as<IfExpr>(&e);
      return one(choice.value), one(choice.condition), one(choice.other);
    }
    case ExprKind::Lambda: return one(as<LambdaExpr>(&e)->body);
    case ExprKind::Starred: return one(as<StarredExpr>(&e)->value);
    case ExprKind::FormatString:
      for (auto &piece : as<FormatStringExpr>(&e)->pieces)
        one(piece.value);
      return;
    case ExprKind::Comprehension: return comprehension(*as<ComprehensionExpr>(&e));
    }
  }

private:
  void one(const ExprPtr &e) {
    if (e)
      visit_(*e);
  }
  void each(const std::vector<ExprPtr> &list) {
    for (auto &e : list)
      one(e);
  }
  void call(const CallExpr &e) {
    one(e.callee);
    each(e.args);
    for (auto &keyword : e.keywords)
      one(keyword.value);
  }

  void comprehension(const ComprehensionExpr &e) {
    one(e.key), one(e.element);
    for (auto &clause : e.clauses) {
      one(clause.target), one(clause.iterable);
      each(clause.conditions);
    }
  }

  const std::function<void(const Expr &)> &visit_;
};

} // namespace

void forEachChild(const Expr &e, const std::function<void(const Expr &)> &visit) { ChildVisitor(visit).children(e); }

namespace {

void functionsOf(const Block &block, const std::function<void(const FunctionStmt &)> &visit) {
  for (auto &statement : block) {
    if (auto *function = as<FunctionStmt>(statement)) {
      visit(*function);
    } else if (auto *branch = as<IfStmt>(statement)) {
      functionsOf(branch->body, visit);
      functionsOf(branch->orelse, visit);
    } else if (auto *attempt = as<TryStmt>(statement)) {
      functionsOf(attempt->body, visit);
      for (const Block &handler : attempt->handlers)
        functionsOf(handler, visit);
      functionsOf(attempt->orelse, visit);
      functionsOf(attempt->finally, visit);
    } else if (auto *host = as<HostBlockStmt>(statement)) {
      functionsOf(host->body, visit);
      functionsOf(host->orelse, visit);
    }
  }
}

} // namespace

void forEachFunction(const Module &module, const std::function<void(const FunctionStmt &)> &visit) {
  functionsOf(module.body, visit);
}

} // namespace tegula::lang
