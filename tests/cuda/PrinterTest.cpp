// The PTX of simt ops, op by op, and the messages for ops that a target lacks.
#include "tests/cuda/SimtCompiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Printer, KernelsSayTheirThreadsAndRegisters) {
  std::string text = "func.func @k(%p: !tile.ptr<f32>) attributes {tile.kernel, simt.warps = 6 : i32, "
                     "simt.warp_size = 32 : i32, simt.max_registers = 96 : i32} { return }";
  std::string ptx = ptxOf(text, "sm_80");
  EXPECT_THAT(ptx, AllOf(HasSubstr(".target sm_80"), HasSubstr(".entry k("), HasSubstr(".reqntid 192, 1, 1"),
                         HasSubstr(".maxnreg 96"), HasSubstr(".minnctapersm 1")));
  CompileResult result = compileSimt(text, "sm_80");
  ASSERT_TRUE(result.artifact);
  EXPECT_EQ(result.artifact->threads, 192u);
  EXPECT_EQ(result.artifact->registerCap, 96u);
  EXPECT_TRUE(result.artifact->hidden.empty());
}

TEST(Printer, AccessesAreUpTo16Bytes) {
  std::string ptx = ptxOf(kernelText(R"(
    %c0 = arith.constant 0 : i32
    %v = simt.load %p[%n] : !tile.ptr<f16>, i32 -> vector<16xf16>
    simt.store %p[%c0], %v : !tile.ptr<f16>, i32, vector<16xf16>)",
                                     4, "f16"),
                          "sm_80");
  EXPECT_EQ(countOf(ptx, "ld.global.v4.b32"), 2u) << ptx;
  EXPECT_EQ(countOf(ptx, "st.global.v4.b32"), 2u) << ptx;
  EXPECT_THAT(ptx, Not(HasSubstr("mov.b32"))); // words are not split on the way
}

TEST(Printer, MaskedAccessesArePredicated) {
  std::string ptx = ptxOf(kernelText(R"(
    %c0 = arith.constant 0 : i32
    %m = arith.cmpi slt, %n, %c0 : i32
    %z = arith.constant dense<2.0> : vector<4xf32>
    %v = simt.load %p[%n] mask %m other %z cache(cg) : !tile.ptr<f32>, i32, i1, other vector<4xf32> -> vector<4xf32>
    simt.store %p[%c0], %v mask %m eviction(first) : !tile.ptr<f32>, i32, vector<4xf32>, i1)"),
                          "sm_80");
  EXPECT_THAT(ptx, ContainsRegex("@%p[0-9]+ ld\\.global\\.cg\\.v4\\.b32 "));
  EXPECT_THAT(ptx, ContainsRegex("createpolicy\\.fractional\\.L2::evict_first\\.b64 %rd[0-9]+, 1\\.0;"));
  EXPECT_THAT(ptx, ContainsRegex("@%p[0-9]+ st\\.global\\.L1::evict_first\\.L2::cache_hint\\.v4\\.b32 .*, %rd[0-9]+;"));
  EXPECT_EQ(countOf(ptx, "bra"), 0u);
}

TEST(Printer, EvictionPoliciesAreForBothCaches) {
  std::string text = kernelText(R"(
    %c0 = arith.constant 0 : i32
    %z = arith.constant dense<2.0> : vector<4xf32>
    %m = arith.cmpi slt, %n, %c0 : i32
    %v = simt.load %p[%n] mask %m other %z eviction(last)
      : !tile.ptr<f32>, i32, i1, other vector<4xf32> -> vector<4xf32>
    simt.store %p[%c0], %v eviction(first) : !tile.ptr<f32>, i32, vector<4xf32>)");
  std::string ptx = ptxOf(text, "sm_80");
  auto policy = [&](const std::string &priority) { // the register
    std::smatch found;
    std::regex_search(ptx, found,
                      std::regex("createpolicy\\.fractional\\.L2::" + priority + "\\.b64 (%rd[0-9]+), 1\\.0;"));
    return found.str(1);
  };
  EXPECT_THAT(ptx, ContainsRegex("ld\\.global\\.L1::evict_last\\.L2::cache_hint\\.v4\\.b32 .*\\], " +
                                 policy("evict_last") + ";"));
  EXPECT_THAT(ptx, ContainsRegex("st\\.global\\.L1::evict_first\\.L2::cache_hint\\.v4\\.b32 .*\\}, " +
                                 policy("evict_first") + ";"));
  std::string before = ptxOf(text, "sm_75"); // where accesses have no policy for the second-level cache
  EXPECT_THAT(before, HasSubstr("ld.global.L1::evict_last.v4.b32"));
  EXPECT_THAT(before, Not(HasSubstr("createpolicy")));
}

TEST(Printer, ComputedHalvesAreStoredTogether) {
  std::string ptx = ptxOf(kernelText(R"(
    %v = simt.load %p[%n] : !tile.ptr<f16>, i32 -> vector<8xf16>
    %w = arith.addf %v, %v : vector<8xf16>
    simt.store %p[%n], %w : !tile.ptr<f16>, i32, vector<8xf16>)",
                                     4, "f16"),
                          "sm_80");
  EXPECT_THAT(ptx, AllOf(HasSubstr("ld.global.v4.b32"), HasSubstr("st.global.v4.b32")));
}

TEST(Printer, BytesTravelInWords) {
  std::string ptx = ptxOf(kernelText(R"(
    %v = simt.load %p[%n] : !tile.ptr<i8>, i32 -> vector<16xi8>
    %one = arith.constant dense<1> : vector<16xi8>
    %w = arith.addi %v, %one : vector<16xi8>
    simt.store %p[%n], %w : !tile.ptr<i8>, i32, vector<16xi8>)",
                                     4, "i8"),
                          "sm_80");
  EXPECT_THAT(ptx, AllOf(HasSubstr("ld.global.v4.b32"), HasSubstr("st.global.v4.b32")));
}

TEST(Printer, LoopsStayLoops) {
  std::string ptx = ptxOf(kernelText(R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : vector<4xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (vector<4xf32>) : i32 {
      %at = arith.muli %i, %n : i32
      %v = simt.load %p[%at] : !tile.ptr<f32>, i32 -> vector<4xf32>
      %b = arith.addf %a, %v : vector<4xf32>
      scf.yield %b : vector<4xf32>
    } {simt.uniform}
    simt.store %p[%c0], %s : !tile.ptr<f32>, i32, vector<4xf32>)"),
                          "sm_80");
  EXPECT_EQ(countOf(ptx, "add.rn.f32") + countOf(ptx, "add.f32"), 4u) << ptx;
  EXPECT_EQ(countOf(ptx, "ld.global.v4.b32"), 1u);
}

TEST(Printer, ContractionOnlyWhereTheOpAllowsIt) {
  auto body = [](const std::string &flags) {
    return kernelText("%x = simt.load %p[%n] : !tile.ptr<f32>, i32 -> f32\n%y = arith.mulf %x, %x" + flags +
                      " : f32\n%z = arith.addf %y, %x" + flags +
                      " : f32\nsimt.store %p[%n], %z : !tile.ptr<f32>, i32, f32");
  };
  EXPECT_THAT(ptxOf(body(""), "sm_80"), Not(HasSubstr("fma.rn.f32")));
  EXPECT_THAT(ptxOf(body(" fastmath<contract>"), "sm_80"), HasSubstr("fma.rn.f32"));
}

TEST(Printer, FunctionsOfTheUnits) {
  auto one = [](const std::string &op) {
    return ptxOf(kernelText("%x = simt.load %p[%n] : !tile.ptr<f32>, i32 -> f32\n%y = " + op +
                            " : f32\nsimt.store %p[%n], %y : !tile.ptr<f32>, i32, f32"),
                 "sm_80");
  };
  EXPECT_THAT(one("math.exp2 %x"),
              AllOf(HasSubstr("ex2.approx.ftz.f32"), Not(HasSubstr("ex2.approx.f32")), Not(HasSubstr("mul.rn.f32"))));
  EXPECT_THAT(one("math.exp2 %x fastmath<afn>"), HasSubstr("ex2.approx.ftz.f32"));
  EXPECT_THAT(one("math.exp %x"), AllOf(HasSubstr("fma.rm.f32"), HasSubstr("ex2.approx.ftz.f32")));
  EXPECT_THAT(one("math.tanh %x"), AllOf(HasSubstr("ex2.approx.ftz.f32"), HasSubstr("rcp.approx.ftz.f32")));
  EXPECT_THAT(one("math.tanh %x fastmath<afn>"), HasSubstr("tanh.approx.f32"));
  EXPECT_THAT(one("math.rsqrt %x"), HasSubstr("rsqrt.approx.f32"));
  EXPECT_THAT(one("math.sqrt %x"), HasSubstr("sqrt.rn.f32"));
  EXPECT_THAT(one("arith.divf %x, %x"), Not(HasSubstr("approx")));
  EXPECT_THAT(one("arith.divf %x, %x fastmath<afn>"), HasSubstr("div.approx"));
  EXPECT_THAT(one("arith.maxnumf %x, %x"), Not(HasSubstr("max.NaN")));
  EXPECT_THAT(
      errorOf(kernelText("%x = simt.load %p[%n] : !tile.ptr<f32>, i32 -> f32\n%y = math.erf %x : f32"), "sm_80"),
      AllOf(HasSubstr("test.mlir:4:"), HasSubstr("'math.erf': target sm_80 has no code for this op"),
            HasSubstr("math.erf %x")));
}

/// Numbers divided by one share its reciprocal; one branch around ordinary divisions is for all of them.
TEST(Printer, QuotientsByOneNumberShareItsReciprocal) {
  auto quotients = [](const std::string &divisor, const std::string &flags = "") {
    return ptxOf(kernelText("%x = simt.load %p[%n] : !tile.ptr<f32>, i32 -> vector<4xf32>\n"
                            "%one = arith.constant 1 : i32\n"
                            "%s = simt.load %p[%one] : !tile.ptr<f32>, i32 -> f32\n"
                            "%d = " +
                            divisor + "\n%y = arith.divf %x, %d" + flags +
                            " : vector<4xf32>\nsimt.store %p[%n], %y : !tile.ptr<f32>, i32, vector<4xf32>"),
                 "sm_80");
  };
  std::string shared = quotients("simt.splat %s : f32 -> vector<4xf32>");
  EXPECT_EQ(countOf(shared, "rcp.rn.f32"), 1u) << shared;
  EXPECT_EQ(countOf(shared, "fma.rn.f32"), 8u);
  EXPECT_EQ(countOf(shared, "div.rn.f32"), 4u);
  EXPECT_EQ(countOf(shared, "min.u32"), 3u); // the least numerator but 0
  std::string apart = quotients("arith.addf %x, %x : vector<4xf32>");
  EXPECT_EQ(countOf(apart, "rcp.rn.f32"), 0u) << apart;
  EXPECT_EQ(countOf(apart, "div.rn.f32"), 4u);
  std::string fast = quotients("simt.splat %s : f32 -> vector<4xf32>", " fastmath<afn>");
  EXPECT_EQ(countOf(fast, "div.approx"), 4u) << fast;
}

/// Quotients of f32 whose error may be 2 ulp (`arcp`) are products with the reciprocal, or of one instruction where
/// each has its own divisor, without a branch; others stay correctly rounded.
TEST(Printer, QuotientsThatAreRelaxed) {
  auto quotients = [](const std::string &operands, const std::string &mark = "") {
    return ptxOf(kernelText(operands + "\n%y = arith.divf %x, %d " + mark + R"(: vector<4xf32>
        %h = arith.truncf %y : vector<4xf32> to vector<4xf16>
        %w = arith.extf %h : vector<4xf16> to vector<4xf32>
        simt.store %p[%n], %w : !tile.ptr<f32>, i32, vector<4xf32>)"),
                 "sm_80");
  };
  std::string operands = R"(
        %x = simt.load %p[%n] : !tile.ptr<f32>, i32 -> vector<4xf32>
        %s = simt.pick %x [0] : vector<4xf32> -> f32
        %d = simt.splat %s : f32 -> vector<4xf32>)";
  std::string rounded = quotients(operands);
  EXPECT_EQ(countOf(rounded, "mul.rn.f32"), countOf(rounded, "fma.rn.f32") / 2) << rounded;
  EXPECT_EQ(countOf(rounded, "fma.rn.f32"), 8u);
  std::string wide = quotients(operands, "fastmath<arcp> ");
  EXPECT_EQ(countOf(wide, "rcp.approx.ftz.f32"), 1u) << wide;
  EXPECT_EQ(countOf(wide, "mul.rn.f32"), 9u);
  EXPECT_EQ(countOf(wide, "fma.rn.f32"), 2u);
  EXPECT_EQ(countOf(wide, "div."), 0u);
  EXPECT_EQ(countOf(wide, "bra"), 0u);
  std::string apart = quotients(R"(
        %x = simt.load %p[%n] : !tile.ptr<f32>, i32 -> vector<4xf32>
        %d = arith.addf %x, %x : vector<4xf32>)",
                                "fastmath<arcp> ");
  EXPECT_EQ(countOf(apart, "div.full.f32"), 4u) << apart;
  EXPECT_EQ(countOf(apart, "bra"), 0u);
  std::string ofSigmoid = quotients(R"(
        %v = simt.load %p[%n] : !tile.ptr<f32>, i32 -> vector<4xf32>
        %e = math.exp %v fastmath<afn> : vector<4xf32>
        %x = arith.constant dense<1.0> : vector<4xf32>
        %d = arith.addf %e, %x : vector<4xf32>)",
                                    "fastmath<arcp> ");
  EXPECT_EQ(countOf(ofSigmoid, "rcp.approx.ftz.f32"), 4u) << ofSigmoid;
  EXPECT_EQ(countOf(ofSigmoid, "div."), 0u);
  std::string halves = quotients(R"(
        %v = simt.load %p[%n] : !tile.ptr<f32>, i32 -> vector<4xf32>
        %a = arith.truncf %v : vector<4xf32> to vector<4xf16>
        %x = arith.extf %a : vector<4xf16> to vector<4xf32>
        %s = simt.pick %x [0] : vector<4xf32> -> f32
        %d = simt.splat %s : f32 -> vector<4xf32>)");
  EXPECT_EQ(countOf(halves, "fma.rn.f32"), 8u) << halves;
  EXPECT_EQ(countOf(halves, "min.u32"), 0u); // f16 has no numbers that are too small
}

/// Maxima and minima of bf16 are widened to f32 in simt IR; in LLVM IR they are of bf16 itself, for which PTX has an
/// instruction.
TEST(Printer, LargerAndSmallerOfNarrowFloats) {
  for (std::string op : {"maximumf", "minimumf"}) {
    std::string text = kernelText("%one = arith.constant 1.0 : f32\n"
                                  "%x = simt.load %p[%n] : !tile.ptr<bf16>, i32 -> bf16\n"
                                  "%w = arith.extf %x : bf16 to f32\n%m = arith." +
                                      op +
                                      " %w, %one : f32\n%y = arith.truncf %m : f32 to bf16\n"
                                      "simt.store %p[%n], %y : !tile.ptr<bf16>, i32, bf16",
                                  4, "bf16");
    EXPECT_THAT(ptxOf(text, "sm_80"), HasSubstr(op.substr(0, 3) + ".NaN."));
    EXPECT_THAT(ptxOf(text, "sm_75"), AllOf(HasSubstr("st.global"), Not(HasSubstr(".NaN"))));
  }
}

TEST(Printer, NarrowFloatsInPairs) {
  std::string halves = kernelText(R"(
    %v = simt.load %p[%n] : !tile.ptr<f32>, i32 -> vector<4xf32>
    %h = arith.truncf %v : vector<4xf32> to vector<4xf16>
    %w = arith.extf %h : vector<4xf16> to vector<4xf32>
    simt.store %p[%n], %w : !tile.ptr<f32>, i32, vector<4xf32>)");
  EXPECT_EQ(countOf(ptxOf(halves, "sm_80"), "cvt.rn.f16x2.f32"), 2u);
  std::string bytes = std::regex_replace(halves, std::regex("4xf16"), "4xf8E4M3FN");
  bytes = std::regex_replace(bytes, std::regex("arith.truncf (.*) to"), "tile.fp_cast $1 ->");
  EXPECT_EQ(countOf(ptxOf(bytes, "sm_90"), "cvt.rn.satfinite.e4m3x2.f32"), 2u);
  EXPECT_EQ(countOf(ptxOf(bytes, "sm_90"), "cvt.rn.f16x2.e4m3x2"), 2u);
  EXPECT_THAT(ptxOf(bytes, "sm_90"), AllOf(Not(HasSubstr("setp")), Not(HasSubstr("selp")))) << "it saturates by itself";
  EXPECT_THAT(ptxOf(bytes, "sm_80"), Not(HasSubstr("e4m3"))) << "no such instruction there: integers";
  std::string narrower = kernelText(R"(
    %v = simt.load %p[%n] : !tile.ptr<f16>, i32 -> vector<4xf16>
    %h = tile.fp_cast %v : vector<4xf16> -> vector<4xf8E5M2>
    %b = arith.bitcast %h : vector<4xf8E5M2> to vector<4xi8>
    %w = arith.uitofp %b : vector<4xi8> to vector<4xf16>
    simt.store %p[%n], %w : !tile.ptr<f16>, i32, vector<4xf16>)",
                                    4, "f16");
  EXPECT_EQ(countOf(ptxOf(narrower, "sm_90"), "cvt.rn.satfinite.e5m2x2.f16x2"), 2u);
}

TEST(Printer, ShufflesMoveWords) {
  std::string ptx = ptxOf(kernelText(R"(
    %c1 = arith.constant 1 : i32
    %v = simt.load %p[%n] : !tile.ptr<f16>, i32 -> vector<4xf16>
    %w = simt.shuffle xor %v, %c1 : vector<4xf16>
    simt.store %p[%n], %w : !tile.ptr<f16>, i32, vector<4xf16>)",
                                     4, "f16"),
                          "sm_80");
  EXPECT_EQ(countOf(ptx, "shfl.sync.bfly.b32"), 2u);
}

TEST(Printer, BarriersOfGroupsHaveNumbers) {
  std::string ptx = ptxOf(kernelText(R"(
    simt.barrier
    simt.warp_groups()
    group warps 4 () {
      simt.barrier
    }
    group warps 8 () {
      simt.barrier
      simt.barrier warps 4
      simt.barrier warps 1
    })",
                                     12),
                          "sm_80");
  EXPECT_THAT(ptx, AllOf(ContainsRegex("bar\\.sync[ \t]+0;"), HasSubstr("bar.warp.sync"), HasSubstr(", 128;"),
                         HasSubstr(", 256;")));
  std::string many = "simt.warp_groups()\n";
  for (int i = 0; i < 17; ++i)
    many += "group warps 1 () {\n simt.barrier\n }\n"; // a barrier of one warp alone needs no number
  EXPECT_THAT(ptxOf(kernelText(many, 17), "sm_80"), Not(HasSubstr("bar.sync")));
  many = "simt.warp_groups()\n";
  for (int i = 0; i < 16; ++i)
    many += "group warps 2 () {\n simt.barrier\n }\n";
  EXPECT_THAT(errorOf(kernelText(many, 32), "sm_80"), HasSubstr("expected at most 16 hardware barriers"));
}

TEST(Printer, GroupsMoveRegistersWhereTheyCan) {
  std::string text =
      kernelText("simt.warp_groups()\ngroup warps 4 registers 40 () {\n}\ngroup warps 8 registers 232 () {\n}", 12);
  EXPECT_THAT(ptxOf(text, "sm_90a"), AllOf(HasSubstr("setmaxnreg.dec.sync.aligned.u32 40;"),
                                           HasSubstr("setmaxnreg.inc.sync.aligned.u32 232;")));
  EXPECT_THAT(ptxOf(text, "sm_90"), Not(HasSubstr("setmaxnreg")));
}

TEST(Printer, BarrierObjects) {
  std::string text = kernelText(R"(
    %c1 = arith.constant 1 : i32
    %b = simt.barrier_alloc at 64 : !simt.barriers<4>
    simt.barrier_init %b[%n] count 3 : !simt.barriers<4>
    simt.fence barrier_init
    simt.barrier_arrive %b[%n] : !simt.barriers<4>
    simt.barrier_expect %b[%n] bytes 512 : !simt.barriers<4>
    simt.barrier_wait %b[%n], %c1 : !simt.barriers<4>
    simt.barrier_invalidate %b[%n] : !simt.barriers<4>)");
  EXPECT_THAT(ptxOf(text, "sm_90"),
              AllOf(ContainsRegex("mbarrier\\.init\\.shared::cta\\.b64 \\[%r[0-9]+\\], 3;"),
                    HasSubstr("fence.mbarrier_init.release.cluster;"), HasSubstr("mbarrier.arrive.shared::cta.b64"),
                    ContainsRegex("mbarrier\\.arrive\\.expect_tx\\.shared::cta\\.b64 _, \\[%r[0-9]+\\], 512;"),
                    HasSubstr("mbarrier.try_wait.parity.shared::cta.b64 done"),
                    HasSubstr("mbarrier.inval.shared::cta.b64")));
  EXPECT_THAT(errorOf(text, "sm_80"),
              HasSubstr("expected a target from sm_90 on for copies that arrive at barrier objects"));
}

TEST(Printer, SharedMemoryMustBePlanned) {
  EXPECT_THAT(errorOf(kernelText("%b = simt.shared_alloc : !simt.shared<32xf32>"), "sm_80"),
              HasSubstr("expected a place in shared memory ('at N'): it is not planned yet"));
  CompileResult result = compileSimt(kernelText("%b = simt.shared_alloc at 4096 : !simt.shared<32xf32>"), "sm_80");
  ASSERT_TRUE(result.artifact);
  EXPECT_EQ(result.artifact->sharedBytes, 4096u + 128);
}

TEST(Printer, ProgramsOfSeveralAxesCanBeLaunchedInPieces) {
  std::string text = kernelText("%y = tile.program_id 1\nsimt.store %p[%n], %y : !tile.ptr<i32>, i32, i32", 1, "i32");
  CompileResult result = compileSimt(text, "sm_80");
  ASSERT_TRUE(result.artifact);
  EXPECT_THAT(result.artifact->hidden, ::testing::ElementsAre(HiddenArgument::GridBase, HiddenArgument::GridSize));
  EXPECT_EQ(countOf(ptxOf(text, "sm_80"), ".param .u32 k_param_"), 7u); // n and six hidden arguments
}

TEST(Printer, AtomicsOfMemory) {
  std::string ptx = ptxOf(kernelText(R"(
    %x = simt.atomic_rmw add relaxed device %p[%n], %n : !tile.ptr<i32>, i32, i32
    %y = simt.atomic_cas acq_rel device %p[%n], %x, %n : !tile.ptr<i32>, i32, i32)",
                                     1, "i32"),
                          "sm_80");
  EXPECT_THAT(ptx, AllOf(HasSubstr("atom.relaxed.gpu.global.add.u32"), HasSubstr("atom.acq_rel.gpu.global.cas.b32")));
}

/// A kernel that adds eight values of a type by atomics of `width` neighbours, and stores the old ones or not.
std::string additions(const std::string &element, int width, const std::string &order, bool stores) {
  std::string vector = "vector<8x" + element + ">", offsets = "vector<" + std::to_string(8 / width) + "xi32>";
  std::string pointer = "!tile.ptr<" + element + ">";
  return kernelText("%c8 = arith.constant 8 : i32\n%at = arith.muli %n, %c8 : i32\n%v = simt.load %p[%at] : " +
                        pointer + ", i32 -> " + vector + "\n%o = simt.splat %at : i32 -> " + offsets +
                        "\n%x = simt.atomic_rmw fadd " + order + " %p[%o], %v : " + pointer + ", " + offsets + ", " +
                        vector + (stores ? "\nsimt.store %p[%at], %x : " + pointer + ", i32, " + vector : ""),
                    4, element);
}

TEST(Printer, AtomicsOfNeighbours) {
  struct {
    const char *element;
    int width;
    const char *target, *instruction;
    size_t count;
  } cases[] = {
      {"f32", 4, "sm_90a", ".add.v4.f32 {", 2},
      {"f32", 2, "sm_90", ".add.v2.f32 {", 4},
      {"f16", 8, "sm_90", ".add.noftz.v4.f16x2 {", 1},
      {"f16", 4, "sm_90", ".add.noftz.v2.f16x2 {", 2},
      {"f16", 2, "sm_90", ".add.noftz.f16x2 ", 4},
      {"bf16", 8, "sm_90", ".add.noftz.v4.bf16x2 {", 1},
      {"bf16", 2, "sm_90a", ".add.noftz.bf16x2 ", 4},
      {"f16", 2, "sm_75", ".add.noftz.f16x2 ", 4},
      {"f16", 2, "sm_80", ".add.noftz.f16x2 ", 4},
      {"bf16", 2, "sm_80", ".cas.b32 ", 4},
      // What a target lacks is changed one element after another.
      {"f32", 4, "sm_80", ".add.f32 ", 8},
      {"f16", 4, "sm_80", ".add.noftz.f16 ", 8},
      {"bf16", 8, "sm_80", ".cas.b16 ", 8},
  };
  std::optional<std::string> ptxas = cuda::findPtxas();
  for (const auto &each : cases)
    for (auto [order, text] : {std::pair("relaxed device", "atom.relaxed.gpu.global"),
                               {"acq_rel system", "atom.acq_rel.sys.global"},
                               {"release block", "atom.relaxed.cta.global"}})
      for (bool stores : {false, true}) {
        std::string ptx = ptxOf(additions(each.element, each.width, order, stores), each.target);
        EXPECT_EQ(countOf(ptx, text + std::string(each.instruction)), each.count) << each.target << "\n" << ptx;
        if (ptxas)
          EXPECT_NO_THROW(cuda::assemble(*ptxas, {ptx, "atomics.ptx", each.target, 0})) << each.target << "\n" << ptx;
      }
}

/// Fences before and behind order all of a thread's atomics; there is none for the whole system, and one atomic orders
/// itself.
TEST(Printer, AtomicsOfAThreadAreOrderedTogether) {
  auto fences = [](const std::string &ptx) { return countOf(ptx, "fence.acq_rel."); };
  EXPECT_EQ(fences(ptxOf(additions("f32", 1, "relaxed device", false), "sm_80")), 0u);
  EXPECT_EQ(fences(ptxOf(additions("f32", 1, "release block", false), "sm_80")), 1u);
  EXPECT_EQ(fences(ptxOf(additions("f32", 1, "acq_rel device", false), "sm_80")), 2u);
  EXPECT_EQ(fences(ptxOf(additions("f32", 1, "acq_rel system", false), "sm_80")), 0u);
  std::string one = kernelText("%one = arith.constant 1 : i32\n"
                               "%x = simt.atomic_rmw add acq_rel device %p[%n], %one : !tile.ptr<i32>, i32, i32",
                               1, "i32");
  EXPECT_THAT(ptxOf(one, "sm_80"), AllOf(HasSubstr("atom.acq_rel.gpu"), Not(HasSubstr("fence."))));
}

TEST(Printer, WrongWarpsAndLevels) {
  std::string wide = kernelText("");
  wide.replace(wide.find("warp_size = 32"), 14, "warp_size = 64");
  EXPECT_THAT(errorOf(wide, "sm_80"), HasSubstr("expected warps of 32 threads, found 'simt.warp_size' 64"));
  CompileRequest request;
  request.path = "add.mlir";
  request.source = "func.func @f() attributes {tile.kernel} { return }";
  request.target = "sm_80";
  request.startFrom = "tile";
  request.hasSignature = false;
  CompileResult result = tegulaCompiler(buildId())->compile(request);
  EXPECT_FALSE(result.error) << format(*result.error);
  EXPECT_TRUE(result.artifact);
}

TEST(Printer, UsesOfADescriptorAgree) {
  std::string text = R"(
#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0)>
func.func @k(%d: !tile.desc<16x64xf16> {tile.name = "d"}, %n: i32)
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<16x64xf16, #sw>
  %b = simt.shared_alloc at 2048 : !simt.shared<16x64xf16>
  simt.store_tile %a to %d[%n, %n] : !simt.shared<16x64xf16, #sw>, !tile.desc<16x64xf16>
  OTHER
  return
}
)";
  std::string first = text, both = text;
  first.replace(first.find("OTHER"), 5, "");
  both.replace(both.find("OTHER"), 5,
               "simt.store_tile %b to %d[%n, %n] : !simt.shared<16x64xf16>, !tile.desc<16x64xf16>");
  CompileResult result = compileSimt(first, "sm_90");
  ASSERT_TRUE(result.artifact);
  ASSERT_EQ(result.artifact->descriptors.size(), 1u);
  EXPECT_EQ(result.artifact->descriptors[0].swizzleBytes, 128u);
  EXPECT_THAT(result.artifact->descriptors[0].box, ::testing::ElementsAre(16, 64));
  EXPECT_THAT(ptxOf(first, "sm_90"), AllOf(HasSubstr(".param .align 64 .b8 k_param_0[128]"),
                                           HasSubstr("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group")));
  EXPECT_THAT(errorOf(both, "sm_90"),
              AllOf(HasSubstr("test.mlir:8:"),
                    HasSubstr("expected all copies of descriptor 'd' to use one box, swizzle and rounding"),
                    HasSubstr("note: this one has 128 bytes")));
  EXPECT_THAT(errorOf(first, "sm_80"),
              HasSubstr("expected a target from sm_90 on for tensor descriptors, found sm_80"));
}

TEST(Printer, PartsOfADescriptorAreRead) {
  std::string text = R"(
func.func @k(%p: !tile.ptr<i64> {tile.name = "p"}, %d: !tile.desc<16x64xf16> {tile.name = "d"})
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %base = tile.desc_base %d : !tile.desc<16x64xf16>
  %address = tile.ptr_to_int %base : !tile.ptr<f16> -> i64
  %extent = tile.desc_extent %d axis 1 : !tile.desc<16x64xf16>
  %stride = tile.desc_stride %d axis 0 : !tile.desc<16x64xf16>
  %nan = tile.desc_pads_nan %d : !tile.desc<16x64xf16>
  %zero = arith.constant 0 : i64
  %flag = arith.select %nan, %stride, %zero : i64
  %sum = arith.addi %address, %extent : i64
  %total = arith.addi %sum, %flag : i64
  %at = arith.constant dense<0> : vector<1xi32>
  %v = simt.splat %total : i64 -> vector<1xi64>
  simt.store %p[%at], %v : !tile.ptr<i64>, vector<1xi32>, vector<1xi64>
  OTHER
  return
}
)";
  std::string parts = text, both = text;
  parts.replace(parts.find("OTHER"), 5, "");
  both.replace(both.find("OTHER"), 5,
               "%n = arith.constant 0 : i32\n %a = simt.shared_alloc at 0 : !simt.shared<16x64xf16>\n"
               "  simt.store_tile %a to %d[%n, %n] : !simt.shared<16x64xf16>, !tile.desc<16x64xf16>");
  CompileResult result = compileSimt(parts, "sm_80");
  ASSERT_TRUE(result.artifact) << (result.error ? format(*result.error) : "");
  EXPECT_THAT(result.artifact->descriptors, ::testing::IsEmpty());
  // Address 0, extents 8 and 16, strides 24 and 32, padding 40.
  EXPECT_THAT(ptxOf(parts, "sm_80"),
              AllOf(HasSubstr(".param .align 8 .b8 k_param_1[48]"), HasSubstr("[k_param_1]"),
                    HasSubstr("[k_param_1+16]"), HasSubstr("[k_param_1+24]"), HasSubstr("[k_param_1+40]")));
  EXPECT_THAT(
      errorOf(both, "sm_90"),
      HasSubstr("expected a descriptor whose parts are passed, found one that 'simt.store_tile' copies boxes with"));
}

} // namespace
} // namespace tegula::test
