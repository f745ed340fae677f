// From a simt kernel to a Program. Each family of ops has one function that knows how its ops become instructions.
#pragma once

#include "Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace tegula::simt_test {

/// Finds the row of a matrix instruction by name; null where there is none.
using MatrixRows = std::function<const MatrixInstruction *(std::string_view)>;

class Flattener {
public:
  Flattener(mlir::func::FuncOp function, MatrixRows rows);
  std::unique_ptr<Program> run();

  // --- for the families ---
  /// The next instruction: its operands and results are the op's.
  Instruction &emit(mlir::Operation *op, Handler handler);
  /// The same with the operands listed; a null value gives an empty slot.
  Instruction &emit(mlir::Operation *op, Handler handler, std::initializer_list<mlir::Value> operands);
  Instruction &emitCollective(mlir::Operation *op, CollectiveHandler handler);
  Slot slot(mlir::Value value);
  const SharedLayout *layout(simt::SharedType type);
  /// Throws Error with the op's place where no backend has the row.
  const MatrixUnit *unit(mlir::Operation *op, llvm::StringRef instruction);
  /// Where a buffer begins, in bytes of shared memory.
  int64_t place(mlir::Operation *buffer) const { return places_.lookup(buffer); }
  Program &program() { return *program_; }
  /// Place of the next instruction.
  uint32_t here() const { return static_cast<uint32_t>(program_->code.size()); }
  Instruction &at(uint32_t number) { return program_->code[number]; }
  void flattenBlock(mlir::Block &block);
  /// How many warps agree on this branch and on all around it; see Instruction::uniformWarps.
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
  llvm::DenseSet<mlir::Value> inFlight_; // values that may be in flight
  llvm::DenseMap<mlir::Operation *, int64_t> places_;
};

/// `file:line:column` of a location, the innermost where calls were inlined.
std::string locationText(mlir::Location location);
uint32_t locationLine(mlir::Location location);

/// Each returns false where the op is not of its family.
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
