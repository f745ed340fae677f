#include "core/passes/tosimt/ExchangeRoom.h"

#include "core/passes/Budget.h"
#include "core/passes/tosimt/InFlight.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tegula::tosimt {

bool isMatrixInMemory(Operation *op) {
  auto load = dyn_cast<simt::SharedLoadOp>(op);
  auto tensor = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  return isa<tile::LoadStridedOp>(op) || (tensor && !tensor.getEncoding());
}

ExchangeRoom::ExchangeRoom(func::FuncOp planned, const TargetFeatures &features)
    : planned_(planned), sharedBytes_(simt::Budget(features).shared()), hasOwnRanges_(!features.sharesWidths) {
  if (hasOwnRanges_)
    shares_ = countWidths(planned, features.sharedElementBytes);
  int64_t next = 0;
  planned.walk<WalkOrder::PreOrder>([&](Operation *op) { span_[op].first = next++; });
  planned.walk([&](Operation *op) { // inner ops first
    auto &[first, last] = span_[op];
    last = std::max(last, first);
    if (Operation *parent = op->getParentOp(); span_.contains(parent))
      span_[parent].second = std::max(span_[parent].second, last);
  });
  planned.walk([&](simt::SharedAllocOp buffer) { add(buffer); });
  planned.walk([&](simt::BarrierAllocOp objects) { sharedBytes_ -= objects.getType().getBytes(); });
}

/// The number of different element widths of a kernel's exchanges.
int64_t ExchangeRoom::countWidths(func::FuncOp planned, int64_t narrowest) {
  llvm::SmallSet<int64_t, 4> widths; // in bytes
  auto add = [&](ValueRange values) {
    for (Value value : values) {
      Type element = getElementTypeOrSelf(value.getType());
      if (tile::isPtrScalar(element)) { // 64-bit addresses, or offsets of either width
        widths.insert(4);
        widths.insert(8);
      } else if (element.isIntOrFloat()) {
        widths.insert(std::max(simt::elementBytes(element), narrowest));
      }
    }
  };
  planned.walk([&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (isa<tile::HistogramOp>(op))
      widths.insert(4); // histograms count in i32
    else if (auto gather = dyn_cast<tile::GatherOp>(op))
      add(gather.getSrc());
    else if (auto dot = dyn_cast<tile::DotOp>(op))
      add({dot.getA(), dot.getB()});
    else if (isa<simt::ConvertLayoutOp, tile::ReduceOp, tile::ScanOp, tile::SortOp>(op))
      add(op->getOperands());
    else if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) ||
             (load && (load.getIsVolatile() || load.getCache() == tile::CacheModifier::Volatile)))
      add(op->getResults()); // all threads get the value that one thread received
  });
  return std::max<int64_t>(widths.size(), 1);
}

/// The op at which the last copy of a producer has arrived: the end of its barrier objects, or else the end of the
/// kernel.
int64_t ExchangeRoom::endBeside(Operation *producer) const {
  for (Operation *later = producer->getNextNode(); later; later = later->getNextNode())
    if (isa<simt::EndBarriersOp>(later))
      return span_.at(later).first;
  return span_.at(planned_).second;
}

/// Whether threads wait at this op until none of the asynchronous ops of the kind of `started` (copies by threads, or
/// products) is in flight.
static bool endsAll(Operation *wait, Operation *started) {
  if (auto copies = dyn_cast<simt::WaitCopiesOp>(wait))
    return isa<simt::CopyOp>(started) &&
           llvm::any_of(copies.getCopies(), [&](Value token) { return startedAfter(token, wait) == 0; });
  auto products = dyn_cast<simt::WaitProductsOp>(wait);
  return products && isa<simt::ProductOp>(started) && startedAfter(products.getProduct(), wait) == 0;
}

/// The number of the op after which the access of `started` is over, as simt-allocate-shared computes it: the first op
/// for which endsAll is true, in the block of `started` or after an op around it. If there is none, the kernel's last
/// wait; also for copies by hardware, because their waits name no token.
int64_t ExchangeRoom::endOf(Operation *started) const {
  for (Operation *op = started; op != planned_ && !isa<simt::CopyTileOp>(started); op = op->getParentOp())
    for (Operation *later = op->getNextNode(); later; later = later->getNextNode())
      if (endsAll(later, started))
        return span_.at(later).first;
  int64_t last = span_.at(started).first;
  func::FuncOp(planned_).walk([&](Operation *op) {
    if (isa<simt::WaitCopiesOp, simt::WaitTilesOp, simt::WaitProductsOp>(op))
      last = std::max(last, span_.at(op).first);
  });
  return last;
}

void ExchangeRoom::add(simt::SharedAllocOp buffer) {
  Buffer added{buffer.getType().getBytes(), span_.at(buffer).first, span_.at(buffer).first};
  llvm::SetVector<Value> views;
  views.insert(buffer.getResult());
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      for (Value result : user->getResults())
        if (isa<simt::SharedType>(result.getType()) || isMatrixInMemory(user))
          views.insert(result); // products load fragments through this view, so the buffer is needed where they do
      if (isa<simt::CopyOp, simt::CopyTileOp, simt::ProductOp>(user))
        added.last = std::max(added.last, endOf(user));
      if (isa<simt::ProducerOp>(user))
        added.last = std::max(added.last, endBeside(user));
      // If a loop contains the user but not the allocation, the buffer is needed until the loop ends.
      Operation *around = buffer->getBlock()->findAncestorOpInBlock(*user);
      added.last = std::max(added.last, span_.at(around).second);
    }
  buffers_.push_back(added);
}

int64_t ExchangeRoom::at(Operation *op) const {
  auto [first, last] = span_.at(op);
  int64_t taken = 0;
  for (const Buffer &buffer : buffers_)
    if (hasOwnRanges_ || (buffer.first <= last && first <= buffer.last))
      taken += buffer.bytes;
  return std::max((sharedBytes_ - taken) / shares_, kLeastBytes);
}

} // namespace tegula::tosimt
