// How scf.for counts the iterations of a loop over a run-time range. scf.for counts upwards and compares as signed, and
// its canonicalization subtracts constant bounds in the counter's type:
//
//   range(a, b, s)             counter from a to b by s             variable: counter
//   range(a, b, -3)            from b to a by 3                     a - (counter - b)
//   of u32                     in i64                               counter, narrowed
//   of u64                     from a - 2^63 to b - 2^63 by s       counter + 2^63
//   constant a and b, b - a    in i64, from 0 to ceil((b - a) / s)  a + counter * s
//   beyond the range's type    (compilers of drivers, too, compute such differences in the type)
//   s of u64, if not a         the same
//   constant below 2^63
//
// A range whose bounds are constants that do not rise is empty: from a to a.
#pragma once

#include "frontend/language/emit/Emitter.h"

namespace tegula::lang {

class RangeCounter {
public:
  /// Emits the bounds, at the builder's place. Fails if they are no integer scalars.
  RangeCounter(Emitter &emitter, Loc loc, const RangeValue &range);

  const Tensor &lower() const { return lower_; }
  const Tensor &upper() const { return upper_; }
  const Tensor &step() const { return step_; }
  /// Emits the loop's variable, at the builder's place in the loop's body.
  Tensor variable(mlir::Value counter);

private:
  Tensor bound(const Value &value, const char *what);
  /// A bound in the counter's type.
  Tensor counted(const Tensor &bound);
  mlir::Value number(Int value);
  /// Changes the bounds of scf.for so that its counter numbers the iterations from 0.
  void countIterations();

  Emitter &e_;
  Loc loc_;
  ElementType type_, counter_;    // of the variable, of scf.for
  Tensor lower_, upper_, step_;   // of scf.for
  Tensor start_, stop_, stride_;  // of the upward range, in the counter's type
  bool isMirrored_ = false;       // the variable runs downwards
  bool isBiased_ = false;         // the counter is less than the variable by 2^63
  bool isUnsignedStep_ = false;   // u64, which may exceed the counter's type
  bool countsIterations_ = false; // the counter is the number of the iteration
};

} // namespace tegula::lang
