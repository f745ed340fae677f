// From a simt kernel to LLVM IR, for the targets that LLVM generates code for: one walk that emits with IRBuilder. This
// room holds the code common to these targets; differences are hooks that the target's own printer overrides; no vendor
// is named here. A printer decides nothing: passes have made the module fit the target, and an op that does not fit is
// a located message.
#pragma once

#include "backends/llvm/SourceLines.h"
#include "core/contracts/Artifact.h"
#include "core/ir/simt/Simt.h"
#include "core/support/Diagnostic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tegula::llvmir {

/// A value of the simt level: the elements of a register tile one by one. A scalar, an address or a descriptor is a
/// single element.
using Values = llvm::SmallVector<llvm::Value *, 4>;

// Address spaces, the same for all targets here.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

/// An access of global memory: `bytes` (1, 2, 4, 8 or 16) at `address`, which is aligned to this size.
struct GlobalAccess {
  llvm::Value *address = nullptr; // in the global address space
  unsigned bytes = 0;
  llvm::Value *mask = nullptr; // i1; null: unconditional
  tile::CacheModifier cache = tile::CacheModifier::None;
  tile::EvictionPolicy eviction = tile::EvictionPolicy::Normal;
  bool isVolatile = false;
  mlir::Operation *op = nullptr; // for messages
};

/// A load, in pieces of up to 16 bytes; `ofOffset` pieces follow each offset.
struct LoadPieces {
  simt::LoadOp op;
  llvm::Type *element = nullptr;
  unsigned elementBytes = 0;
  unsigned elements = 0, ofOffset = 0;
  llvm::Value *base = nullptr;
  Values offsets;       // in elements
  Values masks, others; // a mask for each offset, an element for each of the result; empty: none, zeros
};

/// The kernel's argument behind a value, also through block arguments of warp groups; null where the value is none.
mlir::BlockArgument kernelArgument(mlir::Value value);

/// The struct of a descriptor parameter that is passed in parts: address, extents, strides, padding with NaN.
llvm::StructType *descriptorParts(llvm::IRBuilder<> &b, mlir::Type type);

/// The op's fast-math flags; none where it has no such attribute.
mlir::arith::FastMathFlags fastMathOf(mlir::Operation *op);

class Printer {
public:
  /// `target`: its name in messages, such as "sm_90a". The kernel must be verified.
  Printer(llvm::LLVMContext &context, mlir::func::FuncOp kernel, std::string target);
  virtual ~Printer();
  Printer(const Printer &) = delete;
  Printer &operator=(const Printer &) = delete;

  /// Prints the kernel, and sets threads, shared bytes, cluster size and hidden arguments of the artifact. Throws
  /// tegula::Error, located, for an op that the target cannot execute. Call it once.
  std::unique_ptr<llvm::Module> print(Artifact &artifact);

  llvm::IRBuilder<> b; // used by every file of the printer

  // --- values ---
  const Values &get(mlir::Value value) const { return values_.at(value); }
  /// The single element of a scalar, an address or a descriptor.
  llvm::Value *one(mlir::Value value) const { return values_.at(value).front(); }
  void set(mlir::Value value, Values elements);
  void set(mlir::Value value, llvm::Value *single) { set(value, Values{single}); }

  /// The register type of one element: i1 for i1, i8 for an 8-bit float, a pointer for an address.
  llvm::Type *elementType(mlir::Type type) const;
  llvm::ConstantInt *i32(int64_t value) { return b.getInt32(uint32_t(value)); }

  [[noreturn]] void fail(mlir::Operation *op, const llvm::Twine &message) const;
  /// Throws where the kernel's programs have more threads than the target allows.
  void needThreads(int64_t most) const;
  [[noreturn]] void failMissing(mlir::Operation *op) const;

  llvm::BasicBlock *newBlock(const llvm::Twine &name);
  /// `elements` (8, 16, 32 or 64 bits each) side by side in 32-bit words, the first one lowest; `unpack` is the
  /// inverse.
  Values pack(llvm::ArrayRef<llvm::Value *> elements);
  Values unpack(llvm::ArrayRef<llvm::Value *> words, llvm::Type *element);
  /// An element as an integer of its width, as it is stored (i1 as i8), and the inverse.
  llvm::Value *toMemory(llvm::Value *element);
  llvm::Value *fromMemory(llvm::Value *integer, llvm::Type *element);

  /// A call of an LLVM intrinsic, overloaded on `types`.
  llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::ArrayRef<llvm::Type *> types = {});
  /// Combines two elements as a reduction of this kind does.
  llvm::Value *combine(simt::CombineKind kind, llvm::Value *left, llvm::Value *right);
  /// llvm.maxnum or llvm.minnum (`id`): if one operand is not a number, the result is the other one.
  ///
  /// LLVM 19 overlooks this where it knows the sign of one operand: fabs(x) is not negative, from which it concludes
  /// that maxnum(fabs(x), -1) is not negative either, and removes a fabs around it; but the result is -1 if x is not a
  /// number. Therefore operands whose sign LLVM can find out go through `opaque`, and so do values that a loop carries:
  /// their sign can be found out only when the loop is complete.
  llvm::Value *maxOrMin(llvm::Intrinsic::ID id, llvm::Value *left, llvm::Value *right);

  /// Whether a descriptor parameter holds its parts (Artifact.h), not an encoded descriptor for copies of boxes.
  bool passedInParts(mlir::BlockArgument descriptor) const { return !boxed_.contains(descriptor); }

  // --- the current region ---
  /// The region being printed: the whole kernel, or a warp group.
  struct Region {
    int group = -1; // index of the region in simt.warp_groups; -1: the kernel
    int64_t firstWarp = 0, warps = 0;
  };
  const Region &region() const { return region_; }
  mlir::func::FuncOp kernel() const { return kernel_; }
  int64_t warpSize() const { return warpSize_; }
  int64_t kernelThreads() const { return simt::kernelWarps(kernel_) * warpSize_; }
  llvm::Function *function() const { return function_; }
  llvm::Module &module() const { return *module_; }

  // --- the thread's numbers within the region ---
  llvm::Value *threadId();
  llvm::Value *laneId();
  llvm::Value *warpId(); // marked as uniform in the warp

  // --- shared memory ---
  /// A pointer `bytes` behind the beginning of the kernel's shared memory.
  llvm::Value *sharedAddress(int64_t bytes);
  /// A pointer to element `offset` (i32, in elements of storage) of a view.
  virtual llvm::Value *sharedElement(mlir::Value view, llvm::Value *offset);

protected:
  // --- hooks for the differences between targets ---
  /// Sets calling convention, required threads, register caps. The function already has its parameters.
  virtual void declareKernel() = 0;
  /// How the target's code names source lines.
  virtual SourceLines::Kind lineKind() const = 0;
  /// Type of the parameter of a descriptor that copies boxes. describeParameter adds attributes to any parameter.
  virtual llvm::Type *descriptorParameter(mlir::Operation *op) = 0;
  virtual void describeParameter(llvm::Argument *, mlir::Type) {}
  /// Marks a parameter that is a pointer to a structure as passed by value.
  virtual void passByValue(llvm::Argument *argument, llvm::Type *held) = 0;
  /// The address space of that pointer.
  virtual unsigned descriptorSpace() const { return 0; }
  virtual llvm::Value *kernelThreadId() = 0;
  /// The program's index along axis 0, 1 or 2 of the launch, and the launch's extent along it.
  virtual llvm::Value *launchProgram(unsigned axis) = 0;
  virtual llvm::Value *launchPrograms(unsigned axis) = 0;
  /// Grids that exceed the device's limits are split into several launches. A kernel that reads its place along this
  /// axis or a higher one takes its place in the whole grid as hidden arguments.
  virtual unsigned firstSplitAxis() const = 0;
  /// The program for a place along an axis with `extent` places: a permutation of them. Only kernels that take their
  /// place in the whole grid as hidden arguments can be permuted.
  virtual llvm::Value *programAt(unsigned, llvm::Value *place, llvm::Value *) { return place; }
  /// A value that is equal in all lanes, marked as uniform.
  virtual llvm::Value *readFirstLane(llvm::Value *value) = 0;
  /// A word of these four bytes, the lowest first, if the target has an instruction that picks them from the words that
  /// they are parts of; else null.
  virtual llvm::Value *gatherBytes(llvm::ArrayRef<llvm::Value *>) { return nullptr; }
  /// A 32-bit word of another lane; `mode` and `lane` as in simt.shuffle.
  virtual llvm::Value *shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) = 0;
  virtual llvm::Value *vote(simt::VoteKind kind, llvm::Value *predicate) = 0;
  virtual llvm::Value *elect() = 0;
  /// The same float, of which LLVM's analyses know nothing.
  virtual llvm::Value *opaque(llvm::Value *value) = 0;
  /// A barrier of all warps of the region, or, if warps > 0, of each aligned set of this many warps.
  virtual void barrier(mlir::Operation *op, int64_t warps) = 0;
  virtual void fence(simt::FenceKind kind) = 0;
  /// Masked accesses and accesses with cache hints; the printer emits all others. A value is 32-bit words, or one
  /// integer of 8 or 16 bits. `other`: what a load gives where its mask is false; empty if that may be anything.
  virtual Values loadGlobal(const GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) = 0;
  virtual void storeGlobal(const GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) = 0;
  /// Prints the load, and perhaps some behind it, in a way of the target's own. False: the printer is to print it.
  virtual bool printTargetLoad(simt::LoadOp) { return false; }
  /// One element of an op of math or arith, for which the target has instructions of its own; null: use LLVM's
  /// lowering.
  virtual llvm::Value *targetElement(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands) = 0;
  /// All elements of an op of math or arith, where they are cheaper together; empty: one by one, by targetElement.
  virtual Values targetElements(mlir::Operation *) { return {}; }
  /// All elements of tile.fp_cast, arith.extf or arith.truncf; empty: use LLVM's lowering, or integer arithmetic for
  /// 8-bit floats.
  virtual Values castFloats(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from) = 0;
  /// One element; `operation`, operand type and `order` are those of the op.
  virtual llvm::Value *atomicRmw(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                                 llvm::Value *value, llvm::AtomicOrdering order) = 0;
  /// The neighbours of an access, which has several; empty: the target lacks such an atomic.
  virtual Values atomicNeighbours(simt::AtomicRmwOp, llvm::AtomicRMWInst::BinOp, llvm::Value *,
                                  llvm::ArrayRef<llvm::Value *>, llvm::AtomicOrdering) {
    return {};
  }
  /// Returns the old value; all values are integers.
  virtual llvm::Value *atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected, llvm::Value *value,
                                 llvm::AtomicOrdering order) = 0;
  /// Requests the warp group's register budget, at the beginning of its region.
  virtual void setRegisters(int64_t registers) = 0;
  /// Prints matrix products, asynchronous copies, barrier objects. False: the op is none of the target's.
  virtual bool printTargetOp(mlir::Operation *op) = 0;

  // --- for targets that print loads of their own ---
  LoadPieces piecesOf(simt::LoadOp op);
  /// The words of each piece, loaded one after another by loadGlobal.
  llvm::SmallVector<Values> loadWords(const LoadPieces &pieces);
  void setLoaded(const LoadPieces &pieces, llvm::ArrayRef<Values> words);
  /// Prints an op before its turn; a target may call it for the ops behind the one that it prints.
  void printEarly(mlir::Operation *op);
  /// Notes that the op, whose turn has not come yet, is printed.
  void markPrinted(mlir::Operation *op) { printed_.insert(op); }

private:
  void createFunction(Artifact &artifact);
  void findBoxedDescriptors();
  /// Emits `body` at the kernel's entry, once; later calls return `cache`.
  template <class Body> llvm::Value *atEntry(llvm::Value *&cache, Body &&body);

  void printBlock(mlir::Block &block);
  void printOp(mlir::Operation *op);
  // One file for each family of ops; each returns true if it printed the op.
  bool printControl(mlir::Operation *op);
  bool printElementwise(mlir::Operation *op);
  bool printRegisters(mlir::Operation *op);
  bool printThreads(mlir::Operation *op);
  bool printMemory(mlir::Operation *op);
  bool printShared(mlir::Operation *op);
  bool printAtomics(mlir::Operation *op);

  void printFor(mlir::scf::ForOp loop);
  void printIf(mlir::scf::IfOp branch);
  void printWhile(mlir::scf::WhileOp loop);
  void printGroups(simt::WarpGroupsOp groups);
  void printConstant(mlir::arith::ConstantOp op);
  void printCompare(mlir::Operation *op);
  void printWideMultiply(mlir::Operation *op);
  void printLoad(simt::LoadOp op);
  /// Loads each piece by loadGlobal and calls take(words).
  void loadEach(const LoadPieces &pieces, llvm::function_ref<void(const Values &)> take);
  void printStore(simt::StoreOp op);
  void printSharedLoad(simt::SharedLoadOp op);
  void printSharedStore(simt::SharedStoreOp op);
  void printPart(simt::PartOp op);
  void printDescriptorPart(mlir::Operation *op);
  bool printPointers(mlir::Operation *op);
  void printAtomicRmw(simt::AtomicRmwOp op);
  /// The old elements of one access.
  Values atomicAccess(simt::AtomicRmwOp op, llvm::Value *offset, llvm::ArrayRef<llvm::Value *> values);
  void printAtomicCas(simt::AtomicCasOp op);
  Values loadPiece(llvm::Value *address, unsigned count, llvm::Type *element);
  void storePiece(llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements);
  Values shuffle(simt::ShuffleOp op);
  /// Phis at the beginning of the current block for loop-carried values in the form of `packAll`; their values from
  /// block `from` are `initial`.
  llvm::SmallVector<Values> makePhis(mlir::ValueRange like, llvm::ArrayRef<Values> initial, llvm::BasicBlock *from);
  void addIncoming(llvm::ArrayRef<Values> phis, llvm::ArrayRef<Values> values, llvm::BasicBlock *from);
  llvm::SmallVector<Values> getAll(mlir::ValueRange values) const;
  bool travelsPacked(mlir::Type type) const;
  llvm::SmallVector<Values> packAll(mlir::ValueRange values);

  mlir::func::FuncOp kernel_;
  std::string target_;
  int64_t warpSize_;
  std::unique_ptr<llvm::Module> module_;
  llvm::Function *function_ = nullptr;
  std::unique_ptr<SourceLines> lines_;
  llvm::BasicBlock *entry_ = nullptr;
  llvm::GlobalVariable *shared_ = nullptr;
  llvm::DenseMap<mlir::Value, Values> values_;
  llvm::SmallPtrSet<mlir::Operation *, 8> printed_;           // before their turn, which has not come yet
  llvm::SmallDenseMap<mlir::Value, mlir::Operation *> boxed_; // descriptor -> the first op that copies a box with it
  Region region_;
  llvm::Value *threadId_ = nullptr, *warpId_ = nullptr, *laneId_ = nullptr; // of the kernel, at its entry
  llvm::SmallVector<llvm::Argument *, 6> gridArguments_;                    // grid base, then grid size; or empty
  llvm::Argument *printBuffer_ = nullptr; // null: the kernel neither prints nor asserts
};

} // namespace tegula::llvmir
