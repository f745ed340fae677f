// f32 operands of products by matrix instructions whose operands are narrower.
#pragma once

#include "mlir/IR/Builders.h"

namespace tegula::tosimt {

/// The numbers, of a type T narrower than f32, that stand for a vector of f32: their sum is the f32 number, but for the
/// bits beyond the last. If x and y have n parts each, x * y is the sum of all products part i of x * part j of y with
/// i + j < n, but for an error of the size of the products that are left out.
///
/// A number that is not finite, and the products with it, are the first part's alone: infinity minus infinity is not a
/// number. A finite number whose nearest T is infinite is cut off instead of rounded.
///
/// Sources: G. Henry, P. Tang, A. Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For
/// Higher-Precision Computations", 2019; H. Ootomo, R. Yokota, "Recovering single precision accuracy from Tensor Cores
/// while surpassing the FP32 theoretical peak performance", 2022.
struct OperandParts {
  /// Vectors of T, the first the number rounded; of f32 if T is tf32, and then the bits that tf32 lacks do not count.
  llvm::SmallVector<mlir::Value, 3> parts;
  mlir::Value finiteFirst; // the first part, but 0 where it is not finite; null if there is one part
};

/// `type`: tf32 or bf16. Rounds to the nearest; ties away from zero to tf32, to even to bf16.
OperandParts divideOperand(mlir::OpBuilder &builder, mlir::Location location, mlir::Value numbers, mlir::FloatType type,
                           int64_t count);

} // namespace tegula::tosimt
