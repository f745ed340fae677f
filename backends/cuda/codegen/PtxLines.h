// The places of instructions in the source, in PTX. LLVM 19 writes for an instruction of an inlined function its place
// in that function, without the calls that led there:
//
//     .loc 2 31 9
//
// PTX can name them, and debuggers then show the calls, too:
//
//     .loc 1 5 3
//     .loc 2 31 9, function_name $L__callee0, inlined_at 1 5 3
//
// So each place gets a number, which LLVM takes for a line, and the numbers in its text are replaced.
#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <string>

namespace tegula::cuda {

class PtxLines {
public:
  /// Numbers the places of the module's instructions.
  explicit PtxLines(llvm::Module &module);
  /// The text that LLVM generated from the module, with the places in it.
  std::string write(const std::string &text) const;

private:
  llvm::MapVector<llvm::DILocation *, unsigned> places_; // with their numbers, 1, 2, ...
  llvm::StringRef kernelFile_;                           // PTX's file 1
};

} // namespace tegula::cuda
