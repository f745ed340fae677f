// Any legal schedule of a loop gives the same bits (docs/schedules.md): kernels of the suite for sm_80 and sm_90a get
// random schedules at the planned level, in place of those that the passes have decided, and run in the simt executor.
// TEGULA_TEST_SCHEDULES: how many for each target; TEGULA_TEST_SEED: which; TEGULA_TEST_DEVICE: a device to run them on
// too, as `tegula devices` names it.
#include "tests/conformance/Runner.h"
#include "tests/conformance/simt/CaseRun.h"
#include "tests/conformance/simt/CaseText.h"

#include "core/passes/loops/LoopProducts.h"
#include "core/passes/schedule/LoopSchedule.h"
#include "core/support/Diagnostic.h"
#include "core/support/TemporaryDirectory.h"
#include "frontend/compiler/IrText.h"
#include "tests/support/Turn.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

namespace tegula::conformance {
namespace {

using namespace mlir;

/// Changes the schedules of a kernel's loops.
class RandomSchedules {
public:
  explicit RandomSchedules(uint64_t seed) : random_(seed) {}

  /// How many ops got another schedule.
  int change(ModuleOp module) {
    int changed = 0;
    SetVector<Operation *> loops;
    module.walk([&](Operation *op) {
      if (simt::scheduleOf(op) && isa<scf::ForOp>(op->getParentOp()))
        loops.insert(op->getParentOp());
    });
    for (Operation *loop : loops)
      changed += change(cast<scf::ForOp>(loop));
    return changed;
  }
  int refused = 0;

private:
  int64_t from(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }

  int change(scf::ForOp loop) {
    int changed = 0;
    for (int64_t i = from(1, 2); i > 0; --i)
      changed += changeRings(loop);
    for (Operation &op : *loop.getBody())
      if (from(0, 2) > 0)
        changed += changeOp(loop, &op);
    return changed;
  }

  /// All rings of the loop have a random number of stages, and all copies run so far ahead as it allows, or less. The
  /// loop's own warps start them, or a producer, if there was one.
  int changeRings(scf::ForOp loop) {
    SmallVector<tile::RingCopy> copies;
    for (Operation &op : *loop.getBody())
      if (std::optional<tile::RingCopy> copy = tile::RingCopy::of(&op); copy && simt::scheduleOf(&op))
        copies.push_back(*copy);
    if (copies.empty())
      return 0;
    SmallVector<std::pair<Operation *, simt::ScheduleAttr>> schedules; // to restore
    for (Operation &op : *loop.getBody())
      schedules.push_back({&op, simt::scheduleOf(&op)});
    int64_t before = copies.front().stages(), stages = from(2, 6), ahead = from(0, stages), place = from(-2, 2);
    bool keepsProducer = copies.front().isByProducer() && from(0, 1) > 0;
    for (tile::RingCopy copy : copies) {
      resize(copy, stages);
      if (keepsProducer)
        simt::setSchedule(copy.op, stages - 1, 1, simt::Issuer::Producer);
      else
        simt::setSchedule(copy.op, ahead, place);
    }
    for (auto product : loop.getBody()->getOps<simt::ProductOp>())
      if (simt::issuerOf(product) == simt::Issuer::Turns && (!keepsProducer || from(0, 1) > 0))
        withoutTurns(product);
    if (isLegal(loop))
      return int(copies.size());
    ++refused;
    for (tile::RingCopy copy : copies)
      resize(copy, before);
    for (auto [op, schedule] : schedules)
      restore(op, schedule);
    return 0;
  }

  static void withoutTurns(simt::ProductOp product) {
    if (int64_t ahead = simt::scheduleOf(product).getAhead(); ahead < 0)
      simt::setSchedule(product, ahead, 0);
    else
      product->removeAttr(simt::kScheduleAttr);
  }

  static void resize(tile::RingCopy copy, int64_t stages) {
    MLIRContext *context = copy.op->getContext();
    simt::SharedAllocOp ring = copy.ring();
    auto type = cast<simt::SharedType>(ring.getType());
    int64_t last = type.getStages() - 1;
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = stages;
    ring.getResult().setType(simt::SharedType::get(context, shape, type.getElementType(), type.getTileLayout()));
    for (Operation *view : ring->getUsers()) // the stage that is cleared for delayed products
      if (last > 0 && getConstantIntValue(view->getOperand(1)) == last) {
        OpBuilder builder(view);
        Value index =
            arith::ConstantOp::create(builder, view->getLoc(), builder.getI32IntegerAttr(int32_t(stages - 1)));
        view->setOperand(1, index);
      }
    if (simt::CopyTileOp tile = copy.byHardware())
      tile.getBarriers().setType(simt::BarriersType::get(context, stages));
  }

  /// Gives the op a random schedule, if that is legal beside those of the other ops. Returns how many ops changed.
  int changeOp(scf::ForOp loop, Operation *op) {
    simt::ScheduleAttr old = simt::scheduleOf(op);
    if (isa<tile::LoadOp>(op))
      simt::setSchedule(op, from(0, 4), from(-5, 2));
    else if (isa<simt::CopyOp, simt::CopyTileOp>(op) && old)
      simt::setSchedule(op, from(0, 5), from(-3, 2));
    else if (isa<simt::WaitCopiesOp, simt::WaitTilesOp, simt::FenceOp>(op) && old)
      simt::setSchedule(op, 0, from(-4, 1));
    else if (auto wait = dyn_cast<simt::WaitProductsOp>(op))
      return toggle(loop, wait);
    else
      return 0;
    if (isLegal(loop))
      return 1;
    ++refused;
    restore(op, old);
    return 0;
  }

  /// Lets a product end in the next iteration, or in its own.
  int toggle(scf::ForOp loop, simt::WaitProductsOp wait) {
    Operation *product = wait.getProduct().getDefiningOp<simt::ProductOp>();
    if (!product)
      return 0;
    simt::ScheduleAttr ofWait = simt::scheduleOf(wait), ofProduct = simt::scheduleOf(product);
    if (ofWait) {
      wait->removeAttr(simt::kScheduleAttr);
      product->removeAttr(simt::kScheduleAttr);
    } else {
      simt::setSchedule(wait, -1, 0);
      if (!tile::canRunOn(loop, wait))
        simt::setSchedule(product, -1, 0);
    }
    if (isLegal(loop))
      return 1;
    ++refused;
    restore(wait, ofWait);
    restore(product, ofProduct);
    return 0;
  }

  static void restore(Operation *op, simt::ScheduleAttr schedule) {
    if (schedule)
      op->setAttr(simt::kScheduleAttr, schedule);
    else
      op->removeAttr(simt::kScheduleAttr);
  }

  static bool isLegal(scf::ForOp loop) {
    tile::LoopSchedule schedule(loop);
    return llvm::all_of(schedule.ops(), [&](const tile::ScheduledOp &each) {
      return schedule.obstacleTo(each.op, each.ahead, each.time.place).empty();
    });
  }

  std::mt19937_64 random_;
};

/// Cases with scheduled loops, and their planned level.
struct Scheduled {
  const Case *made;
  std::string planned;
};

/// Whether the case's launch breaks a condition of this code, and takes other code.
bool isRefused(const Case &made, const std::string &target, const std::string &planned) {
  HostCase host = materialise(made);
  return runInExecutor(simtFor(target, planned), made, host,
                       {.seed = 1, .maxReports = 1, .maxSteps = uint64_t(1) << 26})
      .isRefused;
}

/// At most `count` cases, two of a kernel, with `op` in a scheduled loop.
std::vector<Scheduled> scheduledCases(const Cases &cases, const std::string &target, const std::string &op,
                                      size_t count) {
  std::vector<Scheduled> found;
  std::map<std::string, int> ofKernel;
  for (const Case &made : cases.all()) {
    bool isDerived = made.family() == "derived"; // the launch describes tensors, as for copies by hardware
    if ((made.family() != "dot" && made.family() != "descriptors" && !isDerived) || made.fault ||
        costOf(made) > 150000 || !isSelfContained(made) || ofKernel[made.kernel] > 1 || found.size() == count)
      continue;
    std::string planned = textOfKernel(made, {target, "planned", /*forLaunch=*/isDerived});
    if (planned.find("simt.schedule") == std::string::npos || planned.find(op) == std::string::npos ||
        (isDerived && isRefused(made, target, planned)))
      continue;
    ++ofKernel[made.kernel];
    found.push_back({&made, planned});
  }
  return found;
}

/// What is wrong after a run in the simt executor; empty: nothing.
std::string problemsInExecutor(const std::string &simt, const Case &made, uint64_t seed) {
  HostCase host = materialise(made);
  simt_test::RunOptions options{.seed = seed, .maxReports = 4, .maxSteps = uint64_t(1) << 26};
  return judge(runInExecutor(simt, made, host, options), host, expectedOf(made, host));
}

/// Runs cases with each of the ops. Some schedules must have each of the `kinds`. `problemsOf` runs the simt level of a
/// case, and tells what is wrong. `without`: cases with this text at the planned level are left out; empty: none.
void runSchedules(
    const std::string &target, std::initializer_list<const char *> ops, std::initializer_list<const char *> kinds,
    const std::string &without,
    llvm::function_ref<std::string(const std::string &simt, const Case &made, uint64_t seed)> problemsOf) {
  const char *wanted = std::getenv("TEGULA_TEST_SCHEDULES");
  const uint64_t schedules = wanted ? std::strtoull(wanted, nullptr, 10) : 80;
  Cases cases = allCases();
  std::vector<Scheduled> chosen;
  for (const char *op : ops)
    for (Scheduled &one : scheduledCases(cases, target, op, 40 / ops.size()))
      if (without.empty() || one.planned.find(without) == std::string::npos)
        chosen.push_back(std::move(one));
  ASSERT_GE(chosen.size(), 10u);
  std::map<std::string, int> counts;
  int changed = 0, refused = 0;
  for (uint64_t i = 0; i < schedules; ++i) {
    uint64_t seed = turnOf(1000) * schedules + i;
    const Scheduled &one = chosen[seed % chosen.size()];
    MLIRContext context(allDialects(), MLIRContext::Threading::DISABLED);
    OwningOpRef<ModuleOp> module = parseIr(context, "planned.mlir", one.planned);
    RandomSchedules random(seed);
    changed += random.change(*module);
    refused += random.refused;
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    SCOPED_TRACE(one.made->name + " for " + target + ", seed " + std::to_string(seed));
    try {
      EXPECT_EQ(problemsOf(simtFor(target, text), *one.made, seed), "") << text;
    } catch (const Error &error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
    for (const char *kind : kinds)
      counts[kind] += text.find(kind) != std::string::npos;
  }
  std::printf("%s: %zu loops, %llu schedules, %d ops changed, %d changes refused\n", target.c_str(), chosen.size(),
              static_cast<unsigned long long>(schedules), changed, refused);
  EXPECT_GT(changed, int(schedules));
  EXPECT_GT(refused, 0);
  for (const char *kind : kinds) {
    std::printf("%s: %s in %d\n", target.c_str(), kind, counts[kind]);
    EXPECT_GT(counts[kind], 0) << kind;
  }
}

TEST(RandomSchedules, GiveTheSameByWarps) {
  runSchedules("sm_80", {"simt.copy "}, {"simt.copy ", "simt.schedule<ahead 4"}, /*without=*/"", problemsInExecutor);
}

TEST(RandomSchedules, GiveTheSameByAsyncUnits) {
  runSchedules("sm_90a", {", producer>", "simt.copy_tile ", "simt.product "},
               {"simt.copy ", "simt.copy_tile ", "simt.schedule<ahead -1", ", producer>"}, /*without=*/"",
               problemsInExecutor);
}

TEST(RandomSchedules, GiveTheSameOnADevice) {
  const char *name = std::getenv("TEGULA_TEST_DEVICE");
  if (!name)
    GTEST_SKIP() << "TEGULA_TEST_DEVICE names no device";
  Device device = Device::open(name);
  TemporaryDirectory folder("tegula-schedules");
  int files = 0;
  // How the launch derives descriptors is not in the text of a kernel.
  runSchedules(device.info().target, {"simt.schedule"}, {"simt.schedule"}, /*without=*/"(derived)",
               [&](const std::string &simt, const Case &made, uint64_t) {
                 Case written = made;
                 written.file = folder.file((std::to_string(files++) + ".mlir").c_str());
                 written.constants.clear(); // they are in the text
                 written.numWarps = 0;      // so are these
                 std::ofstream(written.file) << simt;
                 HostCase host = materialise(made);
                 Outcome outcome = Runner(device, Folders::standard()).run(written, host);
                 if (outcome.error)
                   return std::string(outcome.error->what());
                 return differencesOf(outcome.buffers, host, expectedOf(made, host));
               });
}

} // namespace
} // namespace tegula::conformance
