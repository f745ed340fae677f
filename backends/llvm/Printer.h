// From a simt kernel to LLVM IR, for the targets that LLVM generates code for: one walk that emits with IRBuilder. What
// may enter this room: what those targets share. What differs is a hook that the target's own printer overrides; no
// vendor is named here. A printer decides nothing: passes have made the module fit the target, and what does not fit is
// a located message.
#pragma once

#include "core/ir/Simt.h"
#include "core/runtime/Artifact.h"
#include "core/support/Diagnostic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tegula::llvmir {

/// A value of the simt level: the elements of a register tile one by one; a scalar, an address or a descriptor is one.
using Values = llvm::SmallVector<llvm::Value *, 4>;

// Address spaces, the same for all targets here.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

/// An access of global memory: `bytes` (1, 2, 4, 8 or 16) at `address`, aligned to them.
struct GlobalAccess {
  llvm::Value *address = nullptr; // in the global address space
  unsigned bytes = 0;
  llvm::Value *mask = nullptr; // i1; null: always
  tile::CacheModifier cache = tile::CacheModifier::None;
  tile::EvictionPolicy eviction = tile::EvictionPolicy::Normal;
  bool isVolatile = false;
  mlir::Operation *op = nullptr; // for messages
};

/// The kernel's argument that a value is, through the arguments of groups; null where it is none.
mlir::BlockArgument kernelArgument(mlir::Value value);

/// What the parameter of a descriptor that is passed in parts holds: address, extents, strides, whether it pads with
/// NaN.
llvm::StructType *descriptorParts(llvm::IRBuilder<> &b, mlir::Type type);

/// What an op's results may differ by from exact arithmetic; none where it does not say.
mlir::arith::FastMathFlags fastMathOf(mlir::Operation *op);

class Printer {
public:
  /// `target` as messages name it: "sm_90a". The kernel is verified.
  Printer(llvm::LLVMContext &context, mlir::func::FuncOp kernel, std::string target);
  virtual ~Printer();
  Printer(const Printer &) = delete;
  Printer &operator=(const Printer &) = delete;

  /// Prints the kernel, and fills in what only the printer knows: threads, shared bytes, cluster, hidden arguments.
  /// Throws tegula::Error, located, for what the target cannot do. Call it once.
  std::unique_ptr<llvm::Module> print(Artifact &artifact);

  llvm::IRBuilder<> b; // every file of a printer emits through it

  // --- values ---
  const Values &get(mlir::Value value) const { return values_.at(value); }
  /// Of what is one value: a scalar, an address, a descriptor.
  llvm::Value *one(mlir::Value value) const { return values_.at(value).front(); }
  void set(mlir::Value value, Values elements);
  void set(mlir::Value value, llvm::Value *single) { set(value, Values{single}); }

  /// What holds one element in registers: i1 is i1, an 8-bit float is i8, addresses are pointers.
  llvm::Type *elementType(mlir::Type type) const;
  llvm::ConstantInt *i32(int64_t value) { return b.getInt32(uint32_t(value)); }

  [[noreturn]] void fail(mlir::Operation *op, const llvm::Twine &message) const;
  [[noreturn]] void failMissing(mlir::Operation *op) const;

  /// `count` registers of 32 bits that hold `elements` side by side, the first one lowest, and the way back. Elements
  /// are of 8, 16, 32 or 64 bits.
  Values pack(llvm::ArrayRef<llvm::Value *> elements);
  Values unpack(llvm::ArrayRef<llvm::Value *> words, llvm::Type *element);
  /// An integer of the element's width (i1: i8), as it stands in memory, and the way back.
  llvm::Value *toMemory(llvm::Value *element);
  llvm::Value *fromMemory(llvm::Value *integer, llvm::Type *element);

  /// A call of an intrinsic of LLVM's, overloaded on `types`.
  llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::ArrayRef<llvm::Type *> types = {});
  /// Two elements combined as a reduction does.
  llvm::Value *combine(simt::CombineKind kind, llvm::Value *left, llvm::Value *right);

  /// Whether a descriptor's parameter holds its parts (Artifact.h), not what hardware copies boxes with.
  bool passedInParts(mlir::BlockArgument descriptor) const { return !boxed_.contains(descriptor); }

  // --- where the walk is ---
  /// The region being printed: the kernel, or a group of warps.
  struct Region {
    int group = -1; // index in simt.warp_groups; -1: the kernel
    int64_t firstWarp = 0, warps = 0;
  };
  const Region &region() const { return region_; }
  mlir::func::FuncOp kernel() const { return kernel_; }
  int64_t warpSize() const { return warpSize_; }
  int64_t kernelThreads() const { return simt::kernelWarps(kernel_) * warpSize_; }
  llvm::Function *function() const { return function_; }
  llvm::Module &module() const { return *module_; }

  // --- who the thread is, within the region ---
  llvm::Value *threadId();
  llvm::Value *laneId();
  llvm::Value *warpId(); // the target knows that it is the same in all lanes

  // --- shared memory ---
  /// A pointer to the first byte of all shared memory, `bytes` further.
  llvm::Value *sharedAddress(int64_t bytes);
  /// The place of element `offset` (of storage, i32) of a view.
  llvm::Value *sharedElement(mlir::Value view, llvm::Value *offset);

protected:
  // --- hooks: what differs between targets ---
  /// Calling convention, required threads, register caps. The function has its parameters.
  virtual void declareKernel() = 0;
  /// Type of the parameter of a descriptor that hardware copies boxes with; the printer adds what `describeParameter`
  /// says.
  virtual llvm::Type *descriptorParameter(mlir::Operation *op) = 0;
  virtual void describeParameter(llvm::Argument *, mlir::Type) {}
  virtual llvm::Value *kernelThreadId() = 0;
  /// Axis 0, 1, 2 of the launch's place or size.
  virtual llvm::Value *launchProgram(unsigned axis) = 0;
  virtual llvm::Value *launchPrograms(unsigned axis) = 0;
  /// Programs along axis 1 and 2 that a launch may have; above, grids are split and hidden arguments say the place.
  virtual bool splitsGrids() const = 0;
  /// A value that is the same in all lanes, made known to be.
  virtual llvm::Value *readFirstLane(llvm::Value *value) = 0;
  /// A word of another lane; `lane` as simt.shuffle has it.
  virtual llvm::Value *shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) = 0;
  virtual llvm::Value *vote(simt::VoteKind kind, llvm::Value *predicate) = 0;
  virtual llvm::Value *elect() = 0;
  /// All warps of the region, or (warps > 0) each aligned set of so many.
  virtual void barrier(mlir::Operation *op, int64_t warps) = 0;
  virtual void fence(simt::FenceKind kind) = 0;
  /// Masked or special accesses; plain ones are LLVM's. A value is words of 32 bits, or one integer of 8 or 16 bits.
  virtual Values loadGlobal(const GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) = 0;
  virtual void storeGlobal(const GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) = 0;
  /// An element of an op of math or arith that the target has its own instructions for; null: LLVM's way.
  virtual llvm::Value *targetElement(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands) = 0;
  /// tile.fp_cast, arith.extf and arith.truncf, all elements at once; none: LLVM's way. 8-bit floats have no other.
  virtual Values castFloats(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from) = 0;
  /// One element; `operation`, type, order and the op's scope are as the op says.
  virtual llvm::Value *atomicRmw(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                                 llvm::Value *value, llvm::AtomicOrdering order) = 0;
  /// The old value; all are integers.
  virtual llvm::Value *atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected, llvm::Value *value,
                                 llvm::AtomicOrdering order) = 0;
  /// The group's budget of registers, at the beginning of its region.
  virtual void setRegisters(int64_t registers) = 0;
  /// Matrix products, asynchronous copies, barrier objects. False: not an op of the target.
  virtual bool printTargetOp(mlir::Operation *op) = 0;

private:
  void createFunction(Artifact &artifact);
  void findBoxedDescriptors();
  /// Puts what `body` emits at the kernel's entry.
  template <class Body> llvm::Value *atEntry(llvm::Value *&cache, Body &&body);

  void printBlock(mlir::Block &block);
  void printOp(mlir::Operation *op);
  // Each family of ops is a file; true: printed.
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
  void printStore(simt::StoreOp op);
  void printSharedLoad(simt::SharedLoadOp op);
  void printSharedStore(simt::SharedStoreOp op);
  void printPart(simt::PartOp op);
  void printDescriptorPart(mlir::Operation *op);
  bool printPointers(mlir::Operation *op);
  void printAtomicRmw(simt::AtomicRmwOp op);
  void printAtomicCas(simt::AtomicCasOp op);
  Values loadPiece(llvm::Value *address, unsigned count, llvm::Type *element);
  void storePiece(llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements);
  Values shuffle(simt::ShuffleOp op);
  /// Phis at the beginning of the current block for values that come round, as `packAll` gives them; their first
  /// sources are `initial` from `from`.
  llvm::SmallVector<Values> makePhis(mlir::ValueRange like, llvm::ArrayRef<Values> initial, llvm::BasicBlock *from);
  void addIncoming(llvm::ArrayRef<Values> phis, llvm::ArrayRef<Values> values, llvm::BasicBlock *from);
  llvm::SmallVector<Values> getAll(mlir::ValueRange values) const;
  bool travelsPacked(mlir::Type type) const;
  llvm::SmallVector<Values> packAll(mlir::ValueRange values);
  llvm::BasicBlock *newBlock(const llvm::Twine &name);

  mlir::func::FuncOp kernel_;
  std::string target_;
  int64_t warpSize_;
  std::unique_ptr<llvm::Module> module_;
  llvm::Function *function_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr;
  llvm::GlobalVariable *shared_ = nullptr;
  llvm::DenseMap<mlir::Value, Values> values_;
  llvm::SmallDenseMap<mlir::Value, mlir::Operation *> boxed_; // descriptors and the first copy of each
  Region region_;
  llvm::Value *threadId_ = nullptr, *warpId_ = nullptr, *laneId_ = nullptr; // of the kernel, at its entry
  llvm::SmallVector<llvm::Argument *, 6> gridArguments_;                    // base, then size; empty without
  llvm::Argument *printBuffer_ = nullptr; // null: the kernel prints and asserts nothing
};

} // namespace tegula::llvmir
