// Values that LLVM would keep in more registers, or longer, than they need.
#pragma once

#include "mlir/IR/Builders.h"
#include <memory>

namespace mlir {
class Pass;
}

namespace tegula::rocm {

/// The attribute of an arith.bitcast to its own type, a copy that LLVM neither sees through nor moves: what is computed
/// before it stays before it, and what is computed from it stays behind it. It takes no instruction.
inline constexpr const char *kStaysHere = "rocm.stays_here";

/// Makes such a copy.
mlir::Value staysHere(mlir::OpBuilder &builder, mlir::Value value);

/// In loops, for values of at least eight elements a thread:
///
///  - A rounding to narrower floats moves up to the value that it rounds, before loads that stand between them. So the
///    narrow value is in registers while the loads' results arrive:
///
///        %p = math.exp2 %x : vector<64xf32>                  %p = math.exp2 %x : vector<64xf32>
///        %v = simt.load ...                           ->     %h = arith.truncf %p : vector<64xf32> to vector<64xf16>
///        %h = arith.truncf %p : ...                          %v = simt.load ...
///
///  - An exchange that gives both lanes of a pair all elements of an operand of a product moves down, behind the
///    barrier before the product: until then a lane has half of them, while others are on their way to shared memory.
///
/// The kernel is at the simt level.
std::unique_ptr<mlir::Pass> createShortLives();

} // namespace tegula::rocm
