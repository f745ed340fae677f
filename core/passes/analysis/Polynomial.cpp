#include "core/passes/analysis/Polynomial.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tegula::tile {

// --- arithmetic ---

Polynomial Polynomial::constant(int64_t value) {
  Polynomial result;
  result.add({value, {}});
  return result;
}

Polynomial Polynomial::atom(unsigned number) {
  Polynomial result;
  result.add({1, {number}});
  return result;
}

void Polynomial::add(const Term &term) {
  constexpr size_t kMostTerms = 32;
  auto at = llvm::lower_bound(terms_, term, [](const Term &a, const Term &b) {
    return std::lexicographical_compare(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end());
  });
  if (at == terms_.end() || at->atoms != term.atoms)
    at = terms_.insert(at, {0, term.atoms});
  isValid_ &= !__builtin_add_overflow(at->factor, term.factor, &at->factor) && terms_.size() <= kMostTerms;
  if (at->factor == 0)
    terms_.erase(at);
}

Polynomial operator+(Polynomial a, const Polynomial &b) {
  for (const Polynomial::Term &term : b.terms_)
    a.add(term);
  a.isValid_ &= b.isValid_;
  return a;
}

Polynomial operator-(Polynomial a, const Polynomial &b) { return std::move(a) + Polynomial::constant(-1) * b; }

Polynomial operator*(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  result.isValid_ = a.isValid_ && b.isValid_;
  for (const Polynomial::Term &left : a.terms_)
    for (const Polynomial::Term &right : b.terms_) {
      Polynomial::Term term;
      result.isValid_ &= !__builtin_mul_overflow(left.factor, right.factor, &term.factor);
      term.atoms = left.atoms;
      llvm::append_range(term.atoms, right.atoms);
      llvm::sort(term.atoms);
      if (!result.isValid_)
        return result;
      result.add(term);
    }
  return result;
}

std::optional<Polynomial::Term> divide(const Polynomial::Term &term, const Polynomial::Term &by) {
  if (by.factor == 0 || term.factor % by.factor != 0 ||
      !std::includes(term.atoms.begin(), term.atoms.end(), by.atoms.begin(), by.atoms.end()))
    return std::nullopt;
  Polynomial::Term result{term.factor / by.factor, {}};
  std::set_difference(term.atoms.begin(), term.atoms.end(), by.atoms.begin(), by.atoms.end(),
                      std::back_inserter(result.atoms));
  return result;
}

// --- scalars ---

Polynomial Polynomials::of(Value scalar) {
  if (auto carried = dyn_cast<BlockArgument>(scalar))
    if (auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
        loop && carried.getArgNumber() > 0 && open_.insert(carried).second) {
      auto close = llvm::make_scope_exit([&] { open_.erase(carried); });
      auto stepOf = [&](Value yielded) -> std::optional<Polynomial> {
        auto add = yielded.getDefiningOp<arith::AddIOp>();
        if (!add || (add.getLhs() != carried && add.getRhs() != carried))
          return std::nullopt;
        return of(add.getLhs() == carried ? add.getRhs() : add.getLhs());
      };
      if (auto found = ofCarried(carried, of(loop.getTiedLoopInit(carried)->get()), stepOf))
        return *found;
    }
  return ofScalar(scalar);
}

Polynomial Polynomials::ofScalar(Value scalar) {
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)))
    return Polynomial::constant(constant.getSExtValue());
  Operation *op = scalar.getDefiningOp();
  if (op && --left_ > 0) {
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      ++(scalar.getType().isInteger(64) ? wideReads_ : narrowReads_);
    if (isa<arith::AddIOp>(op))
      return of(op->getOperand(0)) + of(op->getOperand(1));
    if (isa<arith::SubIOp>(op))
      return of(op->getOperand(0)) - of(op->getOperand(1));
    if (isa<arith::MulIOp>(op))
      return of(op->getOperand(0)) * of(op->getOperand(1));
    if (isa<arith::ExtSIOp>(op) && op->getOperand(0).getType().isInteger(32))
      return of(op->getOperand(0));
    if (isa<HintOp>(op))
      return of(op->getOperand(0));
  }
  auto [at, isNew] = numbers_.try_emplace(scalar, unsigned(atoms_.size()));
  if (isNew)
    atoms_.push_back({scalar});
  return Polynomial::atom(at->second);
}

std::optional<Polynomial> Polynomials::ofCarried(BlockArgument carried, const Polynomial &init,
                                                 llvm::function_ref<std::optional<Polynomial>(Value)> stepOf) {
  auto loop = cast<scf::ForOp>(carried.getOwner()->getParentOp());
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return std::nullopt;
  std::optional<Polynomial> change = stepOf(loop.getTiedLoopYieldedValue(carried)->get());
  if (!change || !change->isValid() || !init.isValid())
    return std::nullopt;
  // The carried value's polynomial is its initial value plus `part * (induction - lower)`, where `part` is the change
  // in one iteration divided by the loop's step.
  Polynomial part;
  for (const Polynomial::Term &term : change->terms()) {
    if (term.factor % step.getSExtValue() != 0 || llvm::any_of(term.atoms, [&](unsigned number) {
          return atoms_[number].isRemainder() || !loop.isDefinedOutsideOfLoop(atoms_[number].value);
        }))
      return std::nullopt;
    part.add({term.factor / step.getSExtValue(), term.atoms});
  }
  wideReads_ += carried.getType().isInteger(64);
  return init + part * (of(loop.getInductionVar()) - of(loop.getLowerBound()));
}

unsigned Polynomials::remainder(const Polynomial &start, Value divisor, int64_t extent) {
  for (auto [number, atom] : llvm::enumerate(atoms_))
    if (atom.isRemainder() && *atom.start == start && atom.value == divisor && atom.extent == extent)
      return number;
  atoms_.push_back({divisor, start, extent});
  return atoms_.size() - 1;
}

std::optional<std::pair<unsigned, int64_t>> Polynomials::iteration(unsigned induction) {
  auto variable = dyn_cast<BlockArgument>(atoms_[induction].value);
  auto loop = variable ? dyn_cast<scf::ForOp>(variable.getOwner()->getParentOp()) : scf::ForOp();
  APInt step;
  if (!loop || variable != loop.getInductionVar() || atoms_[induction].step != 1 ||
      !matchPattern(loop.getLowerBound(), m_Zero()) || !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      step.getSExtValue() <= 1)
    return std::nullopt;
  Atom made{variable, {}, 1, step.getSExtValue()};
  for (auto [number, atom] : llvm::enumerate(atoms_))
    if (atom.value == made.value && atom.step == made.step && !atom.isRemainder())
      return std::pair(unsigned(number), made.step);
  atoms_.push_back(made);
  return std::pair(unsigned(atoms_.size() - 1), made.step);
}

bool Polynomials::hasRemainder(const Polynomial &polynomial) const {
  return llvm::any_of(polynomial.terms(), [&](const Polynomial::Term &term) {
    return llvm::any_of(term.atoms, [&](unsigned number) { return atoms_[number].isRemainder(); });
  });
}

bool Polynomials::isNarrow(const Polynomial &polynomial) const {
  return llvm::all_of(polynomial.terms(), [&](const Polynomial::Term &term) {
    return llvm::isInt<32>(term.factor) && llvm::all_of(term.atoms, [&](unsigned number) {
             const Atom &atom = atoms_[number];
             return atom.value.getType().isInteger(32) && (!atom.isRemainder() || isNarrow(*atom.start));
           });
  });
}

Value Polynomials::emit(OpBuilder &builder, Location location, const Polynomial &polynomial) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(int32_t(value)));
  };
  Value sum;
  for (const Polynomial::Term &term : polynomial.terms()) {
    Value product;
    for (unsigned each : term.atoms) {
      const Atom atom = atoms_[each];
      Value factor = atom.value;
      if (atom.isRemainder())
        factor = arith::RemSIOp::create(builder, location, emit(builder, location, *atom.start), atom.value);
      else if (atom.step != 1)
        factor = arith::DivSIOp::create(builder, location, atom.value, number(atom.step));
      product = product ? arith::MulIOp::create(builder, location, product, factor).getResult() : factor;
    }
    if (!product)
      product = number(term.factor);
    else if (term.factor != 1)
      product = arith::MulIOp::create(builder, location, product, number(term.factor));
    sum = sum ? arith::AddIOp::create(builder, location, sum, product).getResult() : product;
  }
  return sum ? sum : number(0);
}

} // namespace tegula::tile
