// f32 operands of products by matrix instructions whose operands are narrower.
#pragma once

#include "mlir/IR/Builders.h"

namespace tegula::tosimt {

/// The numbers, of a type T narrower than f32, that stand for the elements of a vector of f32. One part: the element
/// rounded to T. Several: their sum is the element, rounded to as many bits as the parts hold together. If x and y have
/// n parts each, x * y is the sum of all products part i of x * part j of y with i + j < n, but for an error of the
/// size of the products that are left out. Sources: G. Henry, P. Tang, A. Heinecke, "Leveraging the bfloat16 Artificial
/// Intelligence Datatype For Higher-Precision Computations", 2019; H. Ootomo, R. Yokota, "Recovering single precision
/// accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", 2022 (who, unlike the products
/// here, also add outside of the matrix unit).
///
/// Of several parts, the first alone holds an element that is not finite, since infinity minus infinity is not a
/// number; and a finite element whose nearest T is infinite is cut off instead of rounded.
struct OperandParts {
  /// Vectors of T, the largest part first; of f32 if T is tf32, and then the bits that tf32 lacks do not count.
  llvm::SmallVector<mlir::Value, 3> parts;
  mlir::Value finiteFirst; // the first part, but 0 where it is not finite; null if there is one part
};

/// `type`: tf32 or bf16. `count`: of parts, 1 to 3. Rounds to the nearest; ties go away from zero to tf32, to even to
/// bf16.
OperandParts divideOperand(mlir::OpBuilder &builder, mlir::Location location, mlir::Value numbers, mlir::FloatType type,
                           int64_t count);

} // namespace tegula::tosimt
