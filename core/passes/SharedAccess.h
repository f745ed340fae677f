// What a kernel does with shared memory: every access, the bytes it may touch, and which pairs of accesses may meet.
// Shared by the passes that place buffers and order accesses; those that order see accesses of global memory beside
// them.
#pragma once

#include "core/passes/GlobalAccess.h"
#include "core/passes/ThreadValues.h"

#include "llvm/ADT/BitVector.h"

namespace tegula::simt {

/// When an access happens: at its op, or at any time until a wait for its kind.
enum class AccessKind : uint8_t { Ordinary, AsyncLoad, AsyncStore, AsyncMatmul, TileLoad };

struct SharedAccess {
  mlir::Operation *op = nullptr;
  SharedAllocOp buffer;       // null: could be any
  int64_t begin = 0, end = 0; // bytes within the buffer
  bool exact = false;         // `begin` is where the view is, not only a bound
  bool writes = false;
  AccessKind kind = AccessKind::Ordinary;
  std::optional<GlobalAccess> global = {}; // it is one of global memory: what stands above does not matter
};

/// A buffer that a value may be a view of, and the bytes of it that the view may touch.
struct ViewRoot {
  SharedAllocOp buffer; // null: could be any
  int64_t begin = 0, end = 0;
  bool exact = false;
};

/// Values that may arrive in `value`, a loop's, branch's or group's; false where it is something else.
bool arriving(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &from);

/// Follows stages, parts and transposes to the allocation, through loops, branches and captures of warp groups.
llvm::SmallVector<ViewRoot> viewRoots(mlir::Value view);

/// The kind of access that this op waits for; none where it is no wait.
std::optional<AccessKind> waitedKind(mlir::Operation *op);
/// Whether none of that kind are under way behind this wait.
bool waitsForAll(mlir::Operation *op);
/// Whether the threads of the region that `branch` stands in surely go the same way through it.
bool allAgree(mlir::Operation *branch);
/// A barrier of all threads of its region.
bool isRegionBarrier(mlir::Operation *op);
/// Whether the body of a loop surely runs, by constant bounds.
bool surelyRuns(mlir::Operation *loop);
/// The blocks whose accesses barriers of the region order: the kernel's, and those of warp groups; without those that
/// wait on barrier objects, which order themselves.
llvm::SmallVector<mlir::Block *> barrierScopes(mlir::func::FuncOp kernel);

class SharedAccesses {
public:
  /// With those of global memory, or without.
  explicit SharedAccesses(mlir::func::FuncOp kernel, bool withGlobal = false);
  ~SharedAccesses();
  SharedAccesses(const SharedAccesses &) = delete;

  /// In the order of the text.
  llvm::ArrayRef<SharedAccess> all() const { return accesses_; }
  /// Numbers of the accesses of one op, [first, second).
  std::pair<unsigned, unsigned> of(mlir::Operation *op) const;
  /// Compares all pairs, before anyone asks for them below.
  void findConflicts();
  /// Whether two threads may touch a byte, one by each access, and one of the accesses writes. An access conflicts with
  /// itself where different threads write a byte each time that it runs. Not where it is proven that each byte is
  /// touched by one and the same thread; the proof evaluates offsets that depend on thread numbers only.
  bool mayConflict(unsigned a, unsigned b) const { return conflicts_[a].test(b); }
  /// All that `a` conflicts with.
  const llvm::BitVector &conflictsOf(unsigned a) const { return conflicts_[a]; }

  /// Bytes of its buffer that an access surely touches if all threads do it: one flag a byte. None where not known.
  std::optional<llvm::BitVector> touchedBytes(unsigned a);

private:
  struct Owners;
  const Owners *owners(unsigned a);
  bool findOwners(const SharedAccess &access, Owners &made);
  bool overlap(const SharedAccess &a, const SharedAccess &b) const;
  bool differentThreads(unsigned a, unsigned b);
  void collect(mlir::Operation *op);

  ThreadValues values_;
  bool withGlobal_;
  int64_t granule_ = 4; // bytes: the narrowest element of a buffer, at most 4
  int64_t effort_ = 0;  // granules compared so far
  std::vector<SharedAccess> accesses_;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> ofOp_;
  std::vector<llvm::BitVector> conflicts_;
  std::vector<std::unique_ptr<Owners>> owners_;
};

} // namespace tegula::simt
