// Keeps ptxas from losing the sign of a negated integer.
#pragma once

#include "llvm/IR/Module.h"

namespace tegula::cuda {

/// Prints -x as ~x + 1 where a minimum or maximum of integers of 32 bits takes it. ptxas 13.0 and the driver of its
/// time make one instruction of the maximum of three values, VIMNMX3, on devices from sm_90 on, and lose the sign of
/// one of them: max(max(-a, -b), max(-c, -d)) becomes max(-a, b, max(-c, -d)). PTX for older devices is assembled for
/// these devices, too, so it is not excepted. (LLVM would make a negation of ~x + 1 again; so it is inline PTX.)
void keepNegations(llvm::Module &module);

} // namespace tegula::cuda
