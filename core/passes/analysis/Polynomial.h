// Scalars as polynomials: sums of products of other scalars with integer coefficients. Passes use them to find the
// contribution of each argument to an address or a bound, independent of how the kernel writes the expression. Private
// to the tile level's passes.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace tegula::tile {

/// A polynomial over the integers, which never wraps. If the computation that it describes wraps, their values differ.
class Polynomial {
public:
  /// `factor` times the product of the atoms. An atom is a number in a Polynomials object; the list is ascending, and
  /// an atom occurs once for each power.
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
  /// False after a factor overflowed or the polynomial grew too long; its terms then have no meaning.
  bool isValid() const { return isValid_; }

private:
  llvm::SmallVector<Term, 4> terms_; // ordered by their atoms; no two terms have the same atoms, and no factor is 0
  bool isValid_ = true;
};

/// The quotient of two terms; nothing if the division leaves a remainder.
std::optional<Polynomial::Term> divide(const Polynomial::Term &term, const Polynomial::Term &by);

/// Finds the polynomials of one function's scalars. Atoms are the scalars that are not computed by a sum, difference,
/// product or extension; they are numbered here.
class Polynomials {
public:
  Polynomial of(mlir::Value scalar);
  /// The polynomial of a scalar or scalar pointer that a loop carries and changes by the same amount in each iteration:
  /// `init`, the polynomial of its initial value, plus the amount times the iteration number. Nothing for other carried
  /// values.
  std::optional<Polynomial> ofCarried(mlir::BlockArgument carried, const Polynomial &init,
                                      llvm::function_ref<std::optional<Polynomial>(mlir::Value yielded)> stepOf);
  /// The atom for `start mod divisor`, in an expression (start + range) % divisor whose range has `extent` elements.
  unsigned remainder(const Polynomial &start, mlir::Value divisor, int64_t extent);
  /// If the atom is the induction variable of a loop that counts from 0 in constant steps of more than 1: the atom for
  /// the iteration number, and the step. Nothing for other atoms.
  std::optional<std::pair<unsigned, int64_t>> iteration(unsigned induction);

  struct Atom {
    mlir::Value value; // the scalar; for a remainder, the divisor; for an iteration number, the induction variable
    std::optional<Polynomial> start = {};
    int64_t extent = 1;
    int64_t step = 1; // the atom's value is value / step
    bool isRemainder() const { return start.has_value(); }
  };
  const Atom &atom(unsigned number) const { return atoms_[number]; }
  /// Whether any atom of the polynomial is a remainder.
  bool hasRemainder(const Polynomial &polynomial) const;

  /// Emits the polynomial's value as an i32. All atoms must be i32.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location location, const Polynomial &polynomial);
  bool isNarrow(const Polynomial &polynomial) const;
  /// Whether some polynomial that was found so far equals its scalar only if arithmetic in less than 64 bits does not
  /// wrap.
  bool readNarrow() const { return narrowReads_ > 0; }
  /// How many 64-bit computations the polynomials found so far are derived from.
  unsigned wideReads() const { return wideReads_; }

private:
  Polynomial ofScalar(mlir::Value scalar);

  llvm::SmallVector<Atom> atoms_;
  llvm::DenseMap<mlir::Value, unsigned> numbers_;
  unsigned narrowReads_ = 0, wideReads_ = 0;
  llvm::DenseSet<mlir::Value> open_; // carried values whose polynomial is being computed (recursion guard)
  int left_ = 4096;                  // how many more ops may be visited; a value that is used twice is visited twice
};

} // namespace tegula::tile
