// Block forms: tensors of integers and pointers whose elements are a polynomial plus constant steps times the
// coordinates, and masks that bound coordinates. They determine which block of a tensor in memory a load reads. Private
// to the tile level's passes.
#pragma once

#include "core/passes/analysis/Polynomial.h"

namespace tegula::tile {

/// element[i, j, ...] = start + i * steps[0] + j * steps[1] + ...
struct BlockForm {
  Polynomial start;
  llvm::SmallVector<Polynomial, 2> steps;
};

/// A bound that a mask implies: every element whose mask is true has i < limit, where i is the element's coordinate
/// along `axis`.
struct BlockBound {
  unsigned axis = 0;
  Polynomial limit;
};

/// Whether the op only renames coordinates or promises facts (tile.hint).
bool renamesCoordinates(mlir::Operation *op);
/// For an op for which renamesCoordinates is true: the axis of the result that axis `axis` of the operand becomes.
unsigned movedAxis(mlir::Operation *op, unsigned axis);

class BlockForms {
public:
  explicit BlockForms(Polynomials &scalars) : scalars_(scalars) {}

  /// The form of `integers`; nothing if they have none. `(a + range) % n` has the form (a % n) + range, where a % n is
  /// an atom of its own (Polynomials::remainder). This form is right only if n and a are multiples of the range's
  /// extent, a power of two, and a is not negative; the caller must check that.
  std::optional<BlockForm> of(mlir::Value integers);

  struct Pointers {
    mlir::BlockArgument base; // an argument of the kernel
    BlockForm offsets;        // in elements
  };
  std::optional<Pointers> ofPointers(mlir::Value pointers);

  /// The bounds whose conjunction equals the mask; nothing if the mask is not such a conjunction.
  std::optional<llvm::SmallVector<BlockBound>> boundsOf(mlir::Value mask);

  /// Whether some form or bound that was found so far is right only if arithmetic in less than 64 bits does not wrap.
  bool isNarrow() const { return isNarrow_ || scalars_.readNarrow(); }
  /// How many 64-bit computations, those of addresses included, the forms and bounds found so far are derived from. If
  /// the number grows during a call, the call's result is derived from one.
  unsigned wideReads() const { return wideReads_ + scalars_.wideReads(); }

private:
  std::optional<BlockForm> ofArithmetic(mlir::Operation *op);
  std::optional<BlockForm> ofRemainder(mlir::Operation *op);
  struct Base {
    mlir::BlockArgument argument;
    Polynomial offset;
  };
  std::optional<Base> ofPointer(mlir::Value pointer);

  Polynomials &scalars_;
  bool isNarrow_ = false;
  unsigned wideReads_ = 0;
  int left_ = 256; // how many more ops may be visited
};

} // namespace tegula::tile
