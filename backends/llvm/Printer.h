// Translates a simt kernel to LLVM IR, for the targets that LLVM generates code for: one walk that emits with
// IRBuilder. This room holds the code that these targets have in common; a target's own printer overrides hooks for the
// differences, and no vendor is named here. A printer makes no decisions: passes have made the module fit the target,
// and for an op that does not fit the printer reports a located error.
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

/// The LLVM values of one value of the simt level: one for each element of a register tile; a single one for a scalar,
/// an address or a descriptor.
using Values = llvm::SmallVector<llvm::Value *, 4>;

// Address spaces, which are equal for all targets of this room.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

/// An access of global memory: `bytes` (1, 2, 4, 8 or 16) bytes at `address`, which is aligned to this size.
struct GlobalAccess {
  llvm::Value *address = nullptr; // in the global address space
  unsigned bytes = 0;
  llvm::Value *mask = nullptr; // i1; null: unconditional
  tile::CacheModifier cache = tile::CacheModifier::None;
  tile::EvictionPolicy eviction = tile::EvictionPolicy::Normal;
  bool isVolatile = false;
  mlir::Operation *op = nullptr; // for messages
};

/// A load, split into pieces of `elements` elements (up to 16 bytes), each of which one instruction loads. The elements
/// at one offset of simt.load are `ofOffset` consecutive pieces.
struct LoadPieces {
  simt::LoadOp op;
  llvm::Type *element = nullptr;
  unsigned elementBytes = 0;
  unsigned elements = 0, ofOffset = 0;
  llvm::Value *base = nullptr;
  Values offsets;       // in elements
  Values masks, others; // one mask for each offset (empty: none), one element for each of the result (empty: zeros)
};

/// Returns the kernel argument that `value` is, or that simt.warp_groups passes on as `value` to the regions of its
/// groups; null if `value` is neither.
mlir::BlockArgument kernelArgument(mlir::Value value);

/// The struct type of a descriptor parameter that is passed in parts: address, extents, strides, and a word that is 1
/// if padding is NaN. `type`: the parameter's !tile.desc type.
llvm::StructType *descriptorParts(llvm::IRBuilder<> &b, mlir::Type type);

/// The op's fast-math flags; none if the op has no such attribute.
mlir::arith::FastMathFlags fastMathOf(mlir::Operation *op);

class Printer {
public:
  /// `target`: the target's name in messages, such as "sm_90a". The kernel must have passed the verifier.
  Printer(llvm::LLVMContext &context, mlir::func::FuncOp kernel, std::string target);
  virtual ~Printer();
  Printer(const Printer &) = delete;
  Printer &operator=(const Printer &) = delete;

  /// Prints the kernel and sets the artifact's threads, shared bytes, cluster size and hidden arguments. Throws
  /// tegula::Error, located, for an op that the target cannot execute. Must be called only once.
  std::unique_ptr<llvm::Module> print(Artifact &artifact);

  llvm::IRBuilder<> b; // used by all files of the printer

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
  /// Throws if the kernel's programs have more threads than the target allows.
  void needThreads(int64_t most) const;
  [[noreturn]] void failMissing(mlir::Operation *op) const;

  llvm::BasicBlock *newBlock(const llvm::Twine &name);
  /// Packs `elements` (8, 16, 32 or 64 bits each) into 32-bit words, the first element lowest; `unpack` is the inverse.
  Values pack(llvm::ArrayRef<llvm::Value *> elements);
  Values unpack(llvm::ArrayRef<llvm::Value *> words, llvm::Type *element);
  /// toMemory converts an element to its form in memory, an integer of its width (i1: of 8 bits); fromMemory is the
  /// inverse.
  llvm::Value *toMemory(llvm::Value *element);
  llvm::Value *fromMemory(llvm::Value *integer, llvm::Type *element);

  /// Calls an LLVM intrinsic that is overloaded on `types`.
  llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::ArrayRef<llvm::Type *> types = {});
  /// Combines two elements by the operation of a reduction of this kind.
  llvm::Value *combine(simt::CombineKind kind, llvm::Value *left, llvm::Value *right);

  /// True if a descriptor parameter holds its parts (Artifact.h); false if it holds an encoded descriptor for copies of
  /// boxes.
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
  /// A pointer to byte `bytes` of the kernel's shared memory.
  llvm::Value *sharedAddress(int64_t bytes);
  /// A pointer to an element of a view; `offset` is an i32 in elements of the view's storage.
  virtual llvm::Value *sharedElement(mlir::Value view, llvm::Value *offset);

protected:
  // --- hooks for the differences between targets ---
  /// Sets calling convention, required threads and register caps of the function, which already has its parameters.
  virtual void declareKernel() = 0;
  /// The form of the line tables that the target's code generator writes.
  virtual SourceLines::Kind lineKind() const = 0;
  /// descriptorParameter returns the type of a kernel parameter that holds an encoded descriptor (for tensor copies of
  /// boxes). describeParameter adds the target's attributes to a parameter of any type.
  virtual llvm::Type *descriptorParameter(mlir::Operation *op) = 0;
  virtual void describeParameter(llvm::Argument *, mlir::Type) {}
  /// Marks a pointer parameter as one that passes a structure of type `held` by value.
  virtual void passByValue(llvm::Argument *argument, llvm::Type *held) = 0;
  /// The address space of a descriptor parameter's pointer.
  virtual unsigned descriptorSpace() const { return 0; }
  virtual llvm::Value *kernelThreadId() = 0;
  /// The program's index along axis 0, 1 or 2 of the launch, and the launch's extent along the axis.
  virtual llvm::Value *launchProgram(unsigned axis) = 0;
  virtual llvm::Value *launchPrograms(unsigned axis) = 0;
  /// The first axis along which a grid that exceeds the device's limits is split into several launches. A kernel that
  /// reads its position along this or a higher axis gets the position in the whole grid as hidden arguments.
  virtual unsigned firstSplitAxis() const = 0;
  /// Permutes the programs along an axis: returns the program's index for position `place` of the launch (the last
  /// parameter: the axis's extent). The default changes nothing. It is called only in kernels that get their position
  /// in the whole grid as hidden arguments.
  virtual llvm::Value *programAt(unsigned, llvm::Value *place, llvm::Value *) { return place; }
  /// Returns `value`, which is equal in all lanes, in a form that LLVM treats as uniform.
  virtual llvm::Value *readFirstLane(llvm::Value *value) = 0;
  /// Combines four bytes, the lowest first, to a 32-bit word by one instruction that selects bytes of two words. Null
  /// if the target has no such instruction, or if the bytes are not parts of at most two words.
  virtual llvm::Value *gatherBytes(llvm::ArrayRef<llvm::Value *>) { return nullptr; }
  /// Reads a 32-bit word of another lane; `mode` and `lane` have the meaning that they have in simt.shuffle.
  virtual llvm::Value *shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) = 0;
  virtual llvm::Value *vote(simt::VoteKind kind, llvm::Value *predicate) = 0;
  virtual llvm::Value *elect() = 0;
  /// Returns the same float, in a form that LLVM's analyses cannot see through.
  virtual llvm::Value *opaque(llvm::Value *value) = 0;
  /// A barrier of all warps of the region; if warps > 0, a barrier of each aligned set of `warps` warps.
  virtual void barrier(mlir::Operation *op, int64_t warps) = 0;
  virtual void fence(simt::FenceKind kind) = 0;
  /// Prints a load or store that has a mask or cache hints; an access without both is emitted by the printer itself.
  /// The loaded or stored value is a list of 32-bit words, or one integer of 8 or 16 bits. `other`: the result of a
  /// load whose mask is false; if it is empty, that result is undefined.
  virtual Values loadGlobal(const GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) = 0;
  virtual void storeGlobal(const GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) = 0;
  /// Prints the load, and possibly some later loads together with it, by instructions that only this target has.
  /// Returns false if it printed nothing, so that the printer must print the load.
  virtual bool printTargetLoad(simt::LoadOp) { return false; }
  /// Prints one element of an op of math or arith by the target's own instructions. Null if the printer is to use
  /// LLVM's lowering instead.
  virtual llvm::Value *targetElement(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands) = 0;
  /// Prints all elements of an op of math or arith together, if that is cheaper. Empty if the printer is to print them
  /// one by one, by targetElement.
  virtual Values targetElements(mlir::Operation *) { return {}; }
  /// Prints all elements of tile.fp_cast, arith.extf or arith.truncf, and returns the results. Returns an empty list if
  /// the target has no instruction for the cast: the printer then uses LLVM's lowering or, for 8-bit floats, integer
  /// arithmetic.
  virtual Values castFloats(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> from) = 0;
  /// Prints the atomic for one element and returns the element's old value. `operation` and `order` are the op's kind
  /// and memory order in LLVM's terms.
  virtual llvm::Value *atomicRmw(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                                 llvm::Value *value, llvm::AtomicOrdering order) = 0;
  /// Prints one atomic instruction that changes all neighbouring elements of an access, and returns their old values.
  /// Returns an empty list if the target has no such instruction.
  virtual Values atomicNeighbours(simt::AtomicRmwOp, llvm::AtomicRMWInst::BinOp, llvm::Value *,
                                  llvm::ArrayRef<llvm::Value *>, llvm::AtomicOrdering) {
    return {};
  }
  /// Prints a compare-and-swap and returns the old value; all values are integers.
  virtual llvm::Value *atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected, llvm::Value *value,
                                 llvm::AtomicOrdering order) = 0;
  /// Requests the warp group's register budget; called at the beginning of its region.
  virtual void setRegisters(int64_t registers) = 0;
  /// Prints matrix products, asynchronous copies and barrier objects. False: the target does not have the op.
  virtual bool printTargetOp(mlir::Operation *op) = 0;

  // --- for targets that print loads themselves ---
  LoadPieces piecesOf(simt::LoadOp op);
  /// Loads the pieces one after another by loadGlobal; returns the words of each piece.
  llvm::SmallVector<Values> loadWords(const LoadPieces &pieces);
  void setLoaded(const LoadPieces &pieces, llvm::ArrayRef<Values> words);
  /// Prints an op before the walk over the kernel reaches it. A target may call this, while it prints an op, for ops
  /// that follow in the block.
  void printEarly(mlir::Operation *op);
  /// Marks an op that was printed earlier than the walk over the kernel reaches it, so that the walk does not print it
  /// again.
  void markPrinted(mlir::Operation *op) { printed_.insert(op); }

private:
  void createFunction(Artifact &artifact);
  void findBoxedDescriptors();
  /// Returns a value that is computed once, at the kernel's entry. If `cache` is null, emits the computation there by
  /// `body()` and stores the value in `cache`; otherwise returns `cache`.
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
  /// Loads the pieces one after another by loadGlobal, and calls take(words) for each.
  void loadEach(const LoadPieces &pieces, llvm::function_ref<void(const Values &)> take);
  void printStore(simt::StoreOp op);
  void printSharedLoad(simt::SharedLoadOp op);
  void printSharedStore(simt::SharedStoreOp op);
  void printPart(simt::PartOp op);
  void printDescriptorPart(mlir::Operation *op);
  bool printPointers(mlir::Operation *op);
  void printAtomicRmw(simt::AtomicRmwOp op);
  /// Prints an atomic at one offset of the op, for the neighbouring elements there, and returns their old values.
  Values atomicAccess(simt::AtomicRmwOp op, llvm::Value *offset, llvm::ArrayRef<llvm::Value *> values,
                      llvm::AtomicOrdering order);
  void printAtomicCas(simt::AtomicCasOp op);
  Values loadPiece(llvm::Value *address, unsigned count, llvm::Type *element);
  void storePiece(llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements);
  Values shuffle(simt::ShuffleOp op);
  /// Makes phis at the beginning of the current block for loop-carried values in the form of `packAll`; `initial` are
  /// their values from block `from`.
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
  llvm::SmallPtrSet<mlir::Operation *, 8> printed_;           // ops printed before their turn
  llvm::SmallDenseMap<mlir::Value, mlir::Operation *> boxed_; // descriptor -> the first op that copies a box with it
  Region region_;
  llvm::Value *threadId_ = nullptr, *warpId_ = nullptr, *laneId_ = nullptr; // within the kernel; read at its entry
  llvm::SmallVector<llvm::Argument *, 6> gridArguments_;                    // grid base, then grid size; may be empty
  llvm::Argument *printBuffer_ = nullptr; // null: the kernel neither prints nor asserts
};

} // namespace tegula::llvmir
