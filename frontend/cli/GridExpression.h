// `--grid` of the commands that launch kernels.
#pragma once

#include "core/runtime/HostExpression.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "frontend/cli/Inputs.h"

namespace tegula::cli {

/// Up to three integer expressions, evaluated over the arguments and the constants that the launch resolved.
class GridExpression {
public:
  /// Throws tegula::Error with line and column.
  explicit GridExpression(const std::string &text);
  /// Throws tegula::Error with line and column.
  Grid evaluate(const KernelInfo &kernel, const Inputs &inputs, const std::map<std::string, Constant> &constants) const;

private:
  std::vector<HostExpression> axes_;
};

} // namespace tegula::cli
