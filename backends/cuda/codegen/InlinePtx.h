// Builds one inline-PTX statement: its operands, its text and the call.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

#include <string>

namespace tegula::cuda {

/// Declare operands in this order: all output(), then all input(), then all tie(). output() and input() return the
/// operand's name in the text, such as "$0". Values are integers of 1 (a predicate), 16, 32 and 64 bits, f32, f64 and
/// pointers.
class InlinePtx {
public:
  explicit InlinePtx(llvm::IRBuilderBase &builder) : b(builder) {}

  std::string output(llvm::Type *type);
  std::string input(llvm::Value *value);
  /// Initializes an output: makes `value` an input that is assigned to the same register as output `number` (0: the
  /// first output that was declared). The statement can then update the register in place.
  void tie(unsigned number, llvm::Value *value);

  /// The statement's side effects. Statements of kinds Effect and Collective are never removed or reordered.
  enum Kind : uint8_t {
    Pure,
    PureCollective, // all lanes of the warp must execute it together
    Effect,
    Collective,
  };
  /// Emits the statement as a call of inline assembly with the text `text`. Returns the values of the outputs, in order
  /// of declaration.
  llvm::SmallVector<llvm::Value *, 4> emit(const std::string &text, Kind kind);

private:
  llvm::IRBuilderBase &b;
  llvm::SmallVector<llvm::Type *> outputs_;
  llvm::SmallVector<llvm::Value *> inputs_;
  std::string outputConstraints_, inputConstraints_;
};

/// The text of operands `first` to `first + count - 1` in braces: "{$0, $1, $2}" for first = 0, count = 3.
std::string registerList(unsigned first, unsigned count);
/// As registerList, but without braces if `count` is 1: "$0".
std::string operandList(unsigned first, unsigned count);

} // namespace tegula::cuda
