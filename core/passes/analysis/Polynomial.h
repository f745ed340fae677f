// Scalars as polynomials: sums of products of other scalars with integer coefficients. They tell which parts of an
// address or a bound come from which argument, however the kernel has written them. Private to the tile level's passes.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace tegula::tile {

/// Arithmetic is that of integers: a computation that wraps has another value.
class Polynomial {
public:
  /// factor * the atoms, which are numbers of a Polynomials object, ascending, an atom for each power.
  struct Term {
    int64_t factor = 1;
    llvm::SmallVector<unsigned, 4> atoms;
    bool operator==(const Term &other) const { return factor == other.factor && atoms == other.atoms; }
  };

  static Polynomial constant(int64_t value);
  static Polynomial atom(unsigned number);

  llvm::ArrayRef<Term> terms() const { return terms_; }
  bool isZero() const { return terms_.empty(); }
  bool isOne() const { return *this == constant(1); }
  bool operator==(const Polynomial &other) const { return terms_ == other.terms_; }

  void add(const Term &term);
  friend Polynomial operator+(Polynomial a, const Polynomial &b);
  friend Polynomial operator-(Polynomial a, const Polynomial &b);
  friend Polynomial operator*(const Polynomial &a, const Polynomial &b);
  /// False after an overflow of a factor, or if it grew too long: then its terms mean nothing.
  bool isValid() const { return isValid_; }

private:
  llvm::SmallVector<Term, 4> terms_; // no two with the same atoms, ordered by them, no factor 0
  bool isValid_ = true;
};

/// The term divided by another; none if that leaves a remainder.
std::optional<Polynomial::Term> divide(const Polynomial::Term &term, const Polynomial::Term &by);

/// Finds the polynomials of the scalars of one function, and numbers their atoms: scalars that no sum, difference,
/// product or extension computes.
class Polynomials {
public:
  Polynomial of(mlir::Value scalar);
  /// The polynomial of a scalar or scalar pointer that a loop carries and changes by the same amount in each iteration:
  /// `init`, that of its initial value, plus the amount times the number of the iteration. None for others.
  std::optional<Polynomial> ofCarried(mlir::BlockArgument carried, const Polynomial &init,
                                      llvm::function_ref<std::optional<Polynomial>(mlir::Value yielded)> stepOf);
  /// The atom for start mod divisor, where a range of `extent` elements was added to start.
  unsigned remainder(const Polynomial &start, mlir::Value divisor, int64_t extent);
  /// For an atom that is the induction variable of a loop from 0 in constant steps of more than 1: the atom for the
  /// number of the iteration, and the step. None for others.
  std::optional<std::pair<unsigned, int64_t>> iteration(unsigned induction);

  struct Atom {
    mlir::Value value; // the scalar; of a remainder: the divisor; of an iteration's number: the induction variable
    std::optional<Polynomial> start = {};
    int64_t extent = 1;
    int64_t step = 1; // the atom is value / step
    bool isRemainder() const { return start.has_value(); }
  };
  const Atom &atom(unsigned number) const { return atoms_[number]; }
  /// Whether any of its atoms is a remainder.
  bool hasRemainder(const Polynomial &polynomial) const;

  /// Emits the value, i32. All atoms must be i32.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location location, const Polynomial &polynomial);
  bool isNarrow(const Polynomial &polynomial) const;
  /// Whether any arithmetic of less than 64 bits was read as if it did not wrap.
  bool readNarrow() const { return narrowReads_ > 0; }
  /// How many computations of 64 bits have been read.
  unsigned wideReads() const { return wideReads_; }

private:
  Polynomial ofScalar(mlir::Value scalar);

  llvm::SmallVector<Atom> atoms_;
  llvm::DenseMap<mlir::Value, unsigned> numbers_;
  unsigned narrowReads_ = 0, wideReads_ = 0;
  llvm::DenseSet<mlir::Value> open_; // carried values whose polynomial is being looked for
  int left_ = 4096;                  // how many more ops may be visited: a value that is used twice is visited twice
};

} // namespace tegula::tile
