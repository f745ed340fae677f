#include "core/passes/analysis/ProgramSigns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include <optional>

using namespace mlir;

namespace tegula::tile {
namespace {

using Kind = ProgramExpression::Kind;

std::optional<Kind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case([](arith::AddIOp) { return Kind::Add; })
      .Case([](arith::SubIOp) { return Kind::Subtract; })
      .Case([](arith::MulIOp) { return Kind::Multiply; })
      .Case([](arith::DivSIOp) { return Kind::Divide; })
      .Case([](arith::RemSIOp) { return Kind::Remainder; })
      .Case([](arith::MinSIOp) { return Kind::Minimum; })
      .Case([](arith::MaxSIOp) { return Kind::Maximum; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Writes a scalar as an expression with one node for each value. 64-bit arithmetic may be written as 32-bit
/// arithmetic: launches reject values that do not fit 32 bits.
class Writer {
public:
  std::optional<ProgramExpression> write(Value scalar) {
    return node(scalar) ? std::optional(std::move(expression_)) : std::nullopt;
  }

  std::optional<ProgramExpression> writeBound(const Polynomial &polynomial, const Polynomials &scalars) {
    std::optional<uint32_t> sum = node(polynomial, scalars);
    std::optional<uint32_t> last = sum ? combine(Kind::Maximum, sum, add({Kind::Constant, 1})) : std::nullopt;
    return last ? std::optional(std::move(expression_)) : std::nullopt;
  }

private:
  std::optional<uint32_t> add(const ProgramExpression::Node &made) {
    if (expression_.nodes.size() == ProgramExpression::kMostNodes)
      return std::nullopt;
    expression_.nodes.push_back(made);
    return uint32_t(expression_.nodes.size() - 1);
  }
  std::optional<uint32_t> add(Value scalar, const ProgramExpression::Node &made) {
    std::optional<uint32_t> number = add(made);
    if (number)
      numbers_[scalar] = *number;
    return number;
  }
  std::optional<uint32_t> combine(Kind kind, std::optional<uint32_t> left, std::optional<uint32_t> right) {
    return left && right ? add({kind, 0, *left, *right}) : std::nullopt;
  }

  /// Adds the nodes that compute a polynomial to the expression, in the order in which Polynomials::emit computes it.
  /// Returns the number of the last node; nothing if the polynomial cannot be expressed.
  std::optional<uint32_t> node(const Polynomial &polynomial, const Polynomials &scalars) {
    std::optional<uint32_t> sum;
    for (const Polynomial::Term &term : polynomial.terms()) {
      std::optional<uint32_t> product;
      for (unsigned number : term.atoms) {
        const Polynomials::Atom &atom = scalars.atom(number);
        // The expression has an induction variable's largest value in place of the variable. That gives an upper bound
        // of the term only if the term's factor is not negative and the variable is not in a remainder.
        if (inductionOf(atom.value) && (term.factor < 0 || atom.isRemainder()))
          return std::nullopt;
        std::optional<uint32_t> factor = node(atom, scalars);
        product = term.atoms.front() == number && !product ? factor : combine(Kind::Multiply, product, factor);
        if (!product)
          return std::nullopt;
      }
      if (!product)
        product = add({Kind::Constant, term.factor});
      else if (term.factor != 1)
        product = combine(Kind::Multiply, product, add({Kind::Constant, term.factor}));
      sum = &term == polynomial.terms().begin() ? product : combine(Kind::Add, sum, product);
      if (!sum)
        return std::nullopt;
    }
    return polynomial.isZero() ? add({Kind::Constant, 0}) : sum;
  }

  static scf::ForOp inductionOf(Value scalar) {
    auto argument = dyn_cast<BlockArgument>(scalar);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    return loop && argument == loop.getInductionVar() ? loop : scf::ForOp();
  }

  std::optional<uint32_t> node(const Polynomials::Atom &atom, const Polynomials &scalars) {
    if (atom.isRemainder())
      return combine(Kind::Remainder, node(*atom.start, scalars), node(atom.value));
    scf::ForOp loop = inductionOf(atom.value);
    std::optional<uint32_t> value = node(loop ? loop.getUpperBound() : atom.value);
    return atom.step == 1 ? value : combine(Kind::Divide, value, add({Kind::Constant, atom.step}));
  }

  std::optional<uint32_t> node(Value scalar) {
    if (auto known = numbers_.find(scalar); known != numbers_.end())
      return known->second;
    if (!scalar.getType().isInteger(32) && !scalar.getType().isInteger(64))
      return std::nullopt;
    if (auto argument = dyn_cast<BlockArgument>(scalar))
      return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? add(scalar, {Kind::Param, argument.getArgNumber()})
                                                                   : std::nullopt;
    if (APInt constant; matchPattern(scalar, m_ConstantInt(&constant)))
      return !constant.isSignedIntN(32) ? std::nullopt : add(scalar, {Kind::Constant, constant.getSExtValue()});
    Operation *op = scalar.getDefiningOp();
    if (auto program = dyn_cast<ProgramIdOp>(op))
      return add(scalar, {Kind::Program, int64_t(program.getAxis())});
    if (isa<HintOp, arith::ExtSIOp>(op))
      return node(op->getOperand(0));
    if (APInt places;
        isa<arith::ShRSIOp, arith::ShRUIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&places)))
      return places.ult(31) ? combine(Kind::Divide, node(op->getOperand(0)),
                                      add({Kind::Constant, int64_t(1) << places.getZExtValue()}))
                            : std::nullopt; // the launch checks that the dividend is not negative
    std::optional<Kind> kind = kindOf(op);
    std::optional<uint32_t> left = kind ? node(op->getOperand(0)) : std::nullopt;
    std::optional<uint32_t> right = left ? node(op->getOperand(1)) : std::nullopt;
    return right ? add(scalar, {*kind, 0, *left, *right}) : std::nullopt;
  }

  ProgramExpression expression_;
  DenseMap<Value, uint32_t> numbers_;
};

} // namespace

std::optional<ProgramExpression> expressionOf(Value scalar) { return Writer().write(scalar); }

std::optional<ProgramExpression> boundOf(const Polynomial &polynomial, const Polynomials &scalars) {
  return Writer().writeBound(polynomial, scalars);
}

bool ProgramSigns::isNonNegative(Value scalar) {
  if (axes_.of(scalar).nonNegative)
    return true;
  Operation *op = scalar.getDefiningOp();
  if (!op || (isa<arith::ExtSIOp>(op) && op->getOperand(0).getType().isInteger(1))) // sign-extending `true` gives -1
    return false;
  if (isa<arith::ExtSIOp, HintOp, arith::RemSIOp>(op)) // a remainder has the sign of its dividend
    return isNonNegative(op->getOperand(0));
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp>(op))
    return isNonNegative(op->getOperand(0)) && isNonNegative(op->getOperand(1));
  if (isa<arith::MaxSIOp>(op))
    return isNonNegative(op->getOperand(0)) || isNonNegative(op->getOperand(1));
  return isa<arith::DivSIOp>(op) && isNonNegative(op->getOperand(0)) && isPositiveIfAsked(op->getOperand(1));
}

bool ProgramSigns::isPositiveIfAsked(Value scalar) {
  std::optional<ProgramExpression> condition = expressionOf(scalar);
  if (!condition)
    return false;
  if (!llvm::is_contained(conditions_, *condition))
    conditions_.push_back(std::move(*condition));
  return true;
}

std::vector<SignConditions> nonNegativeIf(func::FuncOp function, ArrayRef<ArrayRef<Value>> lists) {
  SmallVector<DictionaryAttr> before;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    before.push_back(function.getArgAttrDict(number));
    function.removeArgAttr(number, kDivisibilityAttr);
    if (isa<IntegerType>(argument.getType()))
      function.setArgAttr(number, kNonNegativeAttr, UnitAttr::get(function.getContext()));
  }
  std::vector<SignConditions> conditions;
  {
    AxisAnalysis axes(function);
    for (ArrayRef<Value> scalars : lists) {
      ProgramSigns signs(axes);
      bool are = llvm::all_of(scalars, [&](Value scalar) { return signs.isNonNegative(scalar); });
      conditions.push_back(are ? SignConditions(signs.conditions()) : std::nullopt);
    }
  }
  for (auto [number, attributes] : llvm::enumerate(before))
    function.setArgAttrs(number, attributes);
  return conditions;
}

} // namespace tegula::tile
