// Which scalars are not negative in any program of a launch, and how a launch can tell.
#pragma once

#include "core/contracts/ProgramExpression.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/Polynomial.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace tegula::tile {

/// Goes beyond AxisAnalysis where a dividend is not negative but the divisor may be, as in
///
///   rows = min(all - first, GROUP)      the rows of tiles of this group
///   column = (program % tiles) / rows
///
/// which is not negative if `rows` is at least 1 in all programs of the grid: a condition for the launch.
class ProgramSigns {
public:
  explicit ProgramSigns(const AxisAnalysis &axes) : axes_(axes) {}

  /// Whether the scalar is not negative in any program in which all `conditions` are at least 1; the arithmetic does
  /// not wrap.
  bool isNonNegative(mlir::Value scalar);
  const std::vector<ProgramExpression> &conditions() const { return conditions_; }

private:
  bool isPositiveIfAsked(mlir::Value scalar);

  const AxisAnalysis &axes_;
  std::vector<ProgramExpression> conditions_;
};

/// The scalar, an i32 or i64, as an expression that a launch can evaluate. None if it is computed of anything but
/// constants, integer arguments and the program's place in the grid.
std::optional<ProgramExpression> expressionOf(mlir::Value scalar);

/// An expression that is at least 1, and whose nodes all fit 32 bits only if the polynomial's value does, and each
/// value that Polynomials::emit computes for it, in every program and every iteration of loops. None if it depends on
/// anything but constants, integer arguments, the program's place and induction variables that are so bounded.
std::optional<ProgramExpression> boundOf(const Polynomial &polynomial, const Polynomials &scalars);

/// LaunchConditions::positive, to be checked; no value: scalars may be negative whatever a launch checks.
using SignConditions = std::optional<std::vector<ProgramExpression>>;

/// For each list of scalars the conditions under which none is negative, where no integer argument is negative and
/// nothing else is known of arguments.
std::vector<SignConditions> nonNegativeIf(mlir::func::FuncOp function,
                                          llvm::ArrayRef<llvm::ArrayRef<mlir::Value>> lists);

} // namespace tegula::tile
