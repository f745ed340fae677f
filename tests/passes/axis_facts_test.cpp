// Results of the axis analysis for typical kernels, and the declared facts that they depend on.
#include "core/passes/analysis/AxisInfo.h"
#include "tests/passes/TileTest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <set>

using namespace mlir;
using namespace tegula::tile;
using testing::ElementsAre;

namespace {

struct AxisFacts : test::TileTest {
  void parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    analysis = std::make_unique<AxisAnalysis>(*module);
  }
  template <class Op> Op nth(size_t index = 0) {
    Op found;
    module->walk([&](Op op) {
      if (index-- == 0)
        found = op;
    });
    return found;
  }
  int64_t useWidth(Operation *op, size_t axis) {
    auto load = dyn_cast<LoadOp>(op);
    return analysis->useAccessWidth(op->getOperand(0), load ? load.getMask() : cast<StoreOp>(op).getMask(), axis);
  }
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<AxisAnalysis> analysis;
};

ArgumentFact divisible(unsigned argument, int64_t by) { return {argument, ArgumentFact::Kind::Divisibility, by}; }

const char *const kAdd = R"(
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
               %n: i32 {tile.divisibility = 16 : i64}, %unused: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c1024 : i32
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %range = tile.make_range 0 to 1024
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %px = tile.addptr %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %px mask %mask : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %py = tile.addptr %ys, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %py, %v : tensor<1024x!tile.ptr<f32>>
  return
})";

TEST_F(AxisFacts, AddRestsOnWhatItsAccessesNeed) {
  parse(kAdd);
  EXPECT_EQ(analysis->declaredFacts().size(), 4u);
  // A query changes nothing.
  EXPECT_EQ(analysis->accessWidth(nth<LoadOp>().getPtr(), nth<LoadOp>().getMask(), 0), 4);
  EXPECT_TRUE(analysis->usedFacts().empty());
  EXPECT_EQ(useWidth(nth<StoreOp>(), 0), 4);
  EXPECT_THAT(analysis->usedFacts(), ElementsAre(divisible(1, 16)));
  EXPECT_EQ(useWidth(nth<LoadOp>(), 0), 4);
  EXPECT_THAT(analysis->usedFacts(), ElementsAre(divisible(0, 16), divisible(1, 16), divisible(2, 16)));
}

TEST_F(AxisFacts, FourBytesAtMostNeedNothing) {
  parse(kAdd);
  EXPECT_EQ(analysis->useAccessWidth(nth<LoadOp>().getPtr(), {}, 0, 4), 1);
  EXPECT_TRUE(analysis->usedFacts().empty());
}

TEST_F(AxisFacts, BlocksOfProgramsDoNotWrap) {
  parse(kAdd);
  // A multiple of 1024 plus a value below 1024 does not wrap, whatever the program's id.
  Value start = nth<SplatOp>(0), range = nth<MakeRangeOp>();
  EXPECT_TRUE(analysis->useSumFits(start, range));
  EXPECT_TRUE(analysis->usedFacts().empty());
  EXPECT_FALSE(analysis->sumFits(start, start));
  EXPECT_FALSE(analysis->sumFits(nth<SplatOp>(1), range));
}

TEST_F(AxisFacts, FactsThatChangeNothingAreNotUsed) {
  // The row's stride is unknown, so the base's alignment does not help.
  parse(R"(
func.func @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %stride: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %stride : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %range = tile.make_range 0 to 64
  %p = tile.addptr %rows, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  return
})");
  EXPECT_EQ(useWidth(nth<LoadOp>(), 0), 1);
  EXPECT_TRUE(analysis->usedFacts().empty());
  EXPECT_THAT(analysis->of(nth<LoadOp>().getPtr()).contiguity, ElementsAre(64));
}

TEST_F(AxisFacts, LoopsKeepWhatEachIterationKeeps) {
  parse(R"(
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %step = arith.constant dense<32> : tensor<32xi32>
  %odd = arith.constant dense<4> : tensor<32xi32>
  %range = tile.make_range 0 to 32
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
  %p0 = tile.addptr %xs, %range : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%p = %p0, %q = %p0)
      -> (tensor<32x!tile.ptr<f16>>, tensor<32x!tile.ptr<f16>>) : i32 {
    %v = tile.load %p : tensor<32x!tile.ptr<f16>>
    %w = tile.load %q : tensor<32x!tile.ptr<f16>>
    %is = tile.splat %i : i32 -> tensor<32xi32>
    %at = arith.addi %is, %range : tensor<32xi32>
    %p1 = tile.addptr %p, %step : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %q1 = tile.addptr %q, %odd : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    scf.yield %p1, %q1 : tensor<32x!tile.ptr<f16>>, tensor<32x!tile.ptr<f16>>
  }
  return
})");
  EXPECT_EQ(useWidth(nth<LoadOp>(0), 0), 8);
  EXPECT_EQ(useWidth(nth<LoadOp>(1), 0), 4);
  auto loop = nth<scf::ForOp>();
  AxisInfo variable = analysis->of(loop.getInductionVar());
  EXPECT_EQ(variable.low, 0);
  EXPECT_EQ(variable.divisibility[0], 32);
  AxisInfo at = analysis->of(nth<arith::AddIOp>());
  EXPECT_THAT(at.contiguity, ElementsAre(32));
  EXPECT_EQ(at.low, 0) << "a multiple of 32 below 2^31 and what is less than 32";
  EXPECT_TRUE(analysis->useSumFits(loop.getInductionVar(), nth<MakeRangeOp>()));
}

TEST_F(AxisFacts, RemaindersNeedSignsAndDivisors) {
  const char *text = R"(
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %m: i32 {tile.divisibility = 8 : i64}, %s: i32 {SIGN})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %start = arith.muli %s, %c64 : i32
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %range = tile.make_range 0 to 64
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ms = tile.splat %m : i32 -> tensor<64xi32>
  %in = arith.remsi %offsets, %ms : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %in : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  return
})";
  std::string known = text, unknown = text;
  known.replace(known.find("{SIGN}"), 6, "{tile.nonnegative}");
  unknown.replace(unknown.find("{SIGN}"), 6, "");
  parse(known.c_str());
  EXPECT_EQ(useWidth(nth<LoadOp>(), 0), 4);
  EXPECT_THAT(analysis->usedFacts(),
              ElementsAre(divisible(0, 16), divisible(1, 8), ArgumentFact{2, ArgumentFact::Kind::NonNegative, 0}));
  parse(unknown.c_str());
  EXPECT_EQ(useWidth(nth<LoadOp>(), 0), 1);
  EXPECT_TRUE(analysis->usedFacts().empty());
}

TEST_F(AxisFacts, AssumptionsAreBelieved) {
  parse(R"(
func.func @k(%n: i32, %m: i32, %c: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c100 = arith.constant 100 : i32
  %r = arith.remsi %n, %c16 : i32
  %e = arith.cmpi eq, %r, %c0 : i32
  %g = arith.cmpi sgt, %n, %c0 : i32
  %both = arith.andi %e, %g : i1
  tile.assume %both : i1
  scf.if %c {
    %l = arith.cmpi slt, %m, %c100 : i32
    tile.assume %l : i1
  }
  %l = arith.cmpi sge, %c100, %n : i32
  tile.assume %l : i1
  return
})");
  auto function = nth<func::FuncOp>();
  AxisInfo n = analysis->of(function.getArgument(0)), m = analysis->of(function.getArgument(1));
  EXPECT_EQ(n.divisibility[0], 16);
  EXPECT_EQ(n.low, 16);
  EXPECT_EQ(n.high, 96);
  EXPECT_EQ(m.high, std::numeric_limits<int32_t>::max()) << "only one of two ways leads by it";
}

TEST_F(AxisFacts, HintsAreBelieved) {
  parse(R"(
func.func @k(%x: !tile.ptr<f32>, %o: tensor<64xi32>) attributes {tile.kernel} {
  %h = tile.hint %o divisibility [16] contiguity [8] : tensor<64xi32>
  %b = tile.hint %x divisibility [16] : !tile.ptr<f32>
  %xs = tile.splat %b : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %h : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  return
})");
  EXPECT_EQ(useWidth(nth<LoadOp>(), 0), 4);
  EXPECT_THAT(analysis->of(nth<LoadOp>().getPtr()).contiguity, ElementsAre(8));
}

TEST_F(AxisFacts, CountersAndFibonacciEnd) {
  // Bounds of loop-carried values must not be followed step by step, nor must values that only circulate between
  // iterations.
  parse(R"(
func.func @k(%n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i64
  %z = arith.constant 0 : i64
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c1, %b = %c0, %w = %z, %d = %c64) -> (i32, i32, i64, i64)
      : i32 {
    %s = arith.addi %a, %b : i32
    %w1 = arith.addi %w, %d : i64
    %q:2 = scf.for %j = %c0 to %i step %c1 iter_args(%e = %w1, %f = %d) -> (i64, i64) : i32 {
      %g = arith.addi %e, %f : i64
      scf.yield %f, %g : i64, i64
    }
    scf.yield %s, %a, %q#0, %q#1 : i32, i32, i64, i64
  }
  return
})");
  auto loop = nth<scf::ForOp>(1).getNumResults() == 4 ? nth<scf::ForOp>(1) : nth<scf::ForOp>(0);
  EXPECT_EQ(analysis->of(loop.getResult(0)).low, std::numeric_limits<int32_t>::min());
  EXPECT_EQ(analysis->of(loop.getResult(2)).divisibility[0], 64);
}

/// Which ops give the elements of their first operand on, in whatever order: what is known of each element must be
/// known of each element of the result, and what is known along an axis that stays, along it.
const char *const kKeepingOps[] = {"tile.splat",      "tile.expand_dims", "tile.broadcast",      "tile.reshape",
                                   "tile.trans",      "tile.join",        "tile.split",          "tile.cat",
                                   "tile.gather",     "tile.sort",        "tile.hint",           "tile.ptr_cast",
                                   "tile.ptr_to_int", "tile.int_to_ptr",  "simt.convert_layout", "simt.join_parts"};
/// All others with a result of the tile and the planned level: they make new values, or values that are not analysed.
const char *const kMakingOps[] = {
    "tile.addptr",       "tile.atomic_cas",  "tile.atomic_rmw", "tile.desc_atomic",     "tile.desc_base",
    "tile.desc_extent",  "tile.desc_gather", "tile.desc_load",  "tile.desc_pads_nan",   "tile.desc_stride",
    "tile.dot",          "tile.fp_cast",     "tile.function",   "tile.histogram",       "tile.load",
    "tile.load_strided", "tile.make_desc",   "tile.make_range", "tile.map_elementwise", "tile.num_programs",
    "tile.program_id",   "tile.reduce",      "tile.scan"};

TEST_F(AxisFacts, NoFactIsLostWhereValuesAreKept) {
  DialectRegistry registry;
  tegula::simt::registerSimtDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // x: 16 numbers, divisible by 64, between 0 and 1920, equal in groups of 4.
  std::string text = R"(
#a = #layout.distributed<register (1), lane (2) (4), warp (8)>
#b = #layout.distributed<register (8), lane (1) (2), warp (4)>
module attributes {tile.num_warps = 2 : i32} {
func.func @k(%n: i32, %i: tensor<16xi32>, %c: tensor<16xi32, #a>, %q: !tile.ptr<f32> {tile.divisibility = 64 : i64})
    attributes {tile.kernel} {
  %c31 = arith.constant 31 : i32
  %c64 = arith.constant 64 : i32
  %m = arith.andi %n, %c31 : i32
  %s = arith.muli %m, %c64 : i32
  %c15 = arith.constant dense<15> : tensor<16xi32>
  %two = arith.constant dense<2> : tensor<16xi32>
  %r = tile.make_range 0 to 16
  %g = arith.shrui %r, %two : tensor<16xi32>
  %o = arith.addi %g, %i : tensor<16xi32>
  %l = arith.andi %g, %c15 : tensor<16xi32>
  %f = arith.constant dense<64> : tensor<16xi32>
  %x = arith.muli %l, %f : tensor<16xi32>
  %1 = tile.splat %s : i32 -> tensor<16xi32>
  %2 = tile.expand_dims %x axis 1 : tensor<16xi32>
  %3 = tile.broadcast %2 : tensor<16x1xi32> -> tensor<16x4xi32>
  %4 = tile.reshape %x : tensor<16xi32> -> tensor<4x4xi32>
  %5 = tile.trans %3 order [1, 0] : tensor<16x4xi32>
  %6 = tile.join %x, %x : tensor<16xi32>
  %7, %8 = tile.split %6 : tensor<16x2xi32>
  %9 = tile.cat %x, %x : tensor<16xi32>
  %10 = tile.gather %x[%i] axis 0 : tensor<16xi32>, tensor<16xi32>
  %11 = tile.sort %x signed : tensor<16xi32>
  %12 = tile.hint %x contiguity [1] : tensor<16xi32>
  %13 = simt.join_parts %3, %3 : tensor<16x4xi32>, tensor<16x4xi32> -> tensor<16x8xi32>
  %ca = arith.constant dense<64> : tensor<16xi32, #a>
  %xa = arith.muli %c, %ca : tensor<16xi32, #a>
  %15 = simt.convert_layout %xa : tensor<16xi32, #a> -> tensor<16xi32, #b>
  %16 = tile.ptr_cast %q : !tile.ptr<f32> -> !tile.ptr<i32>
  %17 = tile.ptr_to_int %q : !tile.ptr<f32> -> i64
  %18 = tile.int_to_ptr %17 : i64 -> !tile.ptr<f16>
  return
}
})";
  parse(text.c_str());
  std::set<std::string> seen;
  module->walk([&](Operation *op) {
    std::string name = op->getName().getStringRef().str();
    if (!llvm::is_contained(kKeepingOps, name))
      return;
    seen.insert(name);
    AxisInfo from = analysis->of(op->getOperand(0)), to = analysis->of(op->getResult(0));
    EXPECT_GE(to.divisor(), 64) << name;
    if (!isa<PtrType>(getElementTypeOrSelf(op->getResult(0).getType()))) {
      EXPECT_GE(to.low, from.low) << name;
      EXPECT_LE(to.high, from.high) << name;
    }
    bool ordered = name != "tile.gather" && name != "tile.sort"; // elements elsewhere
    if (isa<RankedTensorType>(op->getOperand(0).getType()) && ordered) {
      EXPECT_EQ(*llvm::max_element(to.constancy), *llvm::max_element(from.constancy)) << name;
    }
    if (name == "simt.convert_layout") {
      EXPECT_EQ(from, to);
    }
  });
  EXPECT_EQ(seen.size(), std::size(kKeepingOps)) << "each of them stands in the kernel above";
  // A new op must be put into one of the two lists.
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tile")
      continue;
    std::string text = name.getStringRef().str();
    bool isStatement = llvm::is_contained({"tile.store", "tile.assert", "tile.assume", "tile.barrier", "tile.print",
                                           "tile.desc_store", "tile.desc_scatter", "tile.may_not_end", "tile.yield"},
                                          text);
    EXPECT_EQ(llvm::is_contained(kKeepingOps, text) + llvm::is_contained(kMakingOps, text) + isStatement, 1) << text;
  }
}

} // namespace
