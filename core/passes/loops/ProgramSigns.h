// Scalars that are not negative in any program of a launch. Private to tile-describe-loads.
#pragma once

#include "core/contracts/ProgramExpression.h"
#include "core/passes/analysis/AxisInfo.h"

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

} // namespace tegula::tile
