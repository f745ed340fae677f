// Operators and comparisons of host code.
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/names/ModuleScope.h"

#include <algorithm>
#include <cmath>

namespace tegula::lang {

HostObject HostEvaluator::unary(const UnaryExpr &expr) const {
  if (expr.op == UnaryOp::Not)
    return !isTrue(*expr.operand);
  HostObject value = eval(*expr.operand);
  if (auto whole = value.integer(); whole && *whole != INT64_MIN)
    return expr.op == UnaryOp::Minus ? -*whole : expr.op == UnaryOp::Invert ? ~*whole : *whole;
  if (auto *real = value.as<double>(); real && expr.op != UnaryOp::Invert)
    return expr.op == UnaryOp::Minus ? -*real : *real;
  notKnown(expr.loc);
}

HostObject HostEvaluator::binary(Loc loc, BinaryOp op, const HostObject &lhs, const HostObject &rhs) const {
  auto i = lhs.integer(), j = rhs.integer();
  bool isLogic = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
  if (isLogic && lhs.as<bool>() && rhs.as<bool>())
    return *integers(loc, op, *i, *j).integer() != 0;
  if (i && j && op != BinaryOp::Div && !(op == BinaryOp::Pow && *j < 0))
    return integers(loc, op, *i, *j);
  auto x = lhs.number(), y = rhs.number();
  if (x && y)
    return floats(loc, op, *x, *y);
  if (op == BinaryOp::Add) {
    for (const HostObject *each : {&lhs, &rhs}) {
      auto *text = each->as<std::string>();
      size_t length = each->list() ? each->list()->items.size() : text ? text->size() : 0;
      if (length > kMaxHostLength || (budget_->joined += length) > kMaxHostJoined)
        fail(loc, "this host code makes a string or list that is too long to be evaluated");
    }
    if (lhs.as<std::string>() && rhs.as<std::string>())
      return *lhs.as<std::string>() + *rhs.as<std::string>();
    if (lhs.list() && rhs.list() && lhs.list()->isTuple == rhs.list()->isTuple && !lhs.list()->isSet &&
        !rhs.list()->isSet) {
      auto sum = std::make_shared<HostList>(*lhs.list());
      sum->items.insert(sum->items.end(), rhs.list()->items.begin(), rhs.list()->items.end());
      return sum;
    }
  }
  if (op == BinaryOp::Mul && lhs.list() && !lhs.list()->isSet && j && *j < 10000 &&
      lhs.list()->items.size() * std::max<int64_t>(*j, 0) <= kMaxHostLength) {
    auto product = std::make_shared<HostList>();
    product->isTuple = lhs.list()->isTuple;
    for (int64_t n = 0; n < *j; ++n)
      product->items.insert(product->items.end(), lhs.list()->items.begin(), lhs.list()->items.end());
    return product;
  }
  if (op == BinaryOp::Or && lhs.dict() && rhs.dict()) {
    auto both = std::make_shared<HostDict>(HostDict{lhs.dict()->items});
    for (auto &[k, v] : rhs.dict()->items)
      setItem(*both, k, v);
    return both;
  }
  notKnown(loc);
}

HostObject HostEvaluator::integers(Loc loc, BinaryOp op, int64_t a, int64_t b) const {
  int64_t result = 0;
  bool fits = true;
  if ((op == BinaryOp::FloorDiv || op == BinaryOp::Mod) && b == 0)
    fail(loc, "division by zero");
  switch (op) {
  case BinaryOp::Add: fits = !__builtin_add_overflow(a, b, &result); break;
  case BinaryOp::Sub: fits = !__builtin_sub_overflow(a, b, &result); break;
  case BinaryOp::Mul: fits = !__builtin_mul_overflow(a, b, &result); break;
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: {
    if (b == -1) { // the only quotient that can overflow
      fits = !__builtin_sub_overflow(int64_t(0), op == BinaryOp::Mod ? 0 : a, &result);
      break;
    }
    bool rounds = a % b != 0 && (a < 0) != (b < 0);
    result = op == BinaryOp::FloorDiv ? a / b - rounds : a % b + (rounds ? b : 0);
    break;
  }
  case BinaryOp::Pow:
    result = 1;
    fits = b <= 63 || a == 0 || a == 1;
    for (int64_t n = 0; n < b && fits; ++n)
      fits = !__builtin_mul_overflow(result, a, &result);
    break;
  case BinaryOp::And: result = a & b; break;
  case BinaryOp::Or: result = a | b; break;
  case BinaryOp::Xor: result = a ^ b; break;
  case BinaryOp::Shl: fits = b >= 0 && b < 63 && !__builtin_mul_overflow(a, int64_t(1) << b, &result); break;
  case BinaryOp::Shr:
    if (b < 0)
      fail(loc, "a shift by a negative number");
    result = a >> std::min<int64_t>(b, 63);
    break;
  default: notKnown(loc);
  }
  if (!fits)
    fail(loc, "this constant does not fit 64 bits");
  return result;
}

HostObject HostEvaluator::floats(Loc loc, BinaryOp op, double a, double b) const {
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && b == 0)
    fail(loc, "division by zero");
  switch (op) {
  case BinaryOp::Add: return a + b;
  case BinaryOp::Sub: return a - b;
  case BinaryOp::Mul: return a * b;
  case BinaryOp::Div: return a / b;
  case BinaryOp::FloorDiv: { // as Python does: 1.0 // 0.1 is 9, although 1.0 / 0.1 is rounded to 10
    double rest = std::fmod(a, b), whole = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0));
    double below = std::floor(whole);
    return whole == 0 ? std::copysign(0.0, a / b) : below + (whole - below > 0.5);
  }
  case BinaryOp::Mod: {
    double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case BinaryOp::Pow: return std::pow(a, b);
  default: notKnown(loc);
  }
}

HostObject HostEvaluator::comparison(const CompareExpr &expr) const {
  HostObject lhs = eval(*expr.operands[0]);
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    HostObject rhs = eval(*expr.operands[i + 1]);
    if (!compare(expr.opLocs[i], expr.ops[i], lhs, rhs))
      return false;
    lhs = std::move(rhs);
  }
  return true;
}

bool HostEvaluator::compare(Loc loc, CompareOp op, const HostObject &lhs, const HostObject &rhs) const {
  auto known = [&](std::optional<bool> value) {
    if (!value)
      fail(loc, "this comparison cannot be evaluated outside Python");
    return *value;
  };
  switch (op) {
  case CompareOp::Eq: return known(isEqual(lhs, rhs));
  case CompareOp::Ne: return !known(isEqual(lhs, rhs));
  case CompareOp::Is:
  case CompareOp::IsNot: {
    if ((lhs.list() && lhs.list() == rhs.list()) || (lhs.dict() && lhs.dict() == rhs.dict()))
      return op == CompareOp::Is;
    if ((lhs.list() && rhs.list()) || (lhs.dict() && rhs.dict())) // two objects, which may be equal
      return known(lhs.list() && lhs.list()->isTuple ? std::nullopt : std::optional(false)) == (op == CompareOp::Is);
    bool sameKind = lhs.v.index() == rhs.v.index();
    auto same = sameKind || lhs.as<HostPath>() || rhs.as<HostPath>() ? isEqual(lhs, rhs) : std::optional(false);
    return known(same) == (op == CompareOp::Is);
  }
  case CompareOp::In:
  case CompareOp::NotIn: {
    std::optional<bool> found = false;
    if (auto *path = rhs.as<HostPath>();
        path && path->path == "os.environ" && lhs.as<std::string>() && names_.modules()) {
      found = names_.modules()->environment(*lhs.as<std::string>()).has_value();
    } else if (auto *text = rhs.as<std::string>(); text && lhs.as<std::string>()) {
      found = text->find(*lhs.as<std::string>()) != std::string::npos;
    } else if (auto *dict = rhs.dict()) {
      for (auto &[key, value] : dict->items)
        found = found == true || isEqual(key, lhs) == true;
    } else {
      for (const HostObject &element : elements(loc, rhs, true)) {
        auto same = isEqual(element, lhs);
        if (found != true)
          found = same == true || !found ? same : found;
      }
    }
    return known(found) == (op == CompareOp::In);
  }
  default: break;
  }
  auto sign = order(lhs, rhs);
  if (!sign)
    fail(loc, "this comparison cannot be evaluated outside Python");
  return op == CompareOp::Lt   ? *sign < 0
         : op == CompareOp::Le ? *sign <= 0
         : op == CompareOp::Gt ? *sign > 0
                               : *sign >= 0;
}

} // namespace tegula::lang
