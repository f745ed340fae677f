// Translates a simt kernel to a Program. For each family of ops one function emits their instructions.
#pragma once

#include "Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace tegula::simt_test {

/// Finds a matrix instruction by its name; null for an unknown name.
using MatrixRows = std::function<const MatrixInstruction *(std::string_view)>;

class Flattener {
public:
  Flattener(mlir::func::FuncOp function, MatrixRows rows);
  std::unique_ptr<Program> run();

  // --- for the functions of families ---
  /// Appends an instruction with the op's operands and results.
  Instruction &emit(mlir::Operation *op, Handler handler);
  /// Appends an instruction with the listed operands; a null value gives an empty slot.
  Instruction &emit(mlir::Operation *op, Handler handler, std::initializer_list<mlir::Value> operands);
  Instruction &emitCollective(mlir::Operation *op, CollectiveHandler handler);
  Slot slot(mlir::Value value);
  const SharedLayout *layout(simt::SharedType type);
  /// Throws Error, located at the op, where no backend has the instruction.
  const MatrixUnit *unit(mlir::Operation *op, llvm::StringRef instruction);
  /// Offset of a buffer in shared memory, in bytes.
  int64_t place(mlir::Operation *buffer) const { return places_.lookup(buffer); }
  Program &program() { return *program_; }
  /// Index of the next instruction.
  uint32_t here() const { return static_cast<uint32_t>(program_->code.size()); }
  Instruction &at(uint32_t number) { return program_->code[number]; }
  void flattenBlock(mlir::Block &block);
  /// Records how many warps agree on this branch and on all enclosing ones; see Instruction::uniformWarps.
  void markUniform(Instruction &instruction, mlir::Operation *branch);
  [[noreturn]] static void fail(mlir::Operation *op, const std::string &message);

private:
  void flattenOp(mlir::Operation *op);
  void collectInFlight();
  void placeBuffers();
  uint32_t lanes(mlir::Type type) const;

  mlir::func::FuncOp function_;
  MatrixRows rows_;
  std::unique_ptr<Program> program_;
  llvm::DenseMap<mlir::Value, Slot> slots_;
  llvm::DenseSet<mlir::Value> inFlight_; // values that may be accumulators in flight
  llvm::DenseMap<mlir::Operation *, int64_t> places_;
};

/// `file:line:column` of a location; the innermost one where calls were inlined.
std::string locationText(mlir::Location location);
uint32_t locationLine(mlir::Location location);

/// Each returns false for an op of another family.
bool flattenControl(Flattener &flattener, mlir::Operation *op);   // scf, func.return, simt.warp_groups
bool flattenIntegers(Flattener &flattener, mlir::Operation *op);  // arith on integers, and casts
bool flattenFloats(Flattener &flattener, mlir::Operation *op);    // arith on floats, math
bool flattenThreads(Flattener &flattener, mlir::Operation *op);   // ids, register tiles, shuffles, pointers, print
bool flattenGlobal(Flattener &flattener, mlir::Operation *op);    // load, store, atomics
bool flattenShared(Flattener &flattener, mlir::Operation *op);    // views, shared loads and stores, 8x8 matrices
bool flattenBarriers(Flattener &flattener, mlir::Operation *op);  // barrier, fences, barrier objects
bool flattenCopies(Flattener &flattener, mlir::Operation *op);    // load_tile, store_tile, async_load, their waits
bool flattenMatrix(Flattener &flattener, mlir::Operation *op);    // mma, matmul_async, matmul_wait
bool flattenFragments(Flattener &flattener, mlir::Operation *op); // opaque fragments

} // namespace tegula::simt_test
