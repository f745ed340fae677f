// Splits f32 operands into parts for matrix instructions with narrower operands.
#pragma once

#include "mlir/IR/Builders.h"

namespace tegula::tosimt {

/// Numbers of a type T narrower than f32 that represent the elements of a vector of f32. One part: the element rounded
/// to T. Several parts: their sum is the element, rounded to as many bits as the parts hold together. If x and y have n
/// parts each, x * y is approximated by the sum of all products of part i of x and part j of y with i + j < n; the
/// error has the magnitude of the omitted products. Sources: G. Henry, P. Tang, A. Heinecke, "Leveraging the bfloat16
/// Artificial Intelligence Datatype For Higher-Precision Computations", 2019; H. Ootomo, R. Yokota, "Recovering single
/// precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", 2022 (they also add
/// outside the matrix unit; the products here do not).
///
/// If an element is not finite, only its first part holds it and the other parts are 0, because infinity minus infinity
/// is NaN. If an element is finite but its nearest T is infinite, it is truncated instead of rounded.
struct OperandParts {
  /// Vectors of T, the largest part first. If T is tf32, vectors of f32 whose bits beyond tf32's are ignored.
  llvm::SmallVector<mlir::Value, 3> parts;
  mlir::Value finiteFirst; // the first part, with 0 for elements that are not finite; null if there is one part
};

/// `type`: tf32 or bf16. `count`: the number of parts, 1 to 3. Rounds to the nearest; ties round away from zero for
/// tf32, to even for bf16.
OperandParts divideOperand(mlir::OpBuilder &builder, mlir::Location location, mlir::Value numbers, mlir::FloatType type,
                           int64_t count);

} // namespace tegula::tosimt
