// Schedules change no result and no read: kernels run on the CPU backend in checked mode before and after
// tile-expand-schedules, with the schedules of tile-schedule-loops and with random legal ones, and with loops that run
// never, once and up to the limits of their type.
#include "core/ir/Register.h"
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/schedule/LoopSchedule.h"
#include "tests/ir/FlattenFixture.h"

#include "mlir/Pass/PassManager.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tegula::cpu {
namespace {

/// Bodies of kernels with %x, %y, %z: !tile.ptr<f32>, and %lower, %upper, %step: i32. %x and %y hold an iteration's
/// data, and kRow more floats for each further iteration; %r is the resulting tile.
struct ScheduledKernel {
  const char *name;
  int ahead; // number of loads that tile-schedule-loops issues ahead
  const char *body;
};
constexpr int64_t kTile = 256, kRow = 16;
const ScheduledKernel kScheduledKernels[] = {
    {"pointers that the loop carries", 2, R"(
  %l:3 = scf.for %i = %lower to %upper step %step iter_args(%p = %x, %q = %y, %acc = %zero)
      -> (!tile.ptr<f32>, !tile.ptr<f32>, tensor<16x16xf32>) : i32 {
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %pt = tile.addptr %ps, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %a = tile.load %pt : tensor<16x16x!tile.ptr<f32>>
    %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %qt = tile.addptr %qs, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %b = tile.load %qt : tensor<16x16x!tile.ptr<f32>>
    %t = tile.trans %b order [1, 0] : tensor<16x16xf32>
    %d = tile.dot %a, %t, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %pn = tile.addptr %p, %c16 : !tile.ptr<f32>, i32
    %qn = tile.addptr %q, %c16 : !tile.ptr<f32>, i32
    scf.yield %pn, %qn, %d : !tile.ptr<f32>, !tile.ptr<f32>, tensor<16x16xf32>
  }
  %r = arith.addf %l#2, %l#2 : tensor<16x16xf32>)"},
    {"masks of the induction variable", 1, R"(
  %l:2 = scf.for %i = %lower to %upper step %step iter_args(%k = %c0, %acc = %zero) -> (i32, tensor<16x16xf32>) : i32 {
    %row = arith.muli %k, %c16 : i32
    %p = tile.addptr %x, %row : !tile.ptr<f32>, i32
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %pt = tile.addptr %ps, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %left = arith.subi %upper, %i : i32
    %lefts = tile.splat %left : i32 -> tensor<16x16xi32>
    %m = arith.cmpi slt, %columns, %lefts : tensor<16x16xi32>
    %is = tile.splat %i : i32 -> tensor<16x16xi32>
    %o = arith.sitofp %is : tensor<16x16xi32> to tensor<16x16xf32>
    %a = tile.load %pt mask %m other %o : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %kn = arith.addi %k, %c1 : i32
    scf.yield %kn, %d : i32, tensor<16x16xf32>
  }
  %r = arith.addf %l#1, %zero : tensor<16x16xf32>)"},
    {"carried values that change places, a branch without effects, stores of another type", 2, R"(
  %l:5 = scf.for %i = %lower to %upper step %step iter_args(%k = %c0, %p = %x, %q = %y, %acc = %zero, %w = %z)
      -> (i32, !tile.ptr<f32>, !tile.ptr<f32>, tensor<16x16xf32>, !tile.ptr<f32>) : i32 {
    %odd = arith.andi %k, %c1 : i32
    %isOdd = arith.cmpi eq, %odd, %c1 : i32
    %from = scf.if %isOdd -> (!tile.ptr<f32>) {
      %far = tile.addptr %p, %c16 : !tile.ptr<f32>, i32
      scf.yield %far : !tile.ptr<f32>
    } else {
      scf.yield %q : !tile.ptr<f32>
    }
    %ps = tile.splat %from : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %pt = tile.addptr %ps, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %a = tile.load %pt : tensor<16x16x!tile.ptr<f32>>
    %factor = tile.load %p : !tile.ptr<f32>
    %factors = tile.splat %factor : f32 -> tensor<16x16xf32>
    %b = arith.mulf %a, %factors : tensor<16x16xf32>
    %d = tile.dot %a, %b, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %words = tile.ptr_cast %w : !tile.ptr<f32> -> !tile.ptr<i32>
    %old = tile.atomic_rmw add relaxed device %words, %k : !tile.ptr<i32>
    tile.store %words, %old : !tile.ptr<i32>
    %kn = arith.addi %k, %c1 : i32
    scf.yield %kn, %q, %p, %d, %w : i32, !tile.ptr<f32>, !tile.ptr<f32>, tensor<16x16xf32>, !tile.ptr<f32>
  }
  %r = arith.addf %l#3, %zero : tensor<16x16xf32>)"},
    {"addresses that were loaded, in this iteration and in the one before", 0, R"(
  %l:2 = scf.for %i = %lower to %upper step %step iter_args(%k = %c0, %acc = %zero) -> (i32, tensor<16x16xf32>) : i32 {
    %row = arith.muli %k, %c16 : i32
    %fp = tile.addptr %x, %row : !tile.ptr<f32>, i32
    %f = tile.load %fp : !tile.ptr<f32>
    %fi = arith.fptosi %f : f32 to i32
    %odd = arith.andi %fi, %c1 : i32
    %shift = arith.muli %odd, %k : i32
    %rows16 = arith.muli %shift, %c16 : i32
    %q = tile.addptr %y, %rows16 : !tile.ptr<f32>, i32
    %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %qt = tile.addptr %qs, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %a = tile.load %qt : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %kn = arith.addi %k, %c1 : i32
    scf.yield %kn, %d : i32, tensor<16x16xf32>
  }
  %r = arith.addf %l#1, %zero : tensor<16x16xf32>)"},
    {"a load whose address an earlier iteration loaded", 0, R"(
  %l:3 = scf.for %i = %lower to %upper step %step iter_args(%k = %c0, %from = %c0, %acc = %zero)
      -> (i32, i32, tensor<16x16xf32>) : i32 {
    %q = tile.addptr %y, %from : !tile.ptr<f32>, i32
    %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %qt = tile.addptr %qs, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %a = tile.load %qt : tensor<16x16x!tile.ptr<f32>>
    %row = arith.muli %k, %c16 : i32
    %fp = tile.addptr %x, %row : !tile.ptr<f32>, i32
    %f = tile.load %fp : !tile.ptr<f32>
    %fi = arith.fptosi %f : f32 to i32
    %odd = arith.andi %fi, %c1 : i32
    %next = arith.muli %odd, %row : i32
    %d = tile.dot %a, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %kn = arith.addi %k, %c1 : i32
    scf.yield %kn, %next, %d : i32, i32, tensor<16x16xf32>
  }
  %r = arith.addf %l#2, %zero : tensor<16x16xf32>)"},
    {"a loop within a loop", 1, R"(
  %l = scf.for %j = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) : i32 {
    %in:2 = scf.for %i = %lower to %upper step %step iter_args(%p = %x, %acc = %sum)
        -> (!tile.ptr<f32>, tensor<16x16xf32>) : i32 {
      %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
      %pt = tile.addptr %ps, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
      %a = tile.load %pt : tensor<16x16x!tile.ptr<f32>>
      %half = arith.truncf %a : tensor<16x16xf32> to tensor<16x16xf16>
      %d = tile.dot %half, %half, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %pn = tile.addptr %p, %c16 : !tile.ptr<f32>, i32
      scf.yield %pn, %d : !tile.ptr<f32>, tensor<16x16xf32>
    }
    %js = tile.splat %j : i32 -> tensor<16x16xi32>
    %jf = arith.sitofp %js : tensor<16x16xi32> to tensor<16x16xf32>
    %next = arith.addf %in#1, %jf : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %r = arith.addf %l, %zero : tensor<16x16xf32>)"},
};

std::string kernelText(const ScheduledKernel &kernel) {
  return std::string(R"(module attributes {tile.num_stages = 2 : i32} {
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %lower: i32, %upper: i32, %step: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sixteens = arith.constant dense<16> : tensor<16x1xi32>
  %range = tile.make_range 0 to 16
  %column = tile.expand_dims %range axis 0 : tensor<16xi32>
  %columns = tile.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %row0 = tile.expand_dims %range axis 1 : tensor<16xi32>
  %row16 = arith.muli %row0, %sixteens : tensor<16x1xi32>
  %rows = tile.broadcast %row16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %all = arith.addi %rows, %columns : tensor<16x16xi32>)") +
         kernel.body + R"(
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %zt = tile.addptr %zs, %all : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %zt, %r : tensor<16x16x!tile.ptr<f32>>
  return
}
})";
}

struct Bounds {
  int64_t lower, upper, step;
  int64_t iterations() const { return upper > lower ? (upper - lower + step - 1) / step : 0; }
};
constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
constexpr Bounds kBounds[] = {{0, 0, 1},
                              {5, -5, 1},
                              {0, 1, 1},
                              {0, 7, 1},
                              {-3, 8, 4},
                              {0, 64, 16},
                              {0, 65, 16},
                              {kMost - 5, kMost, 1},
                              {kMost - 5, kMost, 2},
                              {kMost - 1, kMost, kMost},
                              {0, kMost, kMost},
                              {0, kMost, kMost - 1},
                              {kLeast, kMost, kMost},
                              {kLeast, kLeast + 9, 3},
                              {kLeast, 0, kMost},
                              {kMost, kLeast, 1}};

class ScheduleEquality : public FlattenTest {
protected:
  ScheduleEquality() {
    mlir::DialectRegistry all;
    simt::registerSimtDialects(all);
    context_.appendDialectRegistry(all);
    context_.loadAllAvailableDialects();
  }

  struct Flattened {
    Module module;
    int loads = 0;
  };
  /// The kernel's program. `schedule` gives ops of the module a schedule, which is then expanded.
  Flattened flattened(const std::string &text, llvm::function_ref<void(mlir::ModuleOp)> schedule) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    if (!module)
      throw std::runtime_error("the module does not parse");
    schedule(*module);
    mlir::PassManager passes(&context_);
    passes.addPass(tile::createExpandSchedules());
    if (failed(passes.run(*module)))
      throw std::runtime_error("the pass failed");
    Flattened result{flatten(*module, "k")};
    module->walk([&](tile::LoadOp) { ++result.loads; });
    verify(result.module);
    return result;
  }
  static void nothing(mlir::ModuleOp) {}

  void expectSame(const Program &before, const Program &after) {
    for (const Bounds &bounds : kBounds) {
      SCOPED_TRACE(std::to_string(bounds.lower) + " to " + std::to_string(bounds.upper) + " step " +
                   std::to_string(bounds.step));
      std::vector<float> expected = resultOf(before, bounds), actual = resultOf(after, bounds);
      EXPECT_EQ(std::memcmp(actual.data(), expected.data(), expected.size() * sizeof(float)), 0);
    }
  }

  /// The content of z after the program; x and y end where the loop's reads end.
  static std::vector<float> resultOf(const Program &program, const Bounds &bounds) {
    int64_t iterations = bounds.iterations();
    std::vector<float> x(iterations ? kTile + kRow * (iterations - 1) : 0), y = x, z(kTile);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = float(int(i * 7 % 11) - 5);
      y[i] = float(int(i * 5 % 13) - 6);
    }
    float nothing = 0;
    std::vector<BufferRange> buffers;
    std::vector<ArgumentValue> arguments;
    for (std::vector<float> *data : {&x, &y, &z}) {
      float *start = data->empty() ? &nothing : data->data();
      buffers.push_back({start, data->size() * sizeof(float), "", ElementKind::F32, nullptr});
      arguments.push_back({.bits = std::bit_cast<uint64_t>(start), .descriptor = nullptr});
    }
    for (int64_t value : {bounds.lower, bounds.upper, bounds.step})
      arguments.push_back(integer(value));
    LaunchOptions options;
    options.threads = 1;
    options.checked = true;
    options.buffers = buffers;
    program.run(arguments, options);
    return z;
  }
};

TEST_F(ScheduleEquality, KernelsGiveTheSameBitsAndReadNothingMore) {
  auto schedule = [this](mlir::ModuleOp module) {
    simt::setTarget(module, {.features = {}, .policies = {.aheadBytes = 192}, .instructions = {}});
    mlir::PassManager passes(&context_);
    passes.addPass(tile::createScheduleLoops());
    ASSERT_TRUE(succeeded(passes.run(module)));
  };
  for (const ScheduledKernel &kernel : kScheduledKernels) {
    SCOPED_TRACE(kernel.name);
    Flattened plain = flattened(kernelText(kernel), nothing), ahead = flattened(kernelText(kernel), schedule);
    EXPECT_EQ(ahead.loads, plain.loads + kernel.ahead);
    expectSame(Program(std::move(plain.module)), Program(std::move(ahead.module)));
  }
}

/// Gives each load of innermost loops a random time, if that is legal beside the loads that have one already.
struct RandomSchedule {
  std::mt19937 random;
  int scheduled = 0, refused = 0;

  void apply(mlir::ModuleOp module) {
    for (mlir::scf::ForOp loop : tile::innermostLoops(module))
      for (auto load : llvm::to_vector(loop.getBody()->getOps<tile::LoadOp>())) {
        auto ahead = int64_t(random() % 5), place = int64_t(random() % 5) - 2;
        bool isLegal = tile::LoopSchedule(loop).obstacleTo(load, ahead, place).empty();
        if (isLegal)
          simt::setSchedule(load, ahead, place);
        // A load may be an index of one that was scheduled before it.
        for (const tile::ScheduledOp &each : tile::LoopSchedule(loop).ops())
          if (isLegal && !tile::LoopSchedule(loop).obstacleTo(each.op, each.ahead, each.time.place).empty()) {
            load->removeAttr(simt::kScheduleAttr);
            isLegal = false;
          }
        ++(isLegal ? scheduled : refused);
      }
  }
};

TEST_F(ScheduleEquality, RandomLegalSchedulesGiveTheSameBits) {
  const char *seed = std::getenv("TEGULA_TEST_SEED"), *count = std::getenv("TEGULA_TEST_SCHEDULES");
  const int schedules = count ? std::atoi(count) : 60;
  RandomSchedule random{std::mt19937(seed ? unsigned(std::atoi(seed)) : 1U)};
  for (const ScheduledKernel &kernel : kScheduledKernels) {
    SCOPED_TRACE(kernel.name);
    const Program before(std::move(flattened(kernelText(kernel), nothing).module));
    for (int i = 0; i < schedules; ++i) {
      std::string text;
      Flattened after = flattened(kernelText(kernel), [&](mlir::ModuleOp module) {
        random.apply(module);
        module.walk([&](tile::LoadOp load) {
          if (simt::ScheduleAttr schedule = simt::scheduleOf(load))
            text += " " + std::to_string(schedule.getAhead()) + "/" + std::to_string(schedule.getPlace());
        });
      });
      SCOPED_TRACE("schedule" + text);
      expectSame(before, Program(std::move(after.module)));
    }
  }
  EXPECT_GT(random.scheduled, 2 * schedules);
  EXPECT_GT(random.refused, schedules);
}

} // namespace
} // namespace tegula::cpu
