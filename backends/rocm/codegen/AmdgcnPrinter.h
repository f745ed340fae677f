// Implements the LLVM printer's hooks for AMD: kernel attributes, lane exchanges, barriers, masked accesses, atomics,
// matrix instructions.
#pragma once

#include "backends/llvm/Printer.h"
#include "backends/rocm/instructions/Architecture.h"

namespace tegula::rocm {

using Values = llvmir::Values;

/// Passes a number through an empty inline assembly, so that LLVM can neither fold it nor infer anything about it. The
/// result is in a vector register: even if the value is uniform, LLVM no longer knows that.
llvm::Value *opaqueValue(llvm::IRBuilder<> &b, llvm::Value *value);

class AmdgcnPrinter final : public llvmir::Printer {
public:
  AmdgcnPrinter(llvm::LLVMContext &context, mlir::func::FuncOp kernel, const Architecture &architecture);

  // --- Memory.cpp ---
  llvm::Value *sharedElement(mlir::Value view, llvm::Value *offset) override;

protected:
  // --- Kernel.cpp ---
  void declareKernel() override;
  llvmir::SourceLines::Kind lineKind() const override { return llvm::DICompileUnit::LineTablesOnly; }
  void passByValue(llvm::Argument *argument, llvm::Type *held) override;
  unsigned descriptorSpace() const override { return 4; } // LLVM's constant memory, which holds arguments
  llvm::Type *descriptorParameter(mlir::Operation *op) override;
  /// A grid may be split into several launches along each axis, because a launch has less than 2^32 threads along an
  /// axis.
  unsigned firstSplitAxis() const override { return 0; }
  void setRegisters(int64_t) override {} // no effect: registers cannot be moved between warps
  bool printTargetOp(mlir::Operation *op) override;

  // --- Threads.cpp ---
  llvm::Value *kernelThreadId() override;
  llvm::Value *launchProgram(unsigned axis) override;
  llvm::Value *launchPrograms(unsigned axis) override;
  llvm::Value *programAt(unsigned axis, llvm::Value *place, llvm::Value *extent) override;
  llvm::Value *readFirstLane(llvm::Value *value) override;
  llvm::Value *shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) override;
  llvm::Value *vote(simt::VoteKind kind, llvm::Value *predicate) override;
  llvm::Value *elect() override { return b.CreateICmpEQ(laneId(), i32(0)); }
  void barrier(mlir::Operation *op, int64_t warps) override;
  void fence(simt::FenceKind kind) override;
  llvm::Value *opaque(llvm::Value *value) override;

  // --- Memory.cpp ---
  Values loadGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) override;
  void storeGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) override;
  llvm::Value *atomicRmw(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                         llvm::Value *value, llvm::AtomicOrdering order) override;
  Values atomicNeighbours(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                          llvm::ArrayRef<llvm::Value *> values, llvm::AtomicOrdering order) override;
  llvm::Value *atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected, llvm::Value *value,
                         llvm::AtomicOrdering order) override;

  // --- MaskedLoads.cpp ---
  bool printTargetLoad(simt::LoadOp op) override;

  // --- Numbers.cpp ---
  llvm::Value *targetElement(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands) override;
  Values targetElements(mlir::Operation *op) override;
  Values castFloats(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from) override;

private:
  llvm::Type *laneMask() { return b.getIntNTy(unsigned(warpSize())); }
  /// Reads `word` from the lane numbered `lane`. The number may differ from lane to lane.
  llvm::Value *fromLane(llvm::Value *word, llvm::Value *lane);
  /// Reads `word` from the lane numbered `laneId ^ mask`, where `laneId` is the reading lane's number.
  llvm::Value *exchange(llvm::Value *word, uint32_t mask);
  /// Waits until this wave's accesses of LDS and its stores are done.
  void waitForAccesses();
  void waitForStoresAnd(uint32_t gfx9, uint32_t gfx10, uint32_t gfx11, llvm::Intrinsic::ID gfx12);
  void release(llvm::SyncScope::ID scope);
  llvm::AtomicOrdering releaseBefore(llvm::AtomicOrdering order, llvm::SyncScope::ID scope);
  void fenceOf(const char *scope, llvm::AtomicOrdering order);
  llvm::SyncScope::ID scopeOf(tile::Scope scope);
  llvm::Value *placeOf(const llvmir::GlobalAccess &access);

  // --- MaskedLoads.cpp ---
  /// False if all pieces of the loads may be loaded in every lane: their masks hold, and they begin less than 2^31
  /// bytes after the base. The result is uniform.
  llvm::Value *someMayNotLoad(llvm::ArrayRef<llvmir::LoadPieces> loads, mlir::scf::ForOp loop);
  /// Returns `value` in a scalar register. LLVM merges two of these constants only if their values and their numbers
  /// are equal.
  llvm::Value *ownConstant(uint32_t value, unsigned number);
  /// Loads the pieces without masks, through a buffer resource that begins at `pieces.base`. If the uniform `isOff` is
  /// true, nothing is read and the results are zeros. `number`: the load's position, from 0, among the loads for which
  /// one test decides whether masks are needed (someMayNotLoad); ownConstant takes this number.
  llvm::SmallVector<Values> loadThroughResource(const llvmir::LoadPieces &pieces, llvm::Value *isOff, unsigned number);

  // --- Numbers.cpp ---
  Values selectWords(mlir::arith::SelectOp op);
  Values packedPairs(mlir::Operation *op, const Values &left, const Values &right);
  Values dualPairs(mlir::Operation *op, Values left, Values right);
  Values roundPairs(llvm::ArrayRef<llvm::Value *> from);
  Values keptHere(const Values &elements);
  llvm::Value *exp2(llvm::Value *x, bool isNormal);

  // --- Matrix.cpp ---
  void printMma(simt::MmaOp op);

  const Architecture &architecture_;
  const bool isLarge_;
  llvm::Value *spare_ = nullptr; // flat address of 16 unused bytes of private memory; only in large kernels
  llvm::Value *one_ = nullptr, *minusZero_ = nullptr;
};

} // namespace tegula::rocm
