// Declarations shared by the files of Flatten: the module and the function being written. Private to the code
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

/// Throws a tegula::Error at the place in the source that `location` names.
[[noreturn]] void fail(mlir::Location location, const std::string &message);

/// The module being written, with the tables that its functions share.
class ModuleWriter {
public:
  explicit ModuleWriter(Module &module) : module(module) { module.locations.emplace_back(); }

  Module &module;

  /// Index in Module::locations. Calls become chains of callers; names and fusions are seen through.
  uint32_t location(mlir::Location location);
  /// Index in Module::strings.
  int64_t string(llvm::StringRef text);
  /// Flattens the block of a region whose arguments are scalars; returns the index in Module::functions.
  int64_t regionFunction(mlir::Region &region, const std::string &name);

private:
  int32_t place(uint32_t line, uint32_t column, int32_t caller);
  int32_t chain(mlir::Location location, int32_t caller);

  llvm::DenseMap<mlir::Attribute, uint32_t> locations_;
  std::map<std::tuple<uint32_t, uint32_t, int32_t>, int32_t> places_;
  llvm::StringMap<int64_t> strings_;
};

/// A run of attributes of one instruction.
using Attributes = std::initializer_list<int64_t>;

/// The function being written. Constants are collected apart and end up in front of everything else, so that each is
/// made once however often a loop runs.
class FunctionWriter {
public:
  FunctionWriter(ModuleWriter &module, std::string name);

  ModuleWriter &module;

  // --- values and registers ---
  Register fresh(mlir::Type type, mlir::Location location);
  /// A register for a value that the next instruction defines.
  Register define(mlir::Value value);
  /// Makes `value` another name for the register.
  void alias(mlir::Value value, Register reg) { registers_[value] = reg; }
  Register operator[](mlir::Value value) const;
  llvm::SmallVector<Register> all(mlir::ValueRange values) const;
  void addParam(mlir::Value argument);

  // --- instructions ---
  /// Returns the instruction's index, for `setTarget`.
  size_t emit(Opcode opcode, llvm::ArrayRef<Register> results, llvm::ArrayRef<Register> operands,
              llvm::ArrayRef<int64_t> attributes, mlir::Location location);
  /// An instruction for `op`: its operands to its results, one to one.
  void emit(Opcode opcode, mlir::Operation *op, llvm::ArrayRef<int64_t> attributes = {});
  /// Makes the jump at `instruction` (attribute 0) lead to the next instruction to be emitted.
  void setTarget(size_t instruction) { setTarget(instruction, code_.code.size()); }
  void setTarget(size_t instruction, size_t target);
  size_t next() const { return code_.code.size(); }
  /// All `to[i] = from[i]` at once: a register may be read and written by different pairs.
  void moveAll(llvm::ArrayRef<Register> to, llvm::ArrayRef<Register> from, mlir::Location location);
  void constant(mlir::Attribute value, mlir::Value result);

  /// The function with its constants in front and last uses marked.
  Function finish();

private:
  uint32_t typeIndex(const TileType &type);
  size_t emitTo(Function &code, Opcode opcode, llvm::ArrayRef<Register> results, llvm::ArrayRef<Register> operands,
                llvm::ArrayRef<int64_t> attributes, uint32_t location);

  Function code_;
  Function constants_; // only its code and pools
  llvm::DenseMap<mlir::Value, Register> registers_;
  std::map<std::pair<const void *, uint32_t>, Register> constantRegisters_; // (attribute, type) -> register
  llvm::DenseMap<Register, mlir::Type> mlirTypes_;
};

/// The bytecode's type for a scalar, tensor or descriptor; an error at `location` for others.
TileType tileType(mlir::Type type, mlir::Location location);
ElementKind elementKind(mlir::Type element, mlir::Location location);

/// Marks the operands after which their register is not read again. A value that lives around a loop's back edge has no
/// last use inside the loop.
void markLastUses(Function &function);

// --- one per family of ops; true where the op was one of theirs ---
bool flattenElementwise(FunctionWriter &writer, mlir::Operation *op);
bool flattenControl(FunctionWriter &writer, mlir::Operation *op);
bool flattenShape(FunctionWriter &writer, mlir::Operation *op);
bool flattenMemory(FunctionWriter &writer, mlir::Operation *op);
bool flattenCompute(FunctionWriter &writer, mlir::Operation *op);
bool flattenEffects(FunctionWriter &writer, mlir::Operation *op);

/// All ops of a block but its terminator.
void flattenBody(FunctionWriter &writer, mlir::Block &block);

} // namespace tegula::cpu
