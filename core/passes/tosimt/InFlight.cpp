#include "core/passes/tosimt/InFlight.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

/// Finds the least number of copies (or of products) that are started on the way from a value's definition to a use.
class Count {
public:
  explicit Count(bool ofCopies) : ofCopies_(ofCopies) {}

  int64_t startedAfter(Value started, Operation *at) {
    if (!path_.insert({started, at}).second)
      return kUnbounded; // this path goes around a loop again: a shorter path exists
    auto leave = llvm::make_scope_exit([&] { path_.erase({started, at}); });
    auto argument = dyn_cast<BlockArgument>(started);
    Operation *source = argument ? argument.getOwner()->getParentOp() : started.getDefiningOp();
    auto loop = dyn_cast<scf::ForOp>(source);
    if (argument && loop && at->getBlock() == argument.getOwner() && argument.getArgNumber() > 0)
      return between(at->getBlock()->begin(), at->getIterator()) + least(loop, argument.getArgNumber() - 1);
    if (!argument && !loop && !starts(*source) && source->getNumRegions() == 0)
      return ofCopies_ ? 0 : kUnbounded; // not the result of an asynchronous op, such as the first accumulator
    if (argument || source->getBlock() != at->getBlock() || (!loop && !starts(*source)))
      return 0;
    int64_t since = between(std::next(source->getIterator()), at->getIterator());
    return loop ? since + least(loop, cast<OpResult>(started).getResultNumber()) : since;
  }

private:
  bool starts(Operation &op) const { return ofCopies_ ? isa<simt::CopyOp>(op) : isa<simt::ProductOp>(op); }
  int64_t between(Block::iterator first, Block::iterator end) const {
    return llvm::count_if(llvm::make_range(first, end), [this](Operation &op) { return starts(op); });
  }
  int64_t least(scf::ForOp loop, unsigned number) {
    return std::min(startedAfter(loop.getInitArgs()[number], loop),
                    startedAfter(loop.getYieldedValues()[number], loop.getBody()->getTerminator()));
  }

  bool ofCopies_;
  llvm::DenseSet<std::pair<Value, Operation *>> path_; // arguments of the calls that have not yet returned
};

} // namespace

int64_t startedAfter(Value started, Operation *at) {
  return std::min(Count(isa<simt::TokenType>(started.getType())).startedAfter(started, at), kUnbounded);
}

} // namespace tegula::tosimt
