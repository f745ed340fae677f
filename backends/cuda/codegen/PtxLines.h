// Writes source locations of inlined instructions to PTX. For an instruction of an inlined function, LLVM 22 writes
// only its location in that function, without the call sites:
//
//     .loc 2 31 9
//
// PTX can express the call sites, and debuggers then show them, too:
//
//     .loc 1 5 3
//     .loc 2 31 9, function_name $L__callee0, inlined_at 1 5 3
//
// Therefore each location with its call sites gets a number, which LLVM prints as a line number; then the numbers in
// LLVM's text are replaced by the directives above.
#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <string>

namespace tegula::cuda {

class PtxLines {
public:
  /// Replaces the locations of the module's instructions by numbers.
  explicit PtxLines(llvm::Module &module);
  /// Replaces the numbers in `text`, which LLVM generated from the module, by the locations.
  std::string write(const std::string &text) const;

private:
  llvm::MapVector<llvm::DILocation *, unsigned> places_; // location -> its number, from 1
  llvm::StringRef kernelFile_;                           // PTX's file 1
};

} // namespace tegula::cuda
