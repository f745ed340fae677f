// A device may end all loops of a subgroup once they have gone round kLoopRounds times in all
// (Feature::UnboundedLoops). It counts down one counter for each subgroup, in each round of any loop in which a lane
// takes part, and a loop whose round ends with nothing left does not go on, whatever its condition says; loops behind
// it have one round each. Nothing tells the kernel. A thread cannot count along: its lane may have left a loop that
// others go on with, and the device counts their rounds too.
//
// But the counter only ever falls, so one small loop behind all others tells whether it ran out in any of them. It goes
// round three times, the last time to find its condition false, and its iterations are counted:
//
//     %zero = (number of programs along axis 0) >> 31      // no device knows that; a grid has fewer than 2^31
//     %seen = scf.for %i = 0 to 2 + %zero iter_args(%n = 0) { yield %n + 1 }
//     simt.assert %seen >= 2, "..." limit
//
//     left before   rounds   %seen
//     3 or more     3        2
//     2             2        2       ended by the device, but where its condition would have ended it
//     1             1        1       nothing is wrong yet; reported all the same
//     0 or less     1        1       some loop may have ended early
//
// (Where the device keeps a copy of %n from the beginning of a round, %seen is one less in the last three rows.)
//
// Such a check stands behind each of a kernel's outer loops, so that the failure names one; loops in a loop are checked
// behind the outermost one. Its three rounds are the whole cost.
#include "backends/vulkan/codegen/CheckRounds.h"
#include "backends/vulkan/codegen/Loops.h"
#include "core/ir/Locations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace tegula::vulkan {
namespace {

/// Kernels with at most as many rounds are not checked: the device's own compiler may add some.
constexpr uint64_t kFewEnough = kLoopRounds - kLoopRounds / 16;
/// Loops with fewer rounds share the check of what follows them.
constexpr uint64_t kOwnCheck = 1024;

class Checker {
public:
  Checker(func::FuncOp kernel, const Profile &profile) : kernel_(kernel), profile_(profile) {}

  void run() {
    Block &body = kernel_.getBody().front();
    if (roundsOf(body, profile_) <= kFewEnough)
      return;
    if (Operation *last = checkOuterLoops(body))
      checkBehind(last);
  }

private:
  /// Puts checks behind the long loops of a block that no loop is around. Returns the last op with rounds that no check
  /// follows yet.
  Operation *checkOuterLoops(Block &block) {
    Operation *unchecked = nullptr;
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region &region : branch->getRegions())
          if (!region.empty() && checkOuterLoops(region.front()))
            unchecked = &op;
      } else if (uint64_t rounds = roundsOf(&op, profile_); rounds < kOwnCheck || !isa<LoopLikeOpInterface>(op)) {
        unchecked = rounds ? &op : unchecked;
      } else {
        checkBehind(&op);
        unchecked = nullptr;
      }
    }
    return unchecked;
  }

  void checkBehind(Operation *op) {
    bool hasPlace = !tile::locationOf(op->getLoc()).file.empty();
    Location location = hasPlace ? op->getLoc() : kernel_.getLoc();
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(location, value, 32); };
    Value zero = b.create<arith::ShRUIOp>(location, b.create<tile::NumProgramsOp>(location, 0), constant(31));
    Value iterations = b.create<arith::AddIOp>(location, zero, constant(2)), one = constant(1);
    auto count = [&](OpBuilder &inside, Location, Value, ValueRange seen) {
      inside.create<scf::YieldOp>(location, ValueRange(inside.create<arith::AddIOp>(location, seen[0], one)));
    };
    Value none = constant(0);
    auto loop = b.create<scf::ForOp>(location, none, iterations, one, ValueRange(none), count);
    loop->setAttr(simt::kUniformAttr, b.getUnitAttr());
    Value wentOn =
        b.create<arith::CmpIOp>(location, arith::CmpIPredicate::sge, loop.getResult(0), constant(2)).getResult();
    b.create<simt::AssertOp>(location, wentOn, /*elements=*/Value(), /*mask=*/Value(), b.getStringAttr(messageFor(op)),
                             /*shape=*/DenseI64ArrayAttr(), /*limit=*/b.getUnitAttr());
  }

  static std::string messageFor(Operation *op) {
    return std::string("loops have gone round 65,535 times by the end of this ") +
           (isa<LoopLikeOpInterface>(op) ? "loop" : "operation") +
           ", where this device ends them all: the results are wrong; give each program fewer rounds (larger blocks, "
           "more programs) or take another device";
  }
  static_assert(kLoopRounds == 65535, "the message says it");

  func::FuncOp kernel_;
  const Profile &profile_;
};

class CheckRounds : public PassWrapper<CheckRounds, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckRounds)
  explicit CheckRounds(const Profile &profile) : profile_(&profile) {}
  StringRef getArgument() const override { return "vulkan-check-rounds"; }
  StringRef getDescription() const override { return "fails the launch where the device has ended loops early"; }

  void runOnOperation() override {
    getOperation().walk([&](func::FuncOp function) {
      if (simt::isKernel(function) && !function.isExternal())
        Checker(function, *profile_).run();
    });
  }

private:
  const Profile *profile_;
};

} // namespace

std::unique_ptr<Pass> createCheckRounds(const Profile &profile) { return std::make_unique<CheckRounds>(profile); }

} // namespace tegula::vulkan
