// The accesses of a kernel to shared memory: the bytes that each may touch, and the pairs that conflict. For the passes
// that assign places to buffers, and the passes that order accesses; the latter also find accesses to global memory in
// this list.
#pragma once

#include "core/passes/shared/GlobalAccess.h"
#include "core/passes/shared/ThreadValues.h"

#include "llvm/ADT/BitVector.h"

#include <map>

namespace tegula::simt {

/// When an access happens. Ordinary: when its op executes. Async...: at any time until a wait for that kind. TileLoad:
/// at any time until each thread's wait on its barrier object.
enum class AccessKind : uint8_t { Ordinary, AsyncLoad, AsyncStore, AsyncMatmul, TileLoad };

struct SharedAccess {
  mlir::Operation *op = nullptr;
  SharedAllocOp buffer;       // null: any buffer
  int64_t begin = 0, end = 0; // bytes within the buffer
  bool exact = false;         // true: the view begins exactly at `begin`; false: `begin` is a lower bound
  bool writes = false;
  AccessKind kind = AccessKind::Ordinary;
  std::optional<GlobalAccess> global = {}; // for an access to global memory, which does not use buffer, begin and end
};

/// A buffer that a value may be a view of, and the bytes of the buffer that the view may touch.
struct ViewRoot {
  SharedAllocOp buffer; // null: any buffer
  int64_t begin = 0, end = 0;
  bool exact = false;
};

/// Returns whether `value` is an argument or a result of a loop, branch, warp group or producer. If it is, appends the
/// values that flow into it to `from`.
bool arriving(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &from);

/// The buffers that `view` may be a view of: follows stages, parts and transposes to the allocation, through loops,
/// branches and captures of warp groups.
llvm::SmallVector<ViewRoot> viewRoots(mlir::Value view);

/// The kind of access that this op waits for; nothing if the op is not a wait. Waits on barrier objects do not count:
/// each thread that reads data that hardware copied has itself waited for the copy, so no barrier is needed between.
std::optional<AccessKind> waitedKind(mlir::Operation *op);
/// Whether no access of the waited kind is still in flight after this wait.
bool waitsForAll(mlir::Operation *op);
/// The ops that may have allocated an array of barrier objects.
llvm::SmallVector<mlir::Operation *> objectsOf(mlir::Value barriers);
/// Whether the op, or an op nested in it, ends the use of the barrier objects: no copy that arrives at them is then in
/// flight.
bool endsTileLoads(mlir::Operation *op, mlir::Value barriers);
/// Whether all threads of the region around `branch` provably take the same way through it.
bool allAgree(mlir::Operation *branch);
/// Whether the op is a barrier of all threads of its region.
bool isRegionBarrier(mlir::Operation *op);
/// Whether the op is a barrier within each set of warps.
bool isSetBarrier(mlir::Operation *op);
/// Whether constant bounds prove that the body of a loop runs at least once.
bool surelyRuns(mlir::Operation *loop);
/// The blocks in which simt.barrier orders accesses: the kernel's body and the regions of warp groups. Excluded are
/// blocks with a barrier object at which threads arrive (simt.barrier_arrive): such code orders its accesses by these
/// objects. A block whose barrier objects only count copies by hardware is included, because these objects order
/// nothing but the copies. So is a block with a simt.producer, whose objects order nothing but the producer's copies
/// and the products that read them.
llvm::SmallVector<mlir::Block *> barrierScopes(mlir::func::FuncOp kernel);

class SharedAccesses {
public:
  /// Collects all accesses to shared memory; with `withGlobal` also those to global memory.
  explicit SharedAccesses(mlir::func::FuncOp kernel, bool withGlobal = false);
  ~SharedAccesses();
  SharedAccesses(const SharedAccesses &) = delete;

  /// The accesses, in source order.
  llvm::ArrayRef<SharedAccess> all() const { return accesses_; }
  /// The numbers of the accesses of one op, as the range [first, second).
  std::pair<unsigned, unsigned> of(mlir::Operation *op) const;
  /// Compares all pairs of accesses; must be called before mayConflict and conflictsOf.
  void findConflicts();
  /// Whether accesses `a` and `b` may conflict: two different threads touch the same byte, one by access `a` and the
  /// other by access `b`, and at least one of the two accesses writes. An access conflicts with itself if different
  /// threads write one byte in different executions of it. False if each byte is provably touched by the same thread in
  /// both accesses; the proof evaluates offsets that depend on thread numbers only.
  bool mayConflict(unsigned a, unsigned b) const { return conflicts_[a].test(b); }
  /// All accesses that `a` conflicts with.
  const llvm::BitVector &conflictsOf(unsigned a) const { return conflicts_[a]; }
  /// The accesses that `a` conflicts with only if an iteration of a loop ends between them (changesWith).
  const llvm::BitVector &conflictsAcrossIterations(unsigned a) const { return acrossIterations_[a]; }
  /// The accesses that `a` conflicts with only within sets of kSetWarps warps: threads of two different sets touch
  /// different bytes.
  const llvm::BitVector &conflictsInSets(unsigned a) const { return inSets_[a]; }

  /// The bytes of its buffer that an access touches if all threads execute it, as one flag for each byte. Nothing if
  /// they are not known.
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
  int64_t granule_ = 4; // unit of comparison in bytes: the narrowest element of a buffer, at most 4
  int64_t effort_ = 0;  // number of granules compared so far
  std::vector<SharedAccess> accesses_;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> ofOp_;
  std::vector<llvm::BitVector> conflicts_, acrossIterations_, inSets_;
  std::vector<std::unique_ptr<Owners>> owners_, owningSets_;
};

} // namespace tegula::simt
