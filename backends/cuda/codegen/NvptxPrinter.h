// Implements the LLVM printer's hooks for NVIDIA: special registers, shuffles and barriers, PTX's cache operators,
// asynchronous copies with barrier objects, matrix instructions.
#pragma once

#include "backends/cuda/codegen/InlinePtx.h"
#include "backends/cuda/codegen/SharedLayout.h"
#include "backends/llvm/Printer.h"

namespace tegula::cuda {

/// A target's name, parsed: "sm_90a" has number 90 and is architecture-specific.
struct SmVersion {
  unsigned number = 0;
  bool specific = false; // suffix "a": has wgmma and setmaxnreg
  std::string name() const { return "sm_" + std::to_string(number) + (specific ? "a" : ""); }
};

using Values = llvmir::Values;

/// The value of TargetFeatures::vectorAtomics for this target. Source: PTX ISA, atom.
std::vector<std::string> vectorAtomics(unsigned version);

class NvptxPrinter final : public llvmir::Printer {
public:
  NvptxPrinter(llvm::LLVMContext &context, mlir::func::FuncOp kernel, SmVersion version);

protected:
  // --- Kernel.cpp ---
  void declareKernel() override;
  llvmir::SourceLines::Kind lineKind() const override { return llvm::DICompileUnit::DebugDirectivesOnly; } // .loc
  llvm::Type *descriptorParameter(mlir::Operation *op) override;
  void passByValue(llvm::Argument *argument, llvm::Type *held) override;
  unsigned firstSplitAxis() const override { return 1; } // axes 1 and 2 have at most 65,535 programs
  void setRegisters(int64_t registers) override;
  bool printTargetOp(mlir::Operation *op) override;

  // --- Threads.cpp ---
  llvm::Value *kernelThreadId() override;
  llvm::Value *launchProgram(unsigned axis) override;
  llvm::Value *launchPrograms(unsigned axis) override;
  uint32_t clusterSize(); // programs; 1 for a kernel without clusters
  llvm::Value *clusterRank();
  llvm::Value *readFirstLane(llvm::Value *value) override;
  llvm::Value *gatherBytes(llvm::ArrayRef<llvm::Value *> bytes) override;
  llvm::Value *shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) override;
  llvm::Value *vote(simt::VoteKind kind, llvm::Value *predicate) override;
  llvm::Value *elect() override;
  void barrier(mlir::Operation *op, int64_t warps) override;
  void fence(simt::FenceKind kind) override;
  llvm::Value *opaque(llvm::Value *value) override;

  // --- GlobalMemory.cpp ---
  Values loadGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) override;
  void storeGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) override;

  // --- Atomics.cpp ---
  llvm::Value *atomicRmw(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                         llvm::Value *value, llvm::AtomicOrdering order) override;
  Values atomicNeighbours(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                          llvm::ArrayRef<llvm::Value *> values, llvm::AtomicOrdering order) override;
  llvm::Value *atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected, llvm::Value *value,
                         llvm::AtomicOrdering order) override;

  // --- Math.cpp ---
  llvm::Value *targetElement(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands) override;
  Values targetElements(mlir::Operation *op) override;
  llvm::Value *expOf(llvm::Value *x);
  llvm::Value *relaxedExpOf(llvm::Value *x);
  llvm::Value *tanhOf(llvm::Value *x);
  Values castFloats(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from) override;

private:
  /// Prints all elements of an f32 division together and returns the quotients. Returns nothing if the op is no
  /// division, or if its elements are to be printed one by one.
  Values quotientsOf(mlir::Operation *op);
  /// Prints a select between vectors of 8-bit or 16-bit elements by one scalar condition as selects of 32-bit words,
  /// and returns the elements. Returns nothing for other selects.
  Values chosenWords(mlir::arith::SelectOp op);
  /// Prints the conversion of integers that are known to have few bits to floats. Returns nothing if some of them may
  /// have more bits.
  Values floatsOfSmallIntegers(mlir::Operation *op);
  Values roundedQuotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor, bool areHalves);
  Values relaxedQuotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor);
  void need(mlir::Operation *op, unsigned version, const char *what);
  llvm::Value *specialRegister(llvm::Intrinsic::ID id, uint32_t below);
  /// Returns the first of the hardware barrier numbers that belong to barriers of `warps` warps (0: all warps) in the
  /// current region. The first call for this region and `warps` reserves `count` consecutive numbers; fails at `op` if
  /// a kernel needs more than 16.
  unsigned barrierNumbers(mlir::Operation *op, int64_t warps, int64_t count);
  Values smallFloatsToHalf(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from, mlir::Type type);
  Values narrowPairs(llvm::ArrayRef<llvm::Value *> from, llvm::Type *to, bool towardZero);
  Values floatsToSmall(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from, mlir::Type type);

  // --- GlobalMemory.cpp ---
  /// The text that an eviction policy adds to an access: qualifiers such as ".L1::evict_first.L2::cache_hint", and the
  /// last operand with its comma. Both are empty for an access without a policy. addEviction declares the operand as
  /// the statement's next input.
  struct Eviction {
    std::string qualifiers, operand;
  };
  Eviction addEviction(InlinePtx &ptx, const llvmir::GlobalAccess &access);
  /// Creates a cache policy (evict_first or evict_last) for accesses through the second-level cache. Needs sm_80.
  llvm::Value *cachePolicy(const std::string &priority);
  // --- AsyncCopy.cpp ---
  bool printCopies(mlir::Operation *op);
  /// The memory operand of a statement: an element of a shared buffer, such as "[$1+64]". A constant summand of
  /// `offset` becomes the immediate, which takes no register.
  std::string sharedOperand(InlinePtx &ptx, mlir::Value view, llvm::Value *offset);
  void printAsyncLoad(simt::AsyncLoadOp op);
  /// The boxes into which the tile `type` is divided, one for each tensor copy; fails at `op` if tensor copies cannot
  /// produce the tile's layout.
  CopyBoxes boxesOf(mlir::Operation *op, simt::SharedType type);
  /// The operands of the tensor copy of one box, as PTX text: `memory` is the box's address in shared memory, `tensor`
  /// the descriptor with the box's coordinates. `element`: the offset of the box from the begin of the tile in shared
  /// memory. `column`: its offset from `position` along the tensor's last axis. Both are in elements.
  struct BoxOperands {
    std::string memory, tensor;
  };
  BoxOperands boxOperands(InlinePtx &ptx, mlir::Value tile, mlir::Value descriptor, mlir::ValueRange position,
                          llvm::Value *element, llvm::Value *column);
  void printTileLoad(simt::LoadTileOp op);
  void printMulticast(simt::LoadTileOp op);
  void printTileStore(simt::StoreTileOp op);
  // --- BarrierObjects.cpp ---
  bool printClusters(mlir::Operation *op);
  bool printBarrierObjects(mlir::Operation *op);
  llvm::Value *barrierObject(mlir::Value barriers, mlir::Value index);
  // --- Matrix.cpp ---
  bool printMatrix(mlir::Operation *op);
  void printLoadMatrix(simt::LoadMatrixOp op);
  void printStoreMatrix(simt::StoreMatrixOp op);
  void printMma(simt::MmaOp op);
  // --- AsyncMatmul.cpp ---
  bool printAsyncMatmul(mlir::Operation *op);
  void printMatmulAsync(simt::MatmulAsyncOp op);
  void printMatmulWait(simt::MatmulWaitOp op);
  llvm::Value *matrixDescriptor(mlir::Value shared, const MatrixView &view);
  MatrixView viewOf(mlir::Operation *op, mlir::Value shared, unsigned kDim, unsigned mn, unsigned k);

  SmVersion version_;
  llvm::DenseMap<std::pair<int, int64_t>, unsigned> barriers_;
  unsigned nextBarrier_ = 1; // 0: the whole kernel
  /// The 32-bit words of the register operand A of each matmul_async in flight; the key is its accumulator.
  llvm::DenseMap<mlir::Value, Values> leftInFlight_;
};

} // namespace tegula::cuda
