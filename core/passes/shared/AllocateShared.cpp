// simt-allocate-shared (SimtPasses.td): assigns each shared buffer a place; buffers that are not alive at the same time
// share storage.
#include "core/ir/Locations.h"
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/shared/SharedLife.h"
#include "core/passes/shared/StorageAssignment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <numeric>

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "core/passes/SimtPasses.h.inc"

namespace {

constexpr int64_t kAlignment = 16;         // of every buffer: the bytes of the widest access
constexpr int64_t kMaxSwizzleBytes = 1024; // the longest period of a swizzle in asynchronous units

/// The number of bytes after which the buffer's swizzle repeats. Example: 1024 for rows of 128 bytes that are XORed
/// with their number mod 8.
int64_t swizzleBytes(SharedType type) {
  layout_ir::SharedAttr layout = type.getTileLayout();
  int64_t bytes = 1;
  for (unsigned bit = 0; bit < layout.getBits(); ++bit)
    if (llvm::count_if(layout.getBasis(bit), [](int64_t step) { return step != 0; }) > 1)
      bytes = (int64_t(2) << bit) * elementBytes(type.getElementType());
  return bytes;
}

/// Reports an error if a loop carries a buffer that is allocated inside it: the buffers of two iterations would be
/// alive at the same time.
LogicalResult checkHandedOn(scf::YieldOp yield) {
  Operation *loop = yield->getParentOp();
  if (!isa<scf::ForOp, scf::WhileOp>(loop))
    return success();
  for (Value value : yield.getOperands())
    if (isa<SharedType>(value.getType()))
      for (ViewRoot &root : viewRoots(value))
        if (root.buffer && loop->isAncestor(root.buffer)) {
          InFlightDiagnostic error =
              root.buffer.emitOpError("expected a buffer made in a loop to stay within its iteration, "
                                      "found it handed on to the next; make it before the loop");
          error.attachNote(yield.getLoc()) << "handed on here";
          return error;
        }
  return success();
}

/// The buffers of one kernel and their places.
class Allocation {
public:
  /// `spare`: the most bytes by which place() may exceed the smallest size to save barriers (the target's spare_bytes).
  /// `limit`: the target's shared_bytes; 0: no limit.
  Allocation(func::FuncOp kernel, bool shareWidths, int64_t spare, int64_t limit)
      : kernel_(kernel), shareWidths_(shareWidths), spare_(spare), limit_(limit) {}

  /// Finds places without changing the kernel.
  void plan() {
    SharedAccesses accesses(kernel_);
    llvm::DenseSet<Operation *> async;
    for (const SharedAccess &access : accesses.all())
      if (access.buffer && access.kind != AccessKind::Ordinary)
        async.insert(SharedAllocOp(access.buffer));
    auto lives = sharedLives(kernel_, accesses);
    for (auto &[op, life] : lives) {
      auto buffer = cast<SharedAllocOp>(op);
      if (!buffer.getOffset() && buffer->use_empty()) {
        unused_.push_back(buffer);
        continue;
      }
      StorageRequest request{buffer.getType().getBytes(), kAlignment, life.first, life.last, {}};
      // Asynchronous units swizzle by bits of the address, so the buffer must begin where the swizzle's period begins.
      // (Threads swizzle by bits of the offset within the buffer.)
      if (int64_t swizzle = swizzleBytes(buffer.getType()); async.contains(op) && swizzle <= kMaxSwizzleBytes)
        request.alignment = std::max(request.alignment, swizzle);
      if (buffer.getOffset())
        request.fixed = *buffer.getOffset();
      buffers_.push_back(buffer);
      requests_.push_back(request);
    }
    place(/*apart=*/true);
    if (limit_ != 0 && alignedTo(end(), BarriersType::kObjectBytes) + objectBytes() > limit_)
      place(/*apart=*/false);
  }

  int64_t end() const {
    int64_t end = 0;
    for (auto [request, place] : llvm::zip_equal(requests_, places_))
      end = std::max(end, place + request.bytes);
    return end;
  }

  /// Moves all buffers to the top of the kernel and sets their places. Barrier objects, which share no storage, are
  /// placed after all buffers.
  void write() {
    Block &top = kernel_.getBody().front();
    Builder builder(kernel_.getContext());
    auto offset = [&](int64_t bytes) { return builder.getI32IntegerAttr(int32_t(bytes)); };
    for (SharedAllocOp buffer : unused_)
      buffer.erase();
    unused_.clear();
    Operation *last = nullptr;
    for (auto [buffer, place] : llvm::zip(buffers_, places_)) {
      if (!buffer.getOffset()) {
        if (last)
          buffer->moveAfter(last);
        else
          buffer->moveBefore(&top, top.begin());
        last = buffer;
        buffer.setOffsetAttr(offset(place));
      }
    }
    int64_t end = sharedBytes(kernel_);
    for (auto objects : top.getOps<BarrierAllocOp>())
      if (!objects.getOffset()) {
        end = alignedTo(end, BarriersType::kObjectBytes);
        objects.setOffsetAttr(offset(end));
        end += objects.getType().getBytes();
      }
  }

  /// Reports an error if the kernel needs more than the limit. The message names the buffers that are alive where most
  /// bytes are alive, the largest first.
  LogicalResult check() {
    int64_t bytes = sharedBytes(kernel_);
    if (limit_ == 0 || bytes <= limit_)
      return success();
    SmallVector<size_t> most;
    int64_t mostBytes = -1;
    for (const StorageRequest &at : requests_) {
      SmallVector<size_t> alive;
      int64_t sum = 0;
      for (auto [i, request] : llvm::enumerate(requests_))
        if (request.first <= at.first && at.first <= request.last) {
          alive.push_back(i);
          sum += request.bytes;
        }
      if (sum > mostBytes) {
        most = alive;
        mostBytes = sum;
      }
    }
    llvm::stable_sort(most, [&](size_t a, size_t b) { return requests_[a].bytes > requests_[b].bytes; });
    tile::setShortage(kernel_, {"shared memory", static_cast<uint64_t>(bytes), static_cast<uint64_t>(limit_)});
    Operation *at = most.empty() ? kernel_.getOperation() : buffers_[most.front()].getOperation();
    InFlightDiagnostic error = emitError(at->getLoc())
                               << "kernel '" << kernel_.getName() << "' needs " << bytes
                               << " bytes of shared memory, the target has " << limit_
                               << "; use smaller blocks or fewer stages for the values named here";
    constexpr size_t kNamed = 4;
    for (size_t i : ArrayRef(most).take_front(kNamed))
      error.attachNote(buffers_[i].getLoc()) << requests_[i].bytes << " bytes for " << buffers_[i].getType();
    return error;
  }

  /// A buffer's shape and elements, such as 3x64x256xf16.
  static std::string shapeText(SharedType type) {
    std::string text;
    llvm::raw_string_ostream out(text);
    for (int64_t extent : type.getShape())
      out << extent << "x";
    out << type.getElementType();
    return text;
  }

  /// Remarks with the account of the shared memory: the sum, and the buffers that take most of it.
  void explainBudget() {
    if (buffers_.empty())
      return;
    InFlightDiagnostic remark = explain(kernel_.getLoc(), kBudgetTopic);
    remark << sharedBytes(kernel_) << " bytes of shared memory";
    if (limit_ != 0)
      remark << " of " << limit_;
    SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, buffers_.size()));
    llvm::stable_sort(order, [&](size_t a, size_t b) { return requests_[a].bytes > requests_[b].bytes; });
    constexpr size_t kNamed = 8;
    for (size_t i : ArrayRef(order).take_front(kNamed))
      remark.attachNote(buffers_[i].getLoc())
          << requests_[i].bytes << " bytes at " << places_[i] << " for " << shapeText(buffers_[i].getType());
    if (order.size() > kNamed)
      remark.attachNote(kernel_.getLoc()) << "and " << order.size() - kNamed << " smaller buffers";
  }

private:
  /// The bytes of the barrier objects that have no place yet.
  int64_t objectBytes() const {
    int64_t bytes = 0;
    for (auto objects : func::FuncOp(kernel_).getBody().front().getOps<BarrierAllocOp>())
      bytes += objects.getOffset() ? 0 : objects.getType().getBytes();
    return bytes;
  }

  /// Fills `places_`. With `apart`, buffers of one loop share no storage if that costs at most `spare_` bytes. Without
  /// `shareWidths_`, this is decided separately for each element width.
  void place(bool apart) {
    places_.assign(requests_.size(), 0);
    int64_t fixedEnd = 0, sum = 0;
    std::map<int64_t, SmallVector<size_t>> groups; // buffers that may share storage, by element width
    for (auto [i, request] : llvm::enumerate(requests_)) {
      sum = alignedTo(sum, request.alignment) + request.bytes;
      if (request.fixed)
        fixedEnd = std::max(fixedEnd, *request.fixed + request.bytes);
      if (shareWidths_)
        groups[0].push_back(i);
      else if (!request.fixed)
        groups[elementBytes(buffers_[i].getType().getElementType())].push_back(i);
      else
        places_[i] = *request.fixed;
    }
    int64_t begin = shareWidths_ ? 0 : fixedEnd;
    for (auto &[width, members] : groups) {
      std::vector<StorageRequest> group;
      int64_t alignment = kAlignment;
      for (size_t i : members) {
        group.push_back(requests_[i]);
        alignment = std::max(alignment, requests_[i].alignment);
        if (sum <= spare_) { // everything fits without sharing, which saves barriers: treat all lives as overlapping
          group.back().first = 0;
          group.back().last = std::numeric_limits<int32_t>::max();
        }
      }
      begin = alignedTo(begin, alignment);
      std::vector<int64_t> places = assignStorage(group);
      if (apart) {
        std::vector<StorageRequest> ofLoops = apartInLoops(group, members);
        std::vector<int64_t> placesApart = assignStorage(ofLoops);
        if (storageEnd(ofLoops, placesApart) <= storageEnd(group, places) + spare_)
          places = std::move(placesApart);
      }
      for (auto [i, place] : llvm::zip(members, places))
        places_[i] = begin + place;
      begin += storageEnd(group, places);
    }
  }

  /// The requests with extended lives: each buffer of a loop lives as long as all buffers of the loop together, so that
  /// no two of them share storage. That saves a barrier in each iteration.
  std::vector<StorageRequest> apartInLoops(ArrayRef<StorageRequest> group, ArrayRef<size_t> members) {
    // for each loop, the life of all its buffers together
    llvm::MapVector<Operation *, std::pair<int64_t, int64_t>> lives;
    auto loopOf = [&](const StorageRequest &request, size_t i) -> Operation * {
      bool isAlive = request.first <= request.last;
      return isAlive ? buffers_[i]->getParentOfType<LoopLikeOpInterface>().getOperation() : nullptr;
    };
    for (auto [request, i] : llvm::zip_equal(group, members))
      if (Operation *loop = loopOf(request, i)) {
        auto [life, isNew] = lives.insert({loop, {request.first, request.last}});
        life->second = {std::min(life->second.first, request.first), std::max(life->second.second, request.last)};
      }
    std::vector<StorageRequest> apart(group.begin(), group.end());
    for (auto [request, i] : llvm::zip_equal(apart, members))
      if (Operation *loop = loopOf(request, i))
        std::tie(request.first, request.last) = lives[loop];
    return apart;
  }

  func::FuncOp kernel_;
  bool shareWidths_;
  int64_t spare_, limit_;
  SmallVector<SharedAllocOp> buffers_, unused_;
  SmallVector<StorageRequest> requests_;
  std::vector<int64_t> places_;
};

struct AllocateSharedPass : impl::AllocateSharedBase<AllocateSharedPass> {
  void runOnOperation() override {
    Target target = targetOf(getOperation());
    int64_t limit = Budget(target.features).shared(), spare = target.policies.spareBytes;
    getOperation()->walk([&](func::FuncOp function) {
      if (!isKernel(function) || function.isExternal())
        return;
      WalkResult result = function.walk([](scf::YieldOp yield) {
        return failed(checkHandedOn(yield)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
      Allocation allocation(function, target.features.sharesWidths,
                            limit == 0 ? spare : std::min<int64_t>(spare, limit), limit);
      allocation.plan();
      allocation.write();
      if (failed(allocation.check()))
        return signalPassFailure();
      allocation.explainBudget();
    });
  }
};

} // namespace

} // namespace tegula::simt
