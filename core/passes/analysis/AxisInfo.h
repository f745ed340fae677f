// Axis analysis: contiguity, divisibility, constancy and bounds of integers and addresses along each axis of a tensor.
// These facts determine the width of accesses, the positions where masks change, and the arithmetic that cannot
// overflow. An analysis of the tile level; it changes nothing.
#pragma once

#include "core/ir/tile/Tile.h"

#include <map>
#include <memory>
#include <optional>

namespace tegula::tile {

/// The facts known of one tensor or scalar, for each axis; a scalar has one axis of one element.
/// Contiguity, divisibility and constancy are powers of two. A *group* is an aligned run of elements along the axis.
///
///   make_range 8 to 16             contiguity 8, divisibility 8, constancy 1
///   0 0 0 0 8 8 8 8                contiguity 1, divisibility 8, constancy 4
///   4 5 6 7 16 17 18 19            contiguity 4, divisibility 4, constancy 1
///
/// Arithmetic wraps at the type's width. The facts hold for the wrapped values, except as noted at `nonNegative` and
/// `breaks`.
struct AxisInfo {
  /// Elements count up by one within each group of this many elements (addresses: by one pointee).
  llvm::SmallVector<int64_t, 2> contiguity;
  /// A divisor of the first element of each contiguous group (addresses: in bytes). kMostDivisible if the first element
  /// is zero.
  llvm::SmallVector<int64_t, 2> divisibility;
  /// All elements of each group of this many elements are equal.
  llvm::SmallVector<int64_t, 2> constancy;
  /// Bounds of every element of an integer, as signed (i1: 0 and 1). Pointers have none: all of int64_t.
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  /// No element is negative, unless signed arithmetic in the computation of this value wrapped. The analysis of signed
  /// quotients and remainders of contiguous values relies on this weaker fact, because the product of a program id and
  /// a block size has no useful bound.
  bool nonNegative = false;
  /// The value was extended from narrower arithmetic that may have wrapped inside a group (for a zero extension: passed
  /// zero). Only groups of min(contiguity, divisibility / bytes of an element) are then guaranteed to count up. That is
  /// enough for the width of an access, which is limited by its alignment, too.
  bool breaks = false;

  /// The facts that the type alone implies.
  static AxisInfo unknown(mlir::Type type);
  /// The divisibility of zero.
  static constexpr int64_t kMostDivisible = int64_t(1) << 62;
  size_t rank() const { return contiguity.size(); }
  /// The value, if all elements are one known integer.
  std::optional<int64_t> constant() const { return low == high ? std::optional(low) : std::nullopt; }
  /// A power of two that divides the first element of each group of `group` elements along the axis. `step` is the
  /// difference of neighbours in a contiguous run: 1 for integers, the bytes of a pointee for addresses.
  int64_t divisibilityAt(size_t axis, int64_t group, int64_t step = 1) const;
  /// A power of two that divides every element. `step` has the meaning that it has for divisibilityAt.
  int64_t divisor(int64_t step = 1) const;
  bool operator==(const AxisInfo &) const = default;
};

/// Whether one scalar gives all elements of the tensor: a splat of a scalar or of a constant.
bool isSplat(mlir::Value value);

/// A declared property of a function's argument, which a launch can check.
struct ArgumentFact {
  enum class Kind : uint8_t { Divisibility, NonNegative };
  unsigned argument = 0;
  Kind kind = Kind::Divisibility;
  int64_t operand = 1; // Divisibility: the power of two; addresses in bytes
  bool operator==(const ArgumentFact &) const = default;
};

/// The facts of one function's values, under the assumption of a set of declared facts.
class AxisView {
public:
  virtual ~AxisView() = default;
  /// The facts of an integer or pointer, or a tensor of them; `unknown` for other values, and for values in the regions
  /// of reductions and scans.
  virtual AxisInfo of(mlir::Value value) const = 0;
  /// How many elements along `axis` one access can move: they are consecutive in memory, aligned to their common size,
  /// at most `mostBytes` in all, and their mask elements are equal. `mask` may be null.
  int64_t accessWidth(mlir::Value pointers, mlir::Value mask, size_t axis, int64_t mostBytes = 16) const;
  /// The elements of an aligned group along `axis` that a load reads from one address, masked alike and with equal
  /// values in place of masked elements.
  int64_t loadConstancy(LoadOp load, size_t axis) const;
  /// Whether `a + b`, each read as signed, fits into `bits` bits for all pairs of elements.
  bool sumFits(mlir::Value a, mlir::Value b, unsigned bits = 32) const;
};

/// A forward analysis of one function, through structured control flow until a fixed point. Values that are created
/// afterwards are unknown. Source of contiguity, divisibility and constancy: Triton's axis analysis, as its
/// documentation of coalescing describes it. Ranges are intervals, narrowed by divisibility.
///
/// *Facts and guards.* Arguments declare facts, which the launch must check before it runs code that relies on them.
/// Looking at answers (`of`, `accessWidth`, ...) costs nothing. A pass that acts on an answer asks through `use`, which
/// records a minimal set of declared facts that gives the same answer; these facts become guards.
class AxisAnalysis : public AxisView {
public:
  enum class Facts : uint8_t { Declared, Ignored };
  /// Analyses `function`: a func.func, or a module, whose kernel is then analysed. With `Ignored`, declared facts are
  /// not used, so a pass may act on answers without `use`.
  explicit AxisAnalysis(mlir::Operation *function, Facts facts = Facts::Declared);
  ~AxisAnalysis() override;

  AxisInfo of(mlir::Value value) const override;

  /// The result of `query` with all declared facts. Adds the facts that the result depends on to usedFacts(). `query`
  /// is called several times, with views of different sets of facts, and must depend on its view only.
  int64_t use(llvm::function_ref<int64_t(const AxisView &)> query);
  int64_t useAccessWidth(mlir::Value pointers, mlir::Value mask, size_t axis, int64_t mostBytes = 16);
  bool useSumFits(mlir::Value a, mlir::Value b, unsigned bits = 32);

  /// All facts that the arguments declare, at most 63.
  llvm::ArrayRef<ArgumentFact> declaredFacts() const { return declared_; }
  /// The facts that answers given by `use` rely on, in the order of arguments.
  llvm::SmallVector<ArgumentFact> usedFacts() const;

private:
  const AxisView &with(uint64_t facts);

  mlir::Operation *function_;
  llvm::SmallVector<ArgumentFact> declared_;
  uint64_t all_ = 0, used_ = 0;
  std::map<uint64_t, std::unique_ptr<AxisView>> views_; // by the set of declared facts, as a bit mask
};

} // namespace tegula::tile
