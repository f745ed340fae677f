// Shortens the lives of values that LLVM would keep in more registers, or for longer, than needed.
#pragma once

#include "mlir/IR/Builders.h"
#include <memory>

namespace mlir {
class Pass;
}

namespace tegula::rocm {

/// An attribute of an arith.bitcast to the operand's own type. Such an op is a copy that LLVM neither sees through nor
/// moves: its operand is computed before it, and all computations from its result come after it. It takes no
/// instruction.
inline constexpr const char *kStaysHere = "rocm.stays_here";

/// Creates such a copy.
mlir::Value staysHere(mlir::OpBuilder &builder, mlir::Value value);

/// Rewrites loops, for values of at least eight elements in each thread:
///
///  - A rounding to narrower floats moves up to the value that it rounds, before loads that stand between them. So the
///    narrow value is in registers while the loads' results arrive:
///
///        %p = math.exp2 %x : vector<64xf32>                  %p = math.exp2 %x : vector<64xf32>
///        %v = simt.load ...                           ->     %h = arith.truncf %p : vector<64xf32> to vector<64xf16>
///        %h = arith.truncf %p : ...                          %v = simt.load ...
///
///  - An exchange that gives both lanes of a pair all elements of an operand of a product moves down, behind the
///    barrier before the product. Until then a lane holds only its half of these elements, which leaves registers for
///    loaded values that are stored to shared memory before the barrier.
///
/// The kernel is at the simt level.
std::unique_ptr<mlir::Pass> createShortLives();

} // namespace tegula::rocm
