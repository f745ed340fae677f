// The accesses of a kernel to shared memory: the bytes that each may touch, and which pairs conflict. Used by the
// passes that assign places and that order accesses; the latter handle accesses to global memory in the same list.
#pragma once

#include "core/passes/shared/GlobalAccess.h"
#include "core/passes/shared/ThreadValues.h"

#include "llvm/ADT/BitVector.h"

#include <map>

namespace tegula::simt {

/// When an access happens: at its op (Ordinary), or at any time until a wait for its kind; TileLoad: until each
/// thread's wait on its barrier object.
enum class AccessKind : uint8_t { Ordinary, AsyncLoad, AsyncStore, AsyncMatmul, TileLoad };

struct SharedAccess {
  mlir::Operation *op = nullptr;
  SharedAllocOp buffer;       // null: any buffer
  int64_t begin = 0, end = 0; // bytes within the buffer
  bool exact = false;         // the view begins at `begin`; else `begin` is only a lower bound
  bool writes = false;
  AccessKind kind = AccessKind::Ordinary;
  std::optional<GlobalAccess> global = {}; // set for an access to global memory: then buffer, begin, end are not used
};

/// A buffer that a value may be a view of, and the bytes of it that the view may touch.
struct ViewRoot {
  SharedAllocOp buffer; // null: any buffer
  int64_t begin = 0, end = 0;
  bool exact = false;
};

/// If `value` is an argument or result of a loop, a branch, a warp group or a producer: appends the values that flow
/// into it to `from`.
/// False for other values.
bool arriving(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &from);

/// Follows stages, parts and transposes to the allocation, through loops, branches and captures of warp groups.
llvm::SmallVector<ViewRoot> viewRoots(mlir::Value view);

/// The kind of access that this op waits for; none if the op is no wait. Waits on barrier objects are none: each thread
/// that reads what a copy by hardware wrote has waited for the copy itself, so that no barrier is needed between.
std::optional<AccessKind> waitedKind(mlir::Operation *op);
/// Whether no access of that kind is under way after this wait.
bool waitsForAll(mlir::Operation *op);
/// The allocations that an array of barrier objects may come from.
llvm::SmallVector<mlir::Operation *> objectsOf(mlir::Value barriers);
/// Whether the op, or one inside of it, ends the use of the barrier objects: no copy that arrives at them is under way.
bool endsTileLoads(mlir::Operation *op, mlir::Value barriers);
/// Whether all threads of the region around `branch` are sure to take the same way through it.
bool allAgree(mlir::Operation *branch);
/// A barrier of all threads of its region.
bool isRegionBarrier(mlir::Operation *op);
/// A barrier of each set's threads.
bool isSetBarrier(mlir::Operation *op);
/// Whether constant bounds prove that the body of a loop runs at least once.
bool surelyRuns(mlir::Operation *loop);
/// The blocks in which simt.barrier orders accesses: the kernel's body and the regions of warp groups. Left out are
/// those that use a barrier object at which some thread arrives (simt.barrier_arrive): such code orders its accesses by
/// these objects. A block whose barrier objects only count copies by hardware stays in, because these objects order
/// nothing but the copies; so does one with a simt.producer, whose objects order nothing but the producer's copies and
/// the products that read them.
llvm::SmallVector<mlir::Block *> barrierScopes(mlir::func::FuncOp kernel);

class SharedAccesses {
public:
  /// Collects all accesses to shared memory, and to global memory if `withGlobal`.
  explicit SharedAccesses(mlir::func::FuncOp kernel, bool withGlobal = false);
  ~SharedAccesses();
  SharedAccesses(const SharedAccesses &) = delete;

  /// In source order.
  llvm::ArrayRef<SharedAccess> all() const { return accesses_; }
  /// Numbers of the accesses of one op, [first, second).
  std::pair<unsigned, unsigned> of(mlir::Operation *op) const;
  /// Compares all pairs; must be called before mayConflict and conflictsOf.
  void findConflicts();
  /// Whether two different threads may touch the same byte, one by each access, and at least one access writes. An
  /// access conflicts with itself if different threads write one byte in different executions. False if it is proven
  /// that each byte is touched by the same thread in both; the proof evaluates offsets that depend on thread numbers
  /// only.
  bool mayConflict(unsigned a, unsigned b) const { return conflicts_[a].test(b); }
  /// All accesses that `a` conflicts with.
  const llvm::BitVector &conflictsOf(unsigned a) const { return conflicts_[a]; }
  /// Those of them that `a` conflicts with only within sets of kSetWarps warps: threads of two sets touch different
  /// bytes.
  const llvm::BitVector &conflictsInSets(unsigned a) const { return inSets_[a]; }

  /// The bytes of its buffer that an access touches if all threads execute it, one flag for each byte. None if not
  /// known.
  std::optional<llvm::BitVector> touchedBytes(unsigned a);

private:
  struct Owners;
  const Owners *owners(unsigned a);
  bool findOwners(const SharedAccess &access, Owners &made);
  const Owners *owningSets(unsigned a);
  bool findOwningSets(unsigned a, Owners &made);
  std::optional<std::map<llvm::SmallVector<int64_t>, int32_t>> setsOfParts(PartOp part);
  bool onlyInSets(unsigned a, unsigned b);
  bool shareGranule(unsigned a, const Owners &left, unsigned b, const Owners &right);
  bool overlap(const SharedAccess &a, const SharedAccess &b) const;
  bool differentThreads(unsigned a, unsigned b);
  void collect(mlir::Operation *op);

  ThreadValues values_;
  bool withGlobal_;
  int64_t granule_ = 4; // bytes: the narrowest element of a buffer, at most 4
  int64_t effort_ = 0;  // granules compared so far
  std::vector<SharedAccess> accesses_;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> ofOp_;
  std::vector<llvm::BitVector> conflicts_, inSets_;
  std::vector<std::unique_ptr<Owners>> owners_, owningSets_;
};

} // namespace tegula::simt
