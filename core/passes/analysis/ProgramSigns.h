// Finds scalars that are not negative in any program of a launch, and the conditions by which a launch can check that.
#pragma once

#include "core/contracts/ProgramExpression.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/Polynomial.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace tegula::tile {

/// Proves more than AxisAnalysis, with conditions that a launch checks. Example: a quotient whose dividend is not
/// negative but whose divisor may be negative or zero:
///
///   rows = min(all - first, GROUP)      the rows of tiles of this group
///   column = (program % tiles) / rows
///
/// `column` is not negative if `rows` is at least 1 in all programs of the grid; the launch checks this condition.
class ProgramSigns {
public:
  explicit ProgramSigns(const AxisAnalysis &axes) : axes_(axes) {}

  /// Whether the scalar is at least 0 in every program, on two assumptions: the integer that each expression in
  /// conditions() computes is at least 1 in every program, and no arithmetic from which the scalar is computed wraps.
  /// May add expressions to conditions().
  bool isNonNegative(mlir::Value scalar);
  const std::vector<ProgramExpression> &conditions() const { return conditions_; }

private:
  bool isPositiveIfAsked(mlir::Value scalar);

  const AxisAnalysis &axes_;
  std::vector<ProgramExpression> conditions_;
};

/// The scalar, an i32 or i64, as an expression that a launch can evaluate. Nothing if the scalar depends on anything
/// but constants, integer arguments and the program's coordinates in the grid.
std::optional<ProgramExpression> expressionOf(mlir::Value scalar);

/// An expression for a launch to check that the polynomial fits 32 bits. The expression is at least 1, and all of its
/// nodes fit 32 bits only if the polynomial's value and every intermediate value of Polynomials::emit fit 32 bits, in
/// every program and every loop iteration. Nothing if the polynomial depends on anything but constants, integer
/// arguments, the program's coordinates in the grid, and induction variables of loops whose bounds depend on nothing
/// else.
std::optional<ProgramExpression> boundOf(const Polynomial &polynomial, const Polynomials &scalars);

/// The conditions that a launch checks (LaunchConditions::positive). No value: scalars may be negative whatever a
/// launch checks.
using SignConditions = std::optional<std::vector<ProgramExpression>>;

/// For each list of scalars, the conditions under which no scalar of the list is negative. Assumes that no integer
/// argument is negative, and nothing else about arguments.
std::vector<SignConditions> nonNegativeIf(mlir::func::FuncOp function,
                                          llvm::ArrayRef<llvm::ArrayRef<mlir::Value>> lists);

} // namespace tegula::tile
