// tile-describe-loads (TilePasses.td): replaces loads through pointers by loads through descriptors, which hardware can
// copy.
//
// Emits positions and descriptors, queries axis analysis about them, and removes them again if hardware cannot copy a
// block.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/simt/Simt.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/Budget.h"
#include "core/passes/analysis/ProgramSigns.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/AccessBlock.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_DESCRIBELOADS
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

/// Whether products can read the value if its elements are consecutive along the axis `line`: the axis is the depth of
/// each product (K-major), or the value is the left operand, which threads can load into registers.
bool canBeRead(Value value, unsigned line) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto trans = dyn_cast<TransOp>(use.getOwner()))
      return canBeRead(trans.getResult(), 1 - line);
    return use.getOperandNumber() == 0 || line == 0;
  });
}

/// A load of a loop and its replacement.
struct Described {
  LoadOp load;
  AccessBlock block;
  BlockArgument descriptor = {};
  DescLoadOp made = {};
  Value result = {}; // `made`, or its transpose
  SmallVector<Value, 3> positions = {};
};

/// A position (start mod n). It is right if `extent` divides start, and divides n, which the launch checks.
struct Wrapped {
  Value start;
  int64_t extent;
};

class LoopDescriber {
public:
  LoopDescriber(func::FuncOp function, scf::ForOp loop) : function_(function), loop_(loop) {}

  void run() {
    // If hardware cannot copy all of them, threads copy the raw tiles of operands that are computed.
    if (!describe(/*withRaw=*/true) && hasRaw_)
      describe(/*withRaw=*/false);
  }

private:
  /// Replaces the loads; false, and nothing changes, if hardware cannot copy their blocks.
  bool describe(bool withRaw) {
    loads_.clear();
    wrapped_.clear();
    locations_.clear();
    if (!findLoads(withRaw))
      return false;
    make();
    std::string obstacle = whatPreventsCopies();
    if (obstacle.empty()) {
      for (Described &each : loads_) {
        deriveTensor(function_, each.descriptor, each.block);
        each.load.erase();
      }
      dropUnusedCarried(loop_);
    } else {
      takeBack();
    }
    if (obstacle.empty() || !hasRaw_ || !withRaw)
      for (Location location : locations_)
        explainCopy(location, obstacle);
    return obstacle.empty();
  }

  /// Finds the loads that feed products from shared memory; false if some of them do not read blocks of a tensor.
  /// `withRaw`: also those from which operands of such products are computed.
  bool findLoads(bool withRaw) {
    bool canAll = true;
    llvm::SetVector<Operation *> raw = rawLoads(loop_);
    for (LoadOp load : loop_.getBody()->getOps<LoadOp>()) {
      if (load->use_empty() || !isa<RankedTensorType>(load.getType()))
        continue;
      if (!onlyFeedsDots(load.getResult(), readsShared)) {
        if (withRaw && raw.contains(load) && whatPrevents(load, /*isRaw=*/true).empty())
          hasRaw_ = true;
        continue;
      }
      std::string obstacle = whatPrevents(load, /*isRaw=*/false);
      if (!obstacle.empty())
        explainCopy(load.getLoc(), obstacle);
      canAll &= obstacle.empty();
    }
    return canAll && !loads_.empty();
  }

  std::string whatPrevents(LoadOp load, bool isRaw) {
    for (Operation *before = loop_->getPrevNode(); before; before = before->getPrevNode())
      if (!mayBePassedByCopies(before))
        return "the kernel writes memory, or waits, before the loop";
    Type element = getElementTypeOrSelf(load.getType());
    if (std::string obstacle = LoopWrites(loop_).obstacleOf(load); !obstacle.empty())
      return obstacle;
    std::string obstacle;
    std::optional<AccessBlock> block = blockOf(load, scalars_, obstacle);
    if (!block)
      return obstacle;
    bool isOperand = !isRaw || llvm::any_of(load->getUsers(), llvm::IsaPred<DotOp, TransOp>);
    if (isOperand && readsKMajorOnly(element) && !canBeRead(load.getResult(), block->isTransposed ? 0 : 1))
      return "products read its elements along the depth, across the lines in global memory";
    loads_.push_back({load, std::move(*block)});
    locations_.push_back(load.getLoc());
    return "";
  }

  Value emit(OpBuilder &inside, Location location, const Polynomial &position) {
    OpBuilder outside(loop_);
    OpBuilder &builder = isOutside(position) ? outside : inside;
    Value value = scalars_.emit(builder, location, position);
    if (!scalars_.hasRemainder(position))
      return value;
    int64_t extent = scalars_.atom(position.terms()[0].atoms[0]).extent;
    wrapped_.push_back({value.getDefiningOp<arith::RemSIOp>().getLhs(), extent});
    return HintOp::create(builder, location, value, builder.getDenseI64ArrayAttr({extent}), DenseI64ArrayAttr(),
                          DenseI64ArrayAttr());
  }
  bool isOutside(const Polynomial &polynomial) {
    return llvm::all_of(polynomial.terms(), [&](const Polynomial::Term &term) {
      return llvm::all_of(term.atoms, [&](unsigned number) {
        const Polynomials::Atom &atom = scalars_.atom(number);
        return loop_.isDefinedOutsideOfLoop(atom.value) && (!atom.isRemainder() || isOutside(*atom.start));
      });
    });
  }

  void make() {
    for (Described &each : loads_) {
      auto type = cast<RankedTensorType>(each.load.getType());
      ArrayRef<int64_t> extents = each.block.extents;
      each.descriptor = addDescriptor(function_, each.block, type.getElementType(), each.load.getLoc());
      OpBuilder inside(each.load);
      for (const Polynomial &position : each.block.positions)
        each.positions.push_back(emit(inside, each.load.getLoc(), position));
      auto block = RankedTensorType::get(extents.take_back(2), type.getElementType());
      each.made = DescLoadOp::create(inside, each.load.getLoc(), block, each.descriptor, each.positions);
      if (each.load.getEviction() == EvictionPolicy::EvictFirst)
        each.made->setAttr(kEvictFirstAttr, inside.getUnitAttr());
      each.result = each.made.getResult();
      if (each.block.isTransposed)
        each.result = TransOp::create(inside, each.load.getLoc(), each.result, ArrayRef<int32_t>{1, 0});
      each.load.getResult().replaceAllUsesWith(each.result);
    }
  }

  std::string whatPreventsCopies() {
    std::string obstacle;
    if (!arePositionsNonNegative())
      obstacle = "a position may be negative";
    int64_t stageBytes = 0;
    for (Described &each : loads_)
      stageBytes += each.made.getType().getNumElements() * simt::elementBytes(each.made.getType().getElementType());
    if (2 * stageBytes > simt::Budget(loop_).shared())
      obstacle = "two stages of " + std::to_string(stageBytes) + " bytes do not fit shared memory";
    AxisAnalysis axes(function_, AxisAnalysis::Facts::Ignored);
    for (Described &each : loads_)
      if (!canCopyTile(each.made, loop_, axes))
        obstacle = "blocks, or their positions along lines, are not what hardware copies";
    for (const Wrapped &each : wrapped_)
      if (axes.of(each.start).divisor() < each.extent)
        obstacle = "rows are wrapped within a block";
    return obstacle;
  }

  bool arePositionsNonNegative() {
    SmallVector<ArrayRef<Value>> positions;
    for (Described &each : loads_)
      positions.push_back(each.positions);
    bool are = true;
    for (auto [each, conditions] : llvm::zip_equal(loads_, nonNegativeIf(function_, positions))) {
      are &= conditions.has_value();
      each.block.positive = conditions.value_or(std::vector<ProgramExpression>());
    }
    return are;
  }

  void takeBack() {
    for (Described &each : llvm::reverse(loads_)) {
      each.result.replaceAllUsesWith(each.load.getResult());
      if (each.block.isTransposed)
        each.result.getDefiningOp()->erase();
      each.made.erase();
      (void)function_.eraseArgument(each.descriptor.getArgNumber());
    }
  }

  func::FuncOp function_;
  scf::ForOp loop_;
  Polynomials scalars_;
  std::vector<Described> loads_;
  SmallVector<Wrapped> wrapped_;
  SmallVector<Location> locations_;
  bool hasRaw_ = false; // loads_ had some from which operands are computed
};

/// Replaces one load in the kernel's body, outside of all loops, by a load through a descriptor. Only if products read
/// its block and hardware can copy the block, once for the kernel.
class OnceDescriber {
public:
  OnceDescriber(func::FuncOp function, LoadOp load) : function_(function), load_(load) {}

  void run() {
    std::string obstacle = describe();
    explainCopy(load_.getLoc(), obstacle, ", once, of a tensor that the launch describes");
    if (obstacle.empty())
      load_.erase();
  }

private:
  /// Makes the load through a descriptor and returns an empty text, or returns the reason why it cannot be made.
  std::string describe() {
    if (!load_->hasOneUse())
      return "its block is used several times";
    std::string obstacle;
    std::optional<AccessBlock> block = blockOf(load_, scalars_, obstacle);
    if (!block)
      return obstacle;
    Type element = getElementTypeOrSelf(load_.getType());
    if (block->isTransposed || (readsKMajorOnly(element) && !canBeRead(load_.getResult(), 1)))
      return "products read its elements across the lines in global memory";
    if (llvm::any_of(block->positions, [&](const Polynomial &each) { return scalars_.hasRemainder(each); }))
      return "its rows are wrapped";
    if (!isKnownAligned(function_, *block, element))
      return "its address, or the distance between its lines, is not known to be a multiple of 16 bytes";
    OpBuilder builder(load_);
    SmallVector<Value> positions;
    // If a launch does not meet a condition, hardware copies no block of the kernel at all. So this additional load
    // must not add conditions that ordinary launches fail, which are the conditions on signs. Only the largest launches
    // fail the condition that positions fit 32 bits.
    if (!placeBlock(builder, function_, load_.getLoc(), *block, scalars_, positions) || !block->positive.empty())
      return "a position may be negative";
    BlockArgument descriptor = addDescriptor(function_, *block, element, load_.getLoc());
    auto type = RankedTensorType::get(ArrayRef(block->extents).take_back(2), element);
    auto made = DescLoadOp::create(builder, load_.getLoc(), type, descriptor, positions);
    if (load_.getEviction() == EvictionPolicy::EvictFirst)
      made->setAttr(kEvictFirstAttr, builder.getUnitAttr());
    load_.getResult().replaceAllUsesWith(made.getResult());
    if (!canCopyTileOnce(made, AxisAnalysis(function_, AxisAnalysis::Facts::Ignored))) {
      made.getResult().replaceAllUsesWith(load_.getResult());
      made.erase();
      (void)function_.eraseArgument(descriptor.getArgNumber());
      return "the block, its position, or what the kernel does before it reads it, is not what hardware copies";
    }
    deriveTensor(function_, descriptor, *block);
    return "";
  }

  func::FuncOp function_;
  LoadOp load_;
  Polynomials scalars_;
};

/// Describes loads outside of all loops, but only in a kernel in which a loop's loads have been described: its code
/// already serves only launches that can derive descriptors, so hardly any further launch is excluded.
void describeOnce(func::FuncOp function) {
  auto isDescribed = [&](BlockArgument argument) {
    return bool(function.getArgAttr(argument.getArgNumber(), kTensorAttr));
  };
  if (llvm::none_of(function.getArguments(), isDescribed))
    return;
  for (LoadOp load : llvm::make_early_inc_range(function.getBody().front().getOps<LoadOp>()))
    if (!load->use_empty() && isa<RankedTensorType>(load.getType()) && onlyFeedsDots(load.getResult(), readsShared))
      OnceDescriber(function, load).run();
}

struct DescribeLoadsPass : impl::DescribeLoadsBase<DescribeLoadsPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function->hasAttr(kKernelAttr))
        continue;
      for (scf::ForOp loop : innermostLoops(function))
        if (isa<func::FuncOp>(loop->getParentOp()) && stagesOf(loop) >= 2)
          LoopDescriber(function, loop).run();
      describeOnce(function);
    }
  }
};

} // namespace
} // namespace tegula::tile
