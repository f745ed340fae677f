// Ids, shuffles, votes, barriers, control flow, against the simt executor.
#include "tests/vulkan/CodegenFixture.h"

namespace tegula::vulkan::test {
namespace {

class VulkanThreads : public CodegenTest {
protected:
  Bytes counted(size_t bytes) const {
    Bytes all(bytes);
    for (size_t i = 0; i < bytes; ++i)
      all[i] = std::byte((i * 37 + i / 16) & 0x3f);
    return all;
  }
};

TEST_P(VulkanThreads, ShufflesOfEveryTypeAndMode) {
  const std::pair<const char *, unsigned> types[] = {{"i1", 1},  {"i8", 1},   {"i16", 2}, {"i32", 4},    {"i64", 8},
                                                     {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f8E5M2", 1}, {"f64", 8}};
  for (auto [type, bytes] : types)
    for (const char *mode : {"index", "xor", "up", "down"})
      for (const char *lane : {"%c1", "%c4", "%turned", "%c100", "%minus"}) {
        std::string text = body(
            replaced(
                "%c100 = arith.constant 100 : i32\n%minus = arith.constant -1 : i32\n%c3 = arith.constant 3 : i32\n"
                "%turned = arith.xori %l, %c3 : i32\n%at = arith.muli %t, %c4 : i32\n"
                "%v = simt.load %x[%at] : PTR, i32 -> vector<4xTYPE>\n%u = simt.slice %v from 1 : vector<4xTYPE> -> "
                "vector<3xTYPE>\n"
                "%s = simt.shuffle MODE %u, LANE : vector<3xTYPE>\n%k = simt.pick %v [0] : vector<4xTYPE> -> TYPE\n"
                "%r = simt.concat %s, %k : vector<3xTYPE>, TYPE -> vector<4xTYPE>\n"
                "simt.store %o[%at], %r : PTR, i32, vector<4xTYPE>",
                {{"PTR", std::string("!tile.ptr<") + type + ">"}, {"TYPE", type}, {"MODE", mode}, {"LANE", lane}}),
            type, type);
        Bytes in = counted(2 * lanes() * 4 * bytes);
        if (std::string(type) == "i1")
          for (std::byte &byte : in)
            byte &= std::byte(1);
        expectSame(text, {in, Bytes(in.size())});
      }
}

TEST_P(VulkanThreads, IdsAndVotes) {
  expectSame(
      body("%s = simt.warp_size : i32\n%p = tile.program_id 1\n%n = tile.num_programs 0\n%q = tile.program_id 2\n"
           "%lt = arith.cmpi slt, %l, %c4 : i32\n%all = simt.vote all %lt : i1\n%any = simt.vote any %lt : i1\n"
           "%z = arith.cmpi sge, %w, %c0 : i32\n%sure = simt.vote all %z : i1\n%f = arith.cmpi slt, %w, %c0 : i32\n"
           "%none = simt.vote any %f : i1\n"
           "%bits = simt.concat %all, %any, %sure, %none : i1, i1, i1, i1 -> vector<4xi1>\n"
           "%as = arith.extui %bits : vector<4xi1> to vector<4xi32>\n"
           "%ids = simt.concat %t, %w, %l, %s : i32, i32, i32, i32 -> vector<4xi32>\n"
           "%pn = arith.muli %p, %n : i32\n%sum = arith.addi %pn, %q : i32\n%tile = simt.splat %sum : i32 -> "
           "vector<4xi32>\n"
           "%size = arith.constant " +
               std::to_string(24 * lanes()) +
               " : i32\n%three = arith.constant 3 : i32\n"
               "%p0 = tile.program_id 0\n%line = arith.muli %p, %three : i32\n%line1 = arith.addi %line, %p0 : i32\n"
               "%plane = arith.constant 6 : i32\n%qq = arith.muli %q, %plane : i32\n%program = arith.addi %line1, %qq "
               ": i32\n"
               "%base = arith.muli %program, %size : i32\n%c12 = arith.constant 12 : i32\n%mine = arith.muli %t, %c12 "
               ": i32\n"
               "%at = arith.addi %base, %mine : i32\n%r = simt.concat %as, %ids, %tile : vector<4xi32>, vector<4xi32>, "
               "vector<4xi32> -> vector<12xi32>\n"
               "%step = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : vector<12xi32>\n"
               "%ats = simt.splat %at : i32 -> vector<12xi32>\n%each = arith.addi %ats, %step : vector<12xi32>\n"
               "simt.store %o[%each], %r : !tile.ptr<i32>, vector<12xi32>, vector<12xi32>",
           "i32", "i32"),
      {Bytes(4), Bytes(24 * lanes() * 4 * 12)}, {}, {3, 2, 2});
}

TEST_P(VulkanThreads, OneLaneIsElected) {
  std::string text =
      body("%e = simt.elect : i1\n%one = arith.extui %e : i1 to i32\n%e2 = simt.elect : i1\n"
           "%two = arith.extui %e2 : i1 to i32\n%d = arith.shli %two, %c1 : i32\n%r = arith.ori %one, %d : i32\n"
           "simt.store %o[%t], %r : !tile.ptr<i32>, i32, i32",
           "i32", "i32");
  std::vector<uint32_t> found = valuesOf<uint32_t>(runHere(text, {Bytes(4), Bytes(2 * lanes() * 4)})[1]);
  for (uint32_t warp = 0; warp < 2; ++warp)
    EXPECT_EQ(std::count(found.begin() + warp * lanes(), found.begin() + (warp + 1) * lanes(), 3u), 1);
  EXPECT_EQ(std::count(found.begin(), found.end(), 0u), 2 * lanes() - 2);
}

TEST_P(VulkanThreads, BarriersOfAWarpAndOfAll) {
  expectSame(
      body("%s = simt.shared_alloc at 0 : !simt.shared<256xi32>\n%v = simt.load %x[%t] : !tile.ptr<i32>, i32 -> i32\n"
           "simt.shared_store %s[%t], %v : !simt.shared<256xi32>, i32, i32\nsimt.barrier warps 1\n"
           "%near = arith.xori %t, %c1 : i32\n%a = simt.shared_load %s[%near] : !simt.shared<256xi32>, i32 -> i32\n"
           "simt.barrier warps 2\nsimt.fence workgroup\nsimt.fence device\n"
           "%across = arith.constant " +
               std::to_string(lanes()) +
               " : i32\n%far = arith.xori %t, %across : i32\n"
               "simt.shared_store %s[%far], %a : !simt.shared<256xi32>, i32, i32\nsimt.barrier\n"
               "%b = simt.shared_load %s[%t] : !simt.shared<256xi32>, i32 -> i32\n"
               "simt.store %o[%t], %b : !tile.ptr<i32>, i32, i32\nsimt.barrier\n"
               "%g = simt.load %o[%near] : !tile.ptr<i32>, i32 -> i32\n%h = arith.addi %g, %b : i32\nsimt.barrier\n"
               "simt.store %o[%t], %h : !tile.ptr<i32>, i32, i32",
           "i32", "i32", 4),
      {counted(4 * lanes() * 4), Bytes(4 * lanes() * 4)});
}

TEST_P(VulkanThreads, LoopsAndBranchesCarryTiles) {
  expectSame(body(R"(
    %zero = arith.constant dense<0> : vector<4xi64>
    %one = arith.constant dense<[1, 3, 5, 7]> : vector<4xi64>
    %sum, %count = scf.for %i = %c0 to %t step %c2 iter_args(%s = %zero, %n = %c0) -> (vector<4xi64>, i32) : i32 {
      %odd = arith.andi %i, %c4 : i32
      %is = arith.cmpi ne, %odd, %c0 : i32
      %next, %k = scf.if %is -> (vector<4xi64>, i32) {
        %a = arith.addi %s, %one : vector<4xi64>
        %inner = scf.for %j = %c0 to %i step %c1 iter_args(%u = %a) -> (vector<4xi64>) : i32 {
          %d = arith.addi %u, %u : vector<4xi64>
          scf.yield %d : vector<4xi64>
        } {simt.divergent}
        scf.yield %inner, %c8 : vector<4xi64>, i32
      } else {
        %b = arith.subi %s, %one : vector<4xi64>
        scf.yield %b, %n : vector<4xi64>, i32
      } {simt.divergent}
      %m = arith.addi %k, %c1 : i32
      scf.yield %next, %m : vector<4xi64>, i32
    } {simt.divergent}
    %w0, %w1 = scf.while (%p = %t, %q = %sum) : (i32, vector<4xi64>) -> (i32, vector<4xi64>) {
      %go = arith.cmpi sgt, %p, %c1 : i32
      %more = arith.addi %q, %one : vector<4xi64>
      scf.condition(%go) %p, %more : i32, vector<4xi64>
    } do {
    ^bb0(%p: i32, %q: vector<4xi64>):
      %half = arith.shrui %p, %c1 : i32
      %x3 = arith.muli %q, %one : vector<4xi64>
      scf.yield %half, %x3 : i32, vector<4xi64>
    } attributes {simt.divergent}
    %c16 = arith.constant 16 : i32
    %at = arith.muli %t, %c4 : i32
    %e = arith.extui %w0 : i32 to i64
    %es = simt.splat %e : i64 -> vector<4xi64>
    %ce = arith.extui %count : i32 to i64
    %cs = simt.splat %ce : i64 -> vector<4xi64>
    %r0 = arith.xori %w1, %es : vector<4xi64>
    %r = arith.addi %r0, %cs : vector<4xi64>
    simt.store %o[%at], %r : !tile.ptr<i64>, i32, vector<4xi64>)",
                  "i64", "i64"),
             {Bytes(8), Bytes(2 * lanes() * 32)});
}

TEST_P(VulkanThreads, RegistersAreReducedAndSpread) {
  const std::pair<const char *, const char *> kinds[] = {
      {"addf", "f32"},    {"mulf", "f16"}, {"maximumf", "f64"}, {"minimumf", "bf16"}, {"maxnumf", "f32"},
      {"minnumf", "f32"}, {"addi", "i32"}, {"muli", "i64"},     {"maxsi", "i8"},      {"minsi", "i16"},
      {"maxui", "i32"},   {"minui", "i8"}, {"andi", "i32"},     {"ori", "i16"},       {"xori", "i64"}};
  for (auto [kind, type] : kinds)
    for (const char *keep : {"0", "1", "2", "5", "7"}) {
      int count = keep[0] == '0' ? 1 : keep[0] == '5' ? 4 : keep[0] == '7' ? 8 : 2;
      std::string small = "vector<" + std::to_string(count) + "x" + type + ">";
      expectSame(body(replaced("%at = arith.muli %t, %c8 : i32\n%v = simt.load %x[%at] : PTR, i32 -> vector<8xTYPE>\n"
                               "%s = simt.reduce_registers KIND %v keep KEEP : vector<8xTYPE> -> SMALL\n"
                               "%r = simt.spread_registers %s keep KEEP : SMALL -> vector<8xTYPE>\n"
                               "simt.store %o[%at], %r : PTR, i32, vector<8xTYPE>",
                               {{"KIND", kind},
                                {"KEEP", keep},
                                {"SMALL", small},
                                {"PTR", std::string("!tile.ptr<") + type + ">"},
                                {"TYPE", type}}),
                      type, type),
                 {counted(2 * lanes() * 64), Bytes(2 * lanes() * 64)});
    }
}

/// A block that is too large for push constants is passed in a buffer.
TEST_P(VulkanThreads, ArgumentsOfEveryTypeAndNumber) {
  for (int extra : {0, 40}) {
    std::string text =
        "func.func @k(%o: !tile.ptr<f32> {tile.name = \"o\"}, %b: i1 {tile.name = \"b\"}, %h: f16 {tile.name = \"h\"}, "
        "%g: bf16 {tile.name = \"g\"}, %q: f8E4M3FN {tile.name = \"q\"}, %s: i8 {tile.name = \"s\"}, %l: i64 "
        "{tile.name = \"l\"}";
    for (int i = 0; i < extra; ++i)
      text += ", %e" + std::to_string(i) + ": i64 {tile.name = \"e" + std::to_string(i) + "\"}";
    text +=
        ") attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 8 : i32} {\n"
        "%c0 = arith.constant 0 : i32\n%bf = arith.uitofp %b : i1 to f32\n%hf = arith.extf %h : f16 to f32\n"
        "%gf = arith.extf %g : bf16 to f32\n%qf = arith.extf %q : f8E4M3FN to f32\n%sf = arith.sitofp %s : i8 to f32\n"
        "%lf = arith.sitofp %l : i64 to f32\n"
        "%r = simt.concat %bf, %hf, %gf, %qf, %sf, %lf, LAST, LAST : f32, f32, f32, f32, f32, f32, f32, f32 -> "
        "vector<8xf32>\n"
        "simt.store %o[%c0], %r : !tile.ptr<f32>, i32, vector<8xf32>\nreturn\n}\n";
    text = replaced(text,
                    {{"LAST", extra ? "%ef" : "%lf"},
                     {"%lf = ar", (extra ? std::string("%ef = arith.sitofp %e39 : i64 to f32\n") : "") + "%lf = ar"}});
    std::vector<uint64_t> scalars = {1, 0x3c00, 0x4000, 0x38, 0xfd, uint64_t(-77)};
    for (int i = 0; i < extra; ++i)
      scalars.push_back(uint64_t(i));
    float last = extra ? 39 : -77;
    EXPECT_EQ(valuesOf<float>(runHere(text, {Bytes(32)}, scalars)[0]),
              (std::vector<float>{1, 1, 2, 1, -3, -77, last, last}));
  }
}

TEGULA_ON_EACH_DEVICE(VulkanThreads);

} // namespace
} // namespace tegula::vulkan::test
