// Translates a simt kernel to SPIR-V in one walk that emits with spirv::Builder. This room holds the code that is the
// same on every device of a profile. A printer makes no decisions: passes have made the module fit the target, and for
// an op that does not fit the printer reports a located error. Class Scalars does arithmetic on single elements; this
// class translates ops.
#pragma once

#include "backends/vulkan/KernelFrame.h"
#include "backends/vulkan/codegen/Scalars.h"
#include "backends/vulkan/codegen/SharedPlan.h"
#include "core/contracts/Artifact.h"
#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace tegula::vulkan {

using Id = spirv::Id;
/// The ids of one value of the simt level. A register tile has one id for each element. A pointer is a 64-bit address.
/// A view of shared memory is a 32-bit index: the position of its first element, in elements of the view, from the
/// beginning of its storage. A fragment is a cooperative matrix.
using Values = std::vector<Id>;

/// True if the loop contains matrix instructions.
bool hasProducts(mlir::scf::ForOp loop);

class Printer {
public:
  /// The kernel must have passed the verifier.
  Printer(mlir::func::FuncOp kernel, const Profile &profile);
  Printer(const Printer &) = delete;

  /// Prints the kernel and sets the artifact's binary, threads, shared bytes and hidden arguments. Throws
  /// tegula::Error, located, for an op that the profile cannot execute. Must be called only once.
  void print(Artifact &artifact);

private:
  // --- values ---
  const Values &get(mlir::Value value) const { return values_.at(value); }
  Id one(mlir::Value value) const { return values_.at(value).front(); }
  void set(mlir::Value value, Values elements);
  void set(mlir::Value value, Id single) { set(value, Values{single}); }
  /// The scalar type of a number or of a tile's elements. Throws a located error for a type that registers cannot hold.
  ScalarType scalarOf(mlir::Value value) const;
  ScalarType numberOf(mlir::Operation *op, mlir::Type type) const;
  Id u32(int64_t value) { return m.constantU32(uint32_t(value)); }
  Id add(Id x, Id y) { return scalars.add(x, y); }
  Id mul(Id x, Id y) { return scalars.mul(x, y); }

  [[noreturn]] void fail(mlir::Operation *op, const llvm::Twine &message) const;
  [[noreturn]] void failMissing(mlir::Operation *op) const;
  /// Throws if the profile does not have a feature that the op needs.
  void need(mlir::Operation *op, Feature feature);

  void printBlock(mlir::Block &block);
  /// Called when `op` has been printed (for the kernel: when its arguments have been declared). Records the op as the
  /// first user of each capability that the module has declared since the previous call, unless the profile promises
  /// the capability.
  void noteNeeds(mlir::Operation *op);
  void printOp(mlir::Operation *op);
  /// The source line of `location`. OpLine cannot express call sites, so an inlined call gets the innermost location.
  /// Empty if the location is unknown.
  spirv::SourceLine sourceLine(mlir::Location location);
  // Each function prints one family of ops, in a file of its own, and returns true if the op belongs to the family.
  bool printControl(mlir::Operation *op);
  bool printElementwise(mlir::Operation *op);
  bool printRegisters(mlir::Operation *op);
  bool printThreads(mlir::Operation *op);
  bool printMemory(mlir::Operation *op);
  bool printShared(mlir::Operation *op);
  bool printAtomics(mlir::Operation *op);
  bool printMatrix(mlir::Operation *op);

  // Control.cpp
  void printFor(mlir::scf::ForOp loop);
  void printIf(mlir::scf::IfOp branch);
  void printWhile(mlir::scf::WhileOp loop);
  /// The ids that a loop or branch carries for the values: one for each element, or for narrow elements one for each
  /// 32-bit word.
  Values flatten(mlir::ValueRange values);
  /// The inverse of flatten. A view of shared memory keeps the storage of the corresponding value in `sources`.
  void unflatten(mlir::ValueRange values, const Values &ids, mlir::ValueRange sources);
  bool isCarriedInWords(mlir::Value value) const;
  void checkMeeting(mlir::Operation *op, mlir::ValueRange some, mlir::ValueRange others) const;

  // Elementwise.cpp
  void readZero();
  Id zero(ScalarType type);
  void printConstant(mlir::arith::ConstantOp op);
  void printCompare(mlir::Operation *op);
  Id element(mlir::Operation *op, llvm::ArrayRef<Id> operands, ScalarType from, ScalarType to);
  static Id combine(Scalars &scalars, simt::CombineKind kind, ScalarType type, Id left, Id right);

  // Registers.cpp
  void printDescriptorPart(mlir::Operation *op);
  void printReduceRegisters(simt::ReduceRegistersOp op);

  // Threads.cpp
  void readIds();
  void printShuffle(simt::ShuffleOp op);
  void printBarrier(simt::BarrierOp op);
  /// Throws a located error if the profile's subgroup size is not the kernel's warp size.
  void needSubgroups(mlir::Operation *op, Feature feature);

  // Memory.cpp: elements of 32 bits or more are loaded and stored as vectors; narrow elements are packed into words.
  void printLoad(simt::LoadOp op);
  void printStore(simt::StoreOp op);
  Id elementAddress(Id base, Id offset, uint32_t bytes);
  /// Computes one address for each offset. The constant part of an offset is added last, so that drivers fold it into
  /// the access instruction.
  Values elementAddresses(mlir::Value base, mlir::Value offsets, uint32_t bytes);
  /// True if a masked load of single words becomes a branch around the load. That is faster if the driver turns the
  /// branch into a predicate. In a loop with matrix instructions it is slower: the branch keeps the load from being
  /// interleaved with them.
  bool branchesAround(simt::LoadOp op) const;
  Values loadPiece(Id address, uint32_t count, ScalarType type, const spirv::Access &how);
  void storePiece(Id address, llvm::ArrayRef<Id> elements, ScalarType type, const spirv::Access &how);
  /// If the profile cannot access single elements of a type (Loops.h), they are read from the 32-bit word that contains
  /// them, and written by an exchange of this word.
  std::pair<Id, Id> wordAround(Id address); // the word's address, and the element's bit offset in it
  Values loadFromWord(Id address, uint32_t count, ScalarType type, spirv::Access how);
  void storeToWord(Id address, llvm::ArrayRef<Id> elements, ScalarType type);
  /// memoryType: the type of an element in memory, where i1 is a byte. toMemory converts an element to this type;
  /// fromMemory is the inverse. Only for types whose width registers can hold.
  Id memoryType(ScalarType type);
  Id toMemory(ScalarType type, Id element);
  Id fromMemory(ScalarType type, Id element);
  /// pack packs narrow elements into 32-bit words, the first element lowest; unpack is the inverse. pack of all
  /// elements that unpack made of one word returns this word.
  Values pack(llvm::ArrayRef<Id> elements, ScalarType type);
  Values unpack(llvm::ArrayRef<Id> words, uint32_t count, ScalarType type);
  Id transposedWord(llvm::ArrayRef<Id> bytes, ScalarType type);

  // Shared.cpp
  struct View {
    const SharedPlan::Storage *storage = nullptr;
  };
  void printPart(simt::PartOp op);
  void printSharedLoad(simt::SharedLoadOp op);
  void printSharedStore(simt::SharedStoreOp op);
  const SharedPlan::Storage &storageOf(mlir::Value view) const { return *views_.at(view).storage; }
  void setView(mlir::Value view, const SharedPlan::Storage &storage, Id element);
  /// A pointer to element `index` of the storage, treated as an array of `type`.
  Id sharedPointer(const SharedPlan::Storage &storage, Id type, Id index);
  bool hasWordEach(const SharedPlan::Storage &storage) const;
  /// The index of an element of a shared array: the run-time value `base` plus the constant `step`.
  struct Index {
    Id base = 0;
    uint32_t step = 0;
  };
  /// For each of `offsets`: the index, in the view's storage, of the element with which an access to the view at that
  /// offset begins.
  std::vector<Index> indices(mlir::Value view, mlir::Value offsets);
  Id indexOf(Index index, uint32_t more = 0);
  /// Converts the index of an element to the index of the vector that begins with it, in the same array seen as vectors
  /// of `count` elements (a power of two), which are `bytes` bytes.
  Id vectorIndex(Index index, uint32_t count, uint32_t bytes);
  Values loadShared(const SharedPlan::Storage &storage, Index index, uint32_t width, ScalarType type);
  void storeShared(const SharedPlan::Storage &storage, Index index, llvm::ArrayRef<Id> elements, ScalarType type);

  // Atomics.cpp
  void printAtomicRmw(simt::AtomicRmwOp op);
  void printAtomicCas(simt::AtomicCasOp op);
  struct AtomicPlace {
    Id address = 0;
    spv::Scope scope = spv::Scope::Device;
    spv::MemorySemanticsMask semantics = spv::MemorySemanticsMask::MaskNone;
  };
  AtomicPlace atomicPlace(tile::MemoryOrder order, tile::Scope scope, Id address);
  Id atomicBits(ScalarType type, Id value);
  Id atomicRmw(const AtomicPlace &place, tile::AtomicKind kind, ScalarType type, Id value);
  Id atomicCas(const AtomicPlace &place, ScalarType type, Id expected, Id value);
  Id loopOfCas(const AtomicPlace &place, uint32_t bits, const std::function<Id(Id old)> &next);
  Id loopOfCas(const AtomicPlace &place, ScalarType type, const std::function<Id(Id old)> &next);

  // Matrix.cpp
  Id fragmentType(mlir::Operation *op, simt::FragmentType type);
  Id fragmentPointer(mlir::Operation *op, mlir::Value memory, Id offset, ScalarType type, spirv::Access &access);
  Id componentType(ScalarType type);
  Id fragmentVariable(Id type);
  void printFragmentMma(simt::FragmentMmaOp op);
  Id combineFunction(simt::CombineKind kind, ScalarType type);
  Id placeFunction();
  void printCoordinates(simt::FragmentCoordinatesOp op);

  mlir::func::FuncOp kernel_;
  const Profile &profile_;
  std::string target_;
  int64_t warps_, warpSize_;
  spirv::Module m;
  spirv::Builder b;
  Scalars scalars;
  SharedPlan shared_;
  std::unique_ptr<KernelFrame> frame_;
  llvm::DenseMap<mlir::Value, Values> values_;
  llvm::DenseMap<mlir::Value, View> views_;
  std::map<std::pair<const SharedPlan::Storage *, Id>, Id> sharedVariables_;
  bool usesSubgroups_ = false;
  std::set<spv::Capability> noted_;
  std::vector<KernelBinary::Need> needs_;
  std::map<Id, Id> fragmentVariables_; // type -> variable
  std::map<std::pair<simt::CombineKind, ScalarType>, Id> combineFunctions_;
  Id placeFunction_ = 0;
  struct Place {
    Id word = 0;
    uint32_t number = 0;
    ScalarType type = ScalarType::I8;
  };
  llvm::DenseMap<Id, Place> unpacked_; // an unpacked element -> its position in a word
  Id thread_ = 0, lane_ = 0, warp_ = 0, safe_ = 0, zero_ = 0;
  Id unknownZero_ = 0; // a zero word that drivers cannot prove to be zero
  Id evenBytes_ = 0;   // 0x00ff00ff, unknown to drivers, too; only in kernels that permute bytes
};

} // namespace tegula::vulkan
