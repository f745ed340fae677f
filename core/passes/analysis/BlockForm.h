// Tensors of integers and pointers whose elements are a polynomial plus a multiple of their coordinates, and masks that
// bound coordinates: from these follow the blocks of a tensor that a load reads. Private to the tile level's passes.
#pragma once

#include "core/passes/analysis/Polynomial.h"

namespace tegula::tile {

/// element[i, j, ...] = start + i * steps[0] + j * steps[1] + ...
struct BlockForm {
  Polynomial start;
  llvm::SmallVector<Polynomial, 2> steps;
};

/// i < limit for every element of a mask that is true, where i is the coordinate along the axis.
struct BlockBound {
  unsigned axis = 0;
  Polynomial limit;
};

/// Ops that only rename coordinates, or promise facts.
bool renamesCoordinates(mlir::Operation *op);
/// The axis of such an op's result that an axis of its operand becomes.
unsigned movedAxis(mlir::Operation *op, unsigned axis);

class BlockForms {
public:
  explicit BlockForms(Polynomials &scalars) : scalars_(scalars) {}

  /// `(a + range) % n` has the form (a % n) + range here, with an atom of its own for a % n (Polynomials::remainder).
  /// That is right if n and a are multiples of the range's extent, a power of two, and a is not negative, which the
  /// caller must see to.
  std::optional<BlockForm> of(mlir::Value integers);

  struct Pointers {
    mlir::BlockArgument base; // of the kernel
    BlockForm offsets;        // in elements
  };
  std::optional<Pointers> ofPointers(mlir::Value pointers);

  /// The bounds whose conjunction the mask is; none if it is something else.
  std::optional<llvm::SmallVector<BlockBound>> boundsOf(mlir::Value mask);

  /// Whether any arithmetic of less than 64 bits was read as if it did not wrap.
  bool isNarrow() const { return isNarrow_ || scalars_.readNarrow(); }
  /// How many computations of 64 bits have been read, of addresses among them.
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
