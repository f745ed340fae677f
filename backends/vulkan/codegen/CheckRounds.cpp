// A device without Feature::UnboundedLoops ends all loops of a subgroup after kLoopRounds rounds in total. It has one
// counter for each subgroup and decrements it in each round of any loop in which at least one lane is active. When a
// round ends with the counter at 0 or less, the device leaves the loop whatever its condition is; each later loop runs
// one round. The kernel is not told. A thread cannot count the rounds itself: its lane may have left a loop in which
// other lanes go on, and the device counts their rounds too.
//
// But the counter never rises, so one small loop after all others shows whether it reached 0 in any of them. This loop
// takes three rounds, of which the last one finds the condition false, and it counts its iterations in %n (`limit`
// marks an assertion about the device, not of the kernel's author):
//
//     %zero = (number of programs along axis 0) >> 31      // 0, but no compiler knows that
//     %seen = scf.for %i = 0 to 2 + %zero iter_args(%n = 0) { yield %n + 1 }
//     simt.assert %seen >= 2, "..." limit
//
//     counter before this loop   rounds   %seen
//     3 or more                  3        2
//     2                          2        2       the device ends the loop in the round that is its last one anyway
//     1                          1        1       no other loop was ended early; reported all the same
//     0 or less                  1        1       some other loop may have been ended early
//
// (If the device returns the value of %n from the beginning of the last round, %seen is one less in the last three
// rows.)
//
// Such a check follows each outermost loop of a kernel, so that the failure names a loop; inner loops are covered by
// the check after the outermost one. The check costs its three rounds only.
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

/// Kernels with at most this many rounds are not checked. It is less than kLoopRounds because the device's compiler may
/// add rounds.
constexpr uint64_t kFewEnough = kLoopRounds - kLoopRounds / 16;
/// A loop with fewer rounds gets no check of its own; the next check covers it.
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
  /// Inserts checks after the long outermost loops of a block. Returns the last op with rounds that no check follows
  /// yet.
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
    auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(b, location, value, 32); };
    Value zero = arith::ShRUIOp::create(b, location, tile::NumProgramsOp::create(b, location, 0), constant(31));
    Value iterations = arith::AddIOp::create(b, location, zero, constant(2)), one = constant(1);
    auto count = [&](OpBuilder &inside, Location, Value, ValueRange seen) {
      scf::YieldOp::create(inside, location, ValueRange(arith::AddIOp::create(inside, location, seen[0], one)));
    };
    Value none = constant(0);
    auto loop = scf::ForOp::create(b, location, none, iterations, one, ValueRange(none), count);
    loop->setAttr(simt::kUniformAttr, b.getUnitAttr());
    Value wentOn =
        arith::CmpIOp::create(b, location, arith::CmpIPredicate::sge, loop.getResult(0), constant(2)).getResult();
    simt::AssertOp::create(b, location, wentOn, /*elements=*/Value(), /*mask=*/Value(), b.getStringAttr(messageFor(op)),
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
