// What is known of integers and addresses along each axis of a tensor: from it come the width of accesses, where masks
// change, and which arithmetic cannot overflow. An analysis of the tile level; it changes nothing.
#pragma once

#include "core/ir/Tile.h"

#include <map>
#include <memory>
#include <optional>

namespace tegula::tile {

/// What is known of the values of one tensor or scalar, for each axis; a scalar has one axis of one element.
/// Contiguity, divisibility and constancy are powers of two. A *group* is an aligned run of elements along the axis.
///
///   make_range 8 to 16             contiguity 8, divisibility 8, constancy 1
///   0 0 0 0 8 8 8 8                contiguity 1, divisibility 8, constancy 4
///   4 5 6 7 16 17 18 19            contiguity 4, divisibility 4, constancy 1
///
/// Arithmetic wraps at the type's width, and what is said holds of the wrapped values, with the exceptions named below.
struct AxisInfo {
  /// Groups of so many elements count up by one (addresses: by one element).
  llvm::SmallVector<int64_t, 2> contiguity;
  /// Divides the first element of each such group (addresses: in bytes). kMostDivisible where that is zero.
  llvm::SmallVector<int64_t, 2> divisibility;
  /// Groups of so many elements are equal.
  llvm::SmallVector<int64_t, 2> constancy;
  /// Bounds of every element of an integer, as signed (i1: 0 and 1). Pointers have none: all of int64_t.
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  /// No element is negative, unless signed arithmetic of this value or of what it was made from wrapped around. Signed
  /// quotients and remainders of contiguous values rest on it, because program ids times a block cannot be bounded.
  bool nonNegative = false;
  /// The value was extended from narrower arithmetic that may have wrapped inside a group (zero-extended: passed zero):
  /// only groups of min(contiguity, divisibility / bytes of an element) are sure to count up, longer ones where nothing
  /// wrapped. Widths of accesses need no more, because they need the alignment too.
  bool breaks = false;

  /// Nothing is known beyond the type.
  static AxisInfo unknown(mlir::Type type);
  /// The greatest power of two that is taken to divide zero.
  static constexpr int64_t kMostDivisible = int64_t(1) << 62;
  size_t rank() const { return contiguity.size(); }
  /// The value, where all elements are one known integer.
  std::optional<int64_t> constant() const { return low == high ? std::optional(low) : std::nullopt; }
  /// A power of two that divides the first element of each group of `group` elements along the axis; `step` is what an
  /// element adds to a contiguous run: 1, or the bytes of a pointee.
  int64_t divisibilityAt(size_t axis, int64_t group, int64_t step = 1) const;
  /// A power of two that divides every element.
  int64_t divisor(int64_t step = 1) const;
  bool operator==(const AxisInfo &) const = default;
};

/// Something declared of a function's argument that a launch can check.
struct ArgumentFact {
  enum class Kind : uint8_t { Divisibility, NonNegative };
  unsigned argument = 0;
  Kind kind = Kind::Divisibility;
  int64_t operand = 1; // Divisibility: the power of two; addresses in bytes
  bool operator==(const ArgumentFact &) const = default;
};

/// The values of one function under a set of its declared facts.
class AxisView {
public:
  virtual ~AxisView() = default;
  /// Of an integer or pointer (or tensor of them); unknown for other values and those inside of combining regions.
  virtual AxisInfo of(mlir::Value value) const = 0;
  /// How many elements one access can move along `axis`: consecutive in memory, aligned to their common size, at most
  /// `mostBytes`, masked alike. `mask` may be null.
  int64_t accessWidth(mlir::Value pointers, mlir::Value mask, size_t axis, int64_t mostBytes = 16) const;
  /// Whether `a + b`, each read as signed, fits into `bits` bits for all pairs of elements.
  bool sumFits(mlir::Value a, mlir::Value b, unsigned bits = 32) const;
};

/// Runs over one function, down through scf and up again until nothing changes; nothing is recomputed when the function
/// is changed afterwards: new values are unknown. Source of contiguity, divisibility and constancy: Triton's axis
/// analysis, as its documentation of coalescing describes it; ranges are plain intervals, narrowed by divisibility.
///
/// *Facts.* Arguments carry facts that the launch must check before it takes code that relies on them. `of` and the
/// other functions of the view may be looked at freely. Who acts on an answer asks through `use`, which records a
/// smallest set of facts that gives the same answer.
class AxisAnalysis : public AxisView {
public:
  enum class Facts : uint8_t { Declared, Ignored };
  /// `function` is a func.func, or a module: then its kernel. With `Ignored`, nothing that arguments declare is
  /// believed, so that answers may be acted upon without `use`.
  explicit AxisAnalysis(mlir::Operation *function, Facts facts = Facts::Declared);
  ~AxisAnalysis() override;

  AxisInfo of(mlir::Value value) const override;

  /// What `query` gives with all declared facts; the facts that it needs are added to usedFacts(). `query` may call
  /// everything of the view that it gets, any number of times.
  int64_t use(llvm::function_ref<int64_t(const AxisView &)> query);
  int64_t useAccessWidth(mlir::Value pointers, mlir::Value mask, size_t axis, int64_t mostBytes = 16);
  bool useSumFits(mlir::Value a, mlir::Value b, unsigned bits = 32);

  /// All that the arguments declare; at most 63 are looked at.
  llvm::ArrayRef<ArgumentFact> declaredFacts() const { return declared_; }
  /// Those that answers given by `use` rest on, in the order of arguments.
  llvm::SmallVector<ArgumentFact> usedFacts() const;

private:
  const AxisView &with(uint64_t facts);

  mlir::Operation *function_;
  llvm::SmallVector<ArgumentFact> declared_;
  uint64_t all_ = 0, used_ = 0;
  std::map<uint64_t, std::unique_ptr<AxisView>> views_; // by set of declared facts
};

} // namespace tegula::tile
