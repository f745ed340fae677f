// Keeps LLVM 22's StructurizeCFG from moving instructions out of branches.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tegula::rocm {

/// Where two paths meet and one of them brings an instruction that costs nothing, such as a negation, StructurizeCFG
/// moves it before the branch, to save copies. If other paths pass the structurized blocks, too, it takes its result
/// for theirs, which is wrong (LLVM pull request 183792, which came after 22.1 and forbids it for phis of more than two
/// values; here it also happens with two, in an if with an else if). Therefore a phi takes such a value by way of an
/// empty assembly at the end of the path, which has a cost. Throws InternalError for a type that no kernel has.
void pinToBranches(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tegula::rocm
