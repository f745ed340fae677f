// Declarations that the files of Flatten share: the writers of a module and of a function. Private to the code
// generator.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <initializer_list>
#include <map>
#include <string>
#include <tuple>

namespace tegula::cpu {

/// Throws a tegula::Error located at `location`.
[[noreturn]] void fail(mlir::Location location, const std::string &message);

/// Writes a module, with the tables that its functions share.
class ModuleWriter {
public:
  explicit ModuleWriter(Module &module) : module(module) { module.locations.emplace_back(); }

  Module &module;

  /// The index of a location in Module::locations, where it is added if it is new. A CallSiteLoc becomes the location
  /// in the callee, whose `caller` is the call; a NameLoc becomes the location that it names; of a FusedLoc, the first
  /// known part is used.
  uint32_t location(mlir::Location location);
  /// The index of a text in Module::strings.
  int64_t string(llvm::StringRef text);
  /// Flattens the single block of a region, whose arguments are scalars, to a function; returns the function's index in
  /// Module::functions. `name`: the beginning of the function's name.
  int64_t regionFunction(mlir::Region &region, const std::string &name);

private:
  int32_t place(uint32_t line, uint32_t column, int32_t caller);
  int32_t chain(mlir::Location location, int32_t caller);

  llvm::DenseMap<mlir::Attribute, uint32_t> locations_;
  std::map<std::tuple<uint32_t, uint32_t, int32_t>, int32_t> places_;
  llvm::StringMap<int64_t> strings_;
};

/// The attributes of one instruction.
using Attributes = std::initializer_list<int64_t>;

/// Writes a function. Constants are collected separately and placed before all other instructions, so that each
/// constant is computed once, even if it is used in a loop.
class FunctionWriter {
public:
  FunctionWriter(ModuleWriter &module, std::string name);

  ModuleWriter &module;

  // --- values and registers ---
  Register fresh(mlir::Type type, mlir::Location location);
  /// Makes a register for a value that the next instruction defines.
  Register define(mlir::Value value);
  /// Makes `value` a second name of the register.
  void alias(mlir::Value value, Register reg) { registers_[value] = reg; }
  Register operator[](mlir::Value value) const;
  llvm::SmallVector<Register> all(mlir::ValueRange values) const;
  void addParam(mlir::Value argument);

  // --- instructions ---
  /// Appends an instruction and returns its index, for `setTarget`.
  size_t emit(Opcode opcode, llvm::ArrayRef<Register> results, llvm::ArrayRef<Register> operands,
              llvm::ArrayRef<int64_t> attributes, mlir::Location location);
  /// Appends an instruction for `op`, with the op's operands and results in order.
  void emit(Opcode opcode, mlir::Operation *op, llvm::ArrayRef<int64_t> attributes = {});
  /// Makes the jump at index `instruction` (its attribute 0) lead to the next instruction that is appended.
  void setTarget(size_t instruction) { setTarget(instruction, code_.code.size()); }
  void setTarget(size_t instruction, size_t target);
  size_t next() const { return code_.code.size(); }
  /// Assigns all `to[i] = from[i]` in parallel: a register may be read by one pair and written by another.
  void moveAll(llvm::ArrayRef<Register> to, llvm::ArrayRef<Register> from, mlir::Location location);
  void constant(mlir::Attribute value, mlir::Value result);

  /// The function, with its constants at the front and last uses marked.
  Function finish();

private:
  uint32_t typeIndex(const TileType &type);
  size_t emitTo(Function &code, Opcode opcode, llvm::ArrayRef<Register> results, llvm::ArrayRef<Register> operands,
                llvm::ArrayRef<int64_t> attributes, uint32_t location);

  Function code_;
  Function constants_; // only its code and its pools are used
  llvm::DenseMap<mlir::Value, Register> registers_;
  std::map<std::pair<const void *, uint32_t>, Register> constantRegisters_; // (attribute, type) -> register
  llvm::DenseMap<Register, mlir::Type> mlirTypes_;
};

/// The bytecode type of a scalar, tensor or descriptor; throws an error at `location` for other types.
TileType tileType(mlir::Type type, mlir::Location location);
ElementKind elementKind(mlir::Type element, mlir::Location location);

/// Marks the operands after which their register is not read again. A value that is live around a loop's back edge has
/// no last use inside the loop.
void markLastUses(Function &function);

// --- one function for each family of ops; true if the op belongs to the family ---
bool flattenElementwise(FunctionWriter &writer, mlir::Operation *op);
bool flattenControl(FunctionWriter &writer, mlir::Operation *op);
bool flattenShape(FunctionWriter &writer, mlir::Operation *op);
bool flattenMemory(FunctionWriter &writer, mlir::Operation *op);
bool flattenCompute(FunctionWriter &writer, mlir::Operation *op);
bool flattenEffects(FunctionWriter &writer, mlir::Operation *op);

/// Flattens all ops of a block except its terminator.
void flattenBody(FunctionWriter &writer, mlir::Block &block);

} // namespace tegula::cpu
