// simt-specialize-warps (SimtPasses.td): specializes the warps of a kernel with a producer: a producer group and a
// consumer group.
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "core/passes/SimtPasses.h.inc"

namespace {

/// The number of 32-bit registers of a vector type; 0 for other types.
int64_t registersOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? (vector.getNumElements() * vector.getElementTypeBitWidth() + 31) / 32 : 0;
}

/// The most registers of a thread for the vectors of one loop with asynchronous products: loop-carried vectors, and
/// results of products that begin with a constant.
int64_t registersOfLoops(func::FuncOp kernel) {
  int64_t most = 0;
  kernel.walk([&](scf::ForOp loop) {
    auto products = loop.getBody()->getOps<MatmulAsyncOp>();
    if (products.empty())
      return;
    int64_t registers = 0;
    for (BlockArgument carried : loop.getRegionIterArgs())
      registers += registersOf(carried.getType());
    for (MatmulAsyncOp product : products)
      if (matchPattern(product.getAccumulator(), m_Constant()))
        registers += registersOf(product.getType());
    most = std::max(most, registers);
  });
  return most;
}

/// The registers of a thread for the largest result of an asynchronous product.
int64_t registersOfResults(func::FuncOp kernel) {
  int64_t most = 0;
  kernel.walk([&](MatmulAsyncOp product) { most = std::max(most, registersOf(product.getType())); });
  return most;
}

/// Specializes the warps of one kernel: splits it into the producer's warp group and the consumers' warp group.
class Splitter {
public:
  Splitter(func::FuncOp kernel, ProducerOp producer, const TargetFeatures &features)
      : kernel_(kernel), producer_(producer), budget_(features), builder_(producer) {}

  void run() {
    Block *body = producer_->getBlock(), *rest = body->splitBlock(std::next(producer_->getIterator()));
    builder_.setInsertionPointToEnd(rest);
    Operation *end = rest->getTerminator();
    SmallVector<Value> captures = findCaptures(rest);
    builder_.setInsertionPoint(producer_);
    auto [warps, registers] = budgets();
    auto groups = WarpGroupsOp::create(builder_, producer_.getLoc(), captures, warps, registers, /*regions=*/2);
    end->moveBefore(body, body->end());
    fillOwn(groups.getGroups()[0], captures, rest);
    fillProducer(groups.getGroups()[1], captures);
    rest->erase();
    producer_.erase();
  }

private:
  /// The values from before the producer that the two warp groups capture. Values of ops without effects are not
  /// captured but recomputed in the groups; these ops are collected in `again_`.
  SmallVector<Value> findCaptures(Block *rest) {
    llvm::SetVector<Value> captured(producer_.getCaptures().begin(), producer_.getCaptures().end());
    llvm::SetVector<Value> work;
    rest->walk([&](Operation *op) { work.insert(op->operand_begin(), op->operand_end()); });
    for (size_t i = 0; i < work.size(); ++i) {
      Value value = work[i];
      if (value.getParentBlock() != producer_->getBlock())
        continue;
      Operation *op = value.getDefiningOp();
      if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
        again_.insert(op);
        work.insert(op->operand_begin(), op->operand_end());
      } else {
        captured.insert(value);
      }
    }
    return captured.takeVector();
  }

  /// The warps and the registers of the consumer and of the producer warp group. Also sets the kernel's attributes for
  /// both.
  std::pair<SmallVector<int32_t>, SmallVector<int32_t>> budgets() {
    int64_t own = kernelWarps(kernel_), further = producer_.getWarps(), lanes = kernelWarpSize(kernel_);
    auto budgetOf = [&](int64_t programs) {
      return budget_.ofProducer(own, further, producer_.getRegisters(), lanes, programs);
    };
    // Chooses the occupancy. If registers and shared memory suffice, several programs share a multiprocessor: one
    // computes while another begins, ends or waits. A resident program without pairs (it executes programs of the grid
    // one after another) hides these times itself and gets the multiprocessor alone. Of programs in pairs, more are
    // launched than there are multiprocessors, so they may share one.
    int64_t ofLoops = registersOfLoops(kernel_), ofResult = registersOfResults(kernel_);
    const auto *sharing = llvm::find_if(kOccupancies, [&](const Occupancy &each) {
      ProducerBudget budget = budgetOf(each.programs);
      return (!kernel_->hasAttr(kResidentAttr) || kernel_->hasAttr(kPairsAttr)) &&
             budget_.programsByShared(sharedBytes(kernel_)) >= each.programs &&
             each.isEnough(budget, ofLoops, ofResult);
    });
    int64_t programs = sharing == std::end(kOccupancies) ? 1 : sharing->programs;
    auto [each, ofOwn] = budgetOf(programs);
    explain(producer_.getLoc(), kBudgetTopic)
        << each << " registers a thread at entry, then " << ofOwn << " of the kernel's " << own << " warps and "
        << producer_.getRegisters() << " of the producer's " << further << "; the loops' values take " << ofLoops
        << ", the result " << ofResult << "; registers are divided for " << programs << " on a multiprocessor";
    kernel_->setAttr(kWarpsAttr, builder_.getI32IntegerAttr(int32_t(own + further)));
    kernel_->setAttr(kMaxRegistersAttr, builder_.getI32IntegerAttr(int32_t(each)));
    return {{int32_t(own), int32_t(further)}, {int32_t(ofOwn), int32_t(producer_.getRegisters())}};
  }

  /// Adds an argument for each capture to the group, and maps the captures to the arguments.
  static IRMapping addArguments(Region &group, ArrayRef<Value> captures) {
    Block &block = group.emplaceBlock();
    IRMapping map;
    for (Value capture : captures)
      map.map(capture, block.addArgument(capture.getType(), capture.getLoc()));
    return map;
  }

  void end(Region &group) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(&group.front());
    EndGroupOp::create(builder_, producer_.getLoc());
  }

  void fillOwn(Region &group, ArrayRef<Value> captures, Block *rest) {
    IRMapping map = addArguments(group, captures);
    OpBuilder inside = OpBuilder::atBlockEnd(&group.front());
    for (Operation &op : *producer_->getBlock())
      if (again_.contains(&op))
        inside.clone(op, map);
    group.front().getOperations().splice(group.front().end(), rest->getOperations());
    group.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(map.lookupOrDefault(operand.get()));
    });
    end(group);
  }

  /// The producer's region is executed by one thread of its warp group.
  void fillProducer(Region &group, ArrayRef<Value> captures) {
    IRMapping map = addArguments(group, captures);
    OpBuilder inside = OpBuilder::atBlockEnd(&group.front());
    Location location = producer_.getLoc();
    Value thread = ThreadIdOp::create(inside, location, inside.getI32Type());
    Value zero = arith::ConstantIntOp::create(inside, location, 0, 32);
    Value isFirst = arith::CmpIOp::create(inside, location, arith::CmpIPredicate::eq, thread, zero);
    auto branch = scf::IfOp::create(inside, location, isFirst, /*withElse=*/false);
    branch->setAttr(kDivergentAttr, inside.getUnitAttr());
    Block &body = producer_.getBody().front();
    body.getTerminator()->erase();
    for (auto [argument, capture] : llvm::zip_equal(body.getArguments(), producer_.getCaptures()))
      argument.replaceAllUsesWith(map.lookup(capture));
    branch.thenBlock()->getOperations().splice(branch.thenBlock()->begin(), body.getOperations());
    end(group);
  }

  func::FuncOp kernel_;
  ProducerOp producer_;
  Budget budget_;
  OpBuilder builder_;
  llvm::DenseSet<Operation *> again_;
};

struct SpecializeWarpsPass : impl::SpecializeWarpsBase<SpecializeWarpsPass> {
  void runOnOperation() override {
    Target target = targetOf(getOperation());
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && !kernel.isExternal())
        for (ProducerOp producer : llvm::make_early_inc_range(kernel.getBody().front().getOps<ProducerOp>()))
          Splitter(kernel, producer, target.features).run();
  }
};

} // namespace
} // namespace tegula::simt
