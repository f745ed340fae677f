// Tests whether the function of a reduction commutes, f(a, b) = f(b, a), so that its elements may be combined in any
// order.
//
// The function is computed twice, as f(a, b) and as f(b, a), with random numbers for its arguments. (Source: S.
// Gulwani, G. C. Necula, 'Global value numbering using random interpretation', POPL 2004.) Sums, products and quotients
// are computed modulo a prime, so that expressions that are equal by the laws of arithmetic get the same number, and
// different ones do so with a probability of about 2^-55. Every other operation is a table from operands to a random
// number. Comparisons and booleans get no number: the function is computed once for each combination of their outcomes,
// as a proof by cases.
//
//     (mean, weight), (mean', weight')       weight + weight'                       one sum for both orders
//                                            mean + (mean' - mean) * weight' / sum  equal numbers modulo the prime
//     a > b ? i : j                          a > b: i, i;  a < b: j, j;  a == b: j, i: the function does not commute
#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <vector>

using namespace mlir;

namespace tegula::tile {
namespace {

constexpr uint64_t kPrime = 1873465192847365307; // has 61 bits; far from products of small constants

uint64_t product(uint64_t a, uint64_t b) { return uint64_t(static_cast<unsigned __int128>(a) * b % kPrime); }
uint64_t sum(uint64_t a, uint64_t b) { return (a + b) % kPrime; }
uint64_t negative(uint64_t a) { return (kPrime - a) % kPrime; }
/// The inverse by Fermat's little theorem; a must not be 0.
uint64_t inverse(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t power = kPrime - 2; power; power >>= 1, a = product(a, a))
    if (power & 1)
      result = product(result, a);
  return result;
}

/// The numbers of one value of the function.
struct Number {
  uint64_t bits = 0; // two values with equal `bits` are equal bit for bit
  uint64_t real = 0; // floats with equal `real` are equal up to rounding; for other types, equal to `bits`
};

/// The outcomes of all comparisons, and the values of booleans, in one case of the proof. Cases are enumerated by a
/// counter whose digits are the outcomes, in the order in which the function first needs them.
class Cases {
public:
  enum Question : uint64_t { IsTrue, IsNaN, CompareSigned, CompareUnsigned, CompareFloats };
  using Key = std::array<uint64_t, 3>; // question, operands

  /// A number below `outcomes`; in one case, always the same one for the same key.
  unsigned outcome(Key key, unsigned outcomes) {
    auto [known, isNew] = known_.try_emplace(key, unsigned(known_.size()));
    if (known->second == digits_.size())
      digits_.push_back({0, outcomes});
    return digits_[known->second].first;
  }
  /// Advances to the next case; false after the last one.
  bool next() {
    known_.clear();
    while (!digits_.empty() && digits_.back().first + 1 == digits_.back().second)
      digits_.pop_back();
    if (digits_.empty())
      return false;
    ++digits_.back().first;
    return true;
  }

private:
  std::map<Key, unsigned> known_;                        // key -> index of its digit
  SmallVector<std::pair<unsigned, unsigned>, 8> digits_; // outcome, number of outcomes
};

class Proof {
public:
  explicit Proof(ReduceOp op) : block_(op.getCombine().front()), count_(op.getSrcs().size()) {
    for (BlockArgument argument : block_.getArguments())
      arguments_.push_back(anyNumber(argument.getType()));
  }

  /// True if f(a, b) = f(b, a) in every case: bit for bit, and for floats up to rounding.
  bool holds() {
    if (block_.getOperations().size() > kMostOps || !llvm::all_of(block_.without_terminator(), isUnderstood))
      return false;
    for (unsigned number = 0; number < kMostCases; ++number) {
      equal_.clear();
      divisors_.clear();
      sharesDivisors_ = true;
      SmallVector<Number> swapped(llvm::drop_begin(arguments_, count_));
      swapped.append(arguments_.begin(), arguments_.begin() + count_);
      SmallVector<Number> one = computed(arguments_), other = computed(swapped);
      for (auto [left, right] : llvm::zip_equal(one, other))
        if (left.real != right.real && !equal_.contains({left.bits, right.bits}))
          return false;
      if (!sharesDivisors_)
        return false;
      if (!cases_.next())
        return true;
    }
    return false;
  }

private:
  static constexpr unsigned kMostOps = 256, kMostCases = 256;
  static constexpr double kLarge = 1e15; // the largest constant that takes part in arithmetic

  static bool isUnderstood(Operation &op) {
    return isa<AssertOp, AssumeOp>(op) ||
           (op.getNumRegions() == 0 && op.getNumResults() == 1 && isMemoryEffectFree(&op));
  }

  // --- numbers ---
  Number anyNumber(Type type) {
    uint64_t bits = random(), real = random();
    return {bits, isa<FloatType>(type) ? real : bits};
  }
  uint64_t random() { return random_() % kPrime; }
  /// The table's entry for these keys; a random number, chosen when it is first requested.
  uint64_t entry(SmallVector<uint64_t, 6> keys) {
    auto [place, isNew] = table_.try_emplace(std::vector<uint64_t>(keys.begin(), keys.end()), 0);
    return isNew ? place->second = random() : place->second;
  }
  static uint64_t address(const void *pointer) { return uint64_t(reinterpret_cast<uintptr_t>(pointer)); }

  Number constant(arith::ConstantOp op) {
    if (auto number = dyn_cast<IntegerAttr>(op.getValue()); number && number.getType().isInteger(1))
      return {number.getValue().getZExtValue(), number.getValue().getZExtValue()};
    // Small whole constants take part in arithmetic; any other constant, such as 0.5, gets a random number.
    uint64_t any = entry({address(op.getValue().getAsOpaquePointer())});
    std::optional<int64_t> whole;
    if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
      whole = number.getValue().getSExtValue();
    else if (auto number = dyn_cast<FloatAttr>(op.getValue()); number && number.getValue().isInteger())
      whole = std::abs(number.getValueAsDouble()) < kLarge ? std::optional(int64_t(number.getValueAsDouble()))
                                                           : std::nullopt;
    if (!whole || std::abs(double(*whole)) >= kLarge)
      return {any, any};
    uint64_t real = *whole < 0 ? kPrime - uint64_t(-*whole) : uint64_t(*whole);
    return {isa<FloatAttr>(op.getValue()) ? any : real, real};
  }

  // --- comparisons, by cases ---
  bool isTrue(Number condition) {
    return condition.bits < 2 ? condition.bits == 1 : cases_.outcome({Cases::IsTrue, condition.bits, 0}, 2) == 1;
  }
  enum Relation : unsigned { Equal, Greater, Less, Unordered };
  Relation relation(Cases::Question question, Number x, Number y) {
    if (x.bits == y.bits)
      return Equal;
    auto found = Relation(cases_.outcome({question, std::min(x.bits, y.bits), std::max(x.bits, y.bits)}, 3));
    if (found == Equal) { // equal floats may be zeros of different sign
      equal_.insert({x.bits, y.bits});
      equal_.insert({y.bits, x.bits});
      return Equal;
    }
    return (found == Greater) == (x.bits < y.bits) ? Greater : Less;
  }

  bool compared(arith::CmpIOp op) {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = op.getPredicate();
    bool isUnsigned = llvm::is_contained({Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge}, predicate);
    Relation found =
        relation(isUnsigned ? Cases::CompareUnsigned : Cases::CompareSigned, of(op.getLhs()), of(op.getRhs()));
    switch (predicate) {
    case Predicate::eq: return found == Equal;
    case Predicate::ne: return found != Equal;
    case Predicate::slt:
    case Predicate::ult: return found == Less;
    case Predicate::sle:
    case Predicate::ule: return found != Greater;
    case Predicate::sgt:
    case Predicate::ugt: return found == Greater;
    case Predicate::sge:
    case Predicate::uge: return found != Less;
    }
    llvm_unreachable("all predicates are listed");
  }

  bool compared(arith::CmpFOp op) {
    // For each predicate, the relations for which it is true: bit 0 is Equal, bit 3 Unordered.
    static constexpr unsigned kHolds[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15};
    static_assert(unsigned(arith::CmpFPredicate::ORD) == 7 && unsigned(arith::CmpFPredicate::UEQ) == 8 &&
                  unsigned(arith::CmpFPredicate::UNE) == 13 && unsigned(arith::CmpFPredicate::UNO) == 14);
    auto holdsFor = [&](Relation found) { return (kHolds[unsigned(op.getPredicate())] >> found & 1) != 0; };
    if (guardsQuotient(op)) {
      auto [first, isNew] = divisors_.try_emplace(op, of(op.getLhs()).real);
      sharesDivisors_ &= first->second == of(op.getLhs()).real;
      return holdsFor(Greater);
    }
    auto isNaN = [&](Value value) {
      FloatAttr known;
      return matchPattern(value, m_Constant(&known)) ? known.getValue().isNaN()
                                                     : cases_.outcome({Cases::IsNaN, of(value).bits, 0}, 2) == 1;
    };
    bool isLeftNaN = isNaN(op.getLhs()), isOrdered = !isNaN(op.getRhs()) && !isLeftNaN;
    return holdsFor(isOrdered ? relation(Cases::CompareFloats, of(op.getLhs()), of(op.getRhs())) : Unordered);
  }

  /// True if the comparison is only used by `select(x == 0, number, y / x)`. For such a function only the case that
  /// divides is proved, and x must be the same in both orders: a sum of weights that is 0, as in Welford's algorithm,
  /// belongs to no elements.
  static bool guardsQuotient(arith::CmpFOp op) {
    using Predicate = arith::CmpFPredicate;
    if (!llvm::is_contained({Predicate::OEQ, Predicate::UEQ, Predicate::ONE, Predicate::UNE}, op.getPredicate()) ||
        !matchPattern(op.getRhs(), m_AnyZeroFloat()))
      return false;
    auto divides = [&](Value value) {
      auto quotient = value.getDefiningOp<arith::DivFOp>();
      return quotient && quotient.getRhs() == op.getLhs();
    };
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      auto select = dyn_cast<arith::SelectOp>(user);
      return select && ((divides(select.getTrueValue()) && matchPattern(select.getFalseValue(), m_Constant())) ||
                        (divides(select.getFalseValue()) && matchPattern(select.getTrueValue(), m_Constant())));
    });
  }

  // --- the function ---
  Number of(Value value) const { return values_.at(value); }

  /// The numbers that the function yields, and the outcomes of its assertions.
  SmallVector<Number> computed(ArrayRef<Number> arguments) {
    values_.clear();
    for (auto [argument, number] : llvm::zip_equal(block_.getArguments(), arguments))
      values_[argument] = number;
    SmallVector<Number> results;
    for (Operation &op : block_.without_terminator()) {
      if (auto check = dyn_cast<AssertOp>(op))
        results.push_back(truth(isTrue(of(check.getCondition()))));
      else if (!isa<AssumeOp>(op))
        values_[op.getResult(0)] = resultOf(&op);
    }
    for (Value value : block_.getTerminator()->getOperands())
      results.push_back(of(value));
    return results;
  }
  static Number truth(bool value) { return {uint64_t(value), uint64_t(value)}; }

  Number resultOf(Operation *op) {
    if (auto known = dyn_cast<arith::ConstantOp>(op))
      return constant(known);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return truth(compared(compare));
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return truth(compared(compare));
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return of(isTrue(of(select.getCondition())) ? select.getTrueValue() : select.getFalseValue());
    if (op->getResult(0).getType().isInteger(1))
      if (std::optional<bool> value = connected(op))
        return truth(*value);
    if (widens(op))
      return of(op->getOperand(0));
    uint64_t bits = fromTable(op);
    std::optional<uint64_t> real = arithmetic(op);
    if (!real)
      return {bits, bits};
    return {isa<FloatType>(op->getResult(0).getType()) ? bits : *real, *real};
  }

  /// True for an exact conversion of a float: equal results then have equal operands. (Tables distinguish operands by
  /// type, too.)
  static bool widens(Operation *op) {
    auto cast = dyn_cast<FpCastOp>(op);
    return isa<arith::ExtFOp>(op) ||
           (cast && cast.getSrc().getType().getIntOrFloatBitWidth() < cast.getType().getIntOrFloatBitWidth());
  }

  std::optional<bool> connected(Operation *op) {
    if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      return std::nullopt;
    bool left = isTrue(of(op->getOperand(0))), right = isTrue(of(op->getOperand(1)));
    return isa<arith::AndIOp>(op) ? left && right : isa<arith::OrIOp>(op) ? left || right : left != right;
  }

  uint64_t fromTable(Operation *op) {
    SmallVector<uint64_t, 6> operands;
    for (Value operand : op->getOperands())
      operands.push_back(of(operand).bits);
    if (op->hasTrait<OpTrait::IsCommutative>())
      llvm::sort(operands);
    for (Value operand : op->getOperands()) // the type is a key, too: numbers of true and 1 are equal
      operands.push_back(address(operand.getType().getAsOpaquePointer()));
    operands.append({address(op->getName().getAsOpaquePointer()), address(op->getAttrDictionary().getAsOpaquePointer()),
                     address(op->getResult(0).getType().getAsOpaquePointer())});
    return entry(std::move(operands));
  }

  /// The result by the laws of arithmetic; nothing for an op that is not arithmetic.
  std::optional<uint64_t> arithmetic(Operation *op) {
    auto real = [&](unsigned number) { return of(op->getOperand(number)).real; };
    if (isa<arith::AddIOp, arith::AddFOp>(op))
      return sum(real(0), real(1));
    if (isa<arith::SubIOp, arith::SubFOp>(op))
      return sum(real(0), negative(real(1)));
    if (isa<arith::MulIOp, arith::MulFOp>(op))
      return product(real(0), real(1));
    if (isa<arith::NegFOp>(op))
      return negative(real(0));
    if (isa<math::FmaOp>(op))
      return sum(product(real(0), real(1)), real(2));
    if (isa<arith::DivFOp>(op) && real(1) != 0)
      return product(real(0), inverse(real(1)));
    if (isa<FpCastOp, arith::TruncFOp>(op))
      return real(0);
    return std::nullopt;
  }

  Block &block_;
  size_t count_; // number of the reduction's operands
  SmallVector<Number> arguments_;
  llvm::DenseMap<Value, Number> values_;
  std::mt19937_64 random_; // default seed, so that the numbers are reproducible
  std::map<std::vector<uint64_t>, uint64_t> table_;
  Cases cases_;
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> equal_; // pairs of `bits` that this case assumes to be equal
  llvm::DenseMap<Operation *, uint64_t> divisors_;      // of guarded quotients, in the first order
  bool sharesDivisors_ = true;                          // false: the other order has different divisors
};

} // namespace

bool ReduceOp::isOneCommutativeOp() {
  Block &block = getCombine().front();
  if (getSrcs().size() != 1 || !llvm::hasNItems(block, 2))
    return false;
  Operation &op = block.front();
  return op.hasTrait<OpTrait::IsCommutative>() && op.getNumOperands() == 2 &&
         llvm::is_contained(op.getOperands(), block.getArgument(0)) &&
         llvm::is_contained(op.getOperands(), block.getArgument(1)) &&
         block.getTerminator()->getOperand(0).getDefiningOp() == &op;
}

bool ReduceOp::commutes() { return getAnyOrder() || isOneCommutativeOp() || Proof(*this).holds(); }

} // namespace tegula::tile
