// One piece of inline PTX: its operands, its text, the call.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

#include <string>

namespace tegula::cuda {

/// Operands are declared in the order outputs, inputs, outputs that begin with a value; each declaration returns what
/// names it in the text: "$0". Values are integers of 1 (a predicate), 16, 32 and 64 bits, f32, f64 and pointers.
class InlinePtx {
public:
  explicit InlinePtx(llvm::IRBuilderBase &builder) : b(builder) {}

  std::string output(llvm::Type *type);
  std::string input(llvm::Value *value);
  /// Output `number` (as it was declared) begins with `value`.
  void tie(unsigned number, llvm::Value *value);

  /// What a piece does beyond its outputs. The last two stay where they are.
  enum Kind : uint8_t {
    Pure,
    PureCollective, // all lanes of the warp together
    Effect,
    Collective,
  };
  /// The outputs.
  llvm::SmallVector<llvm::Value *, 4> emit(const std::string &text, Kind kind);

private:
  llvm::IRBuilderBase &b;
  llvm::SmallVector<llvm::Type *> outputs_;
  llvm::SmallVector<llvm::Value *> inputs_;
  std::string outputConstraints_, inputConstraints_;
};

/// "{$0, $1, $2}" for `count` operands from `first` on.
std::string registerList(unsigned first, unsigned count);
/// The same, but a single one without braces.
std::string operandList(unsigned first, unsigned count);

} // namespace tegula::cuda
