// `tegula layout` as a process.
#include "core/support/Files.h"
#include "tests/cli/CliFixture.h"

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class LayoutCli : public CliTest {};

TEST_F(LayoutCli, GridOfAFragment) {
  Outcome outcome = tegula({"layout", "mma(\"m16n8k16\",\"c\")", "--svg", path("c.svg")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("16x8 in 4 registers of 32 lanes; a cell is lane:register\n"));
  EXPECT_THAT(outcome.out, HasSubstr("accesses: 2 elements at once in row-major memory, 1 in column-major\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n    9   4:2   4:3   5:2   5:3   6:2   6:3   7:2   7:3\n"));
  EXPECT_THAT(readTextFile(path("c.svg")), HasSubstr(">31:3</text>"));
  EXPECT_THAT(tegula({"layout", "mma(\"m16n8k16\",\"c\")", "--shape=16x16"}).out, HasSubstr("16x16 in 8 registers"));
}

TEST_F(LayoutCli, SharedMemory) {
  Outcome outcome = tegula({"layout", "pad(swizzle(128, 8x64xf16), 64, 8)"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("shared memory, 8x64, 568 elements, 8 unused after each 64; a cell is the address"));
}

TEST_F(LayoutCli, Conversion) {
  Outcome outcome = tegula({"layout", "blocked([1,4],[8,4],[4,1],[1,0],[64,64])",
                            "--to=blocked([4,1],[4,8],[1,4],[0,1],[64,64])", "--type=f16"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("shared: 8192 bytes\n"));
  EXPECT_THAT(outcome.out, HasSubstr("no conflicts"));
  EXPECT_THAT(tegula({"layout", "lane: (1)", "--to=lane: (1)"}).out,
              HasSubstr("nothing: every thread has what it needs"));
}

TEST_F(LayoutCli, MistakesAreLocated) {
  expectMessage(tegula({"layout", "register: (0,1); lame: (1,0)"}), 2,
                "layout:1:18: error: unknown dimension 'lame'; expected register, lane, warp, block or offset");
  expectMessage(tegula({"layout", "lane: (1)", "--shape=6"}), 2, "layout:1:1: error: size 6 is no power of two");
  expectMessage(tegula({"layout", "lane: (1)", "--to=lane: (1) (2)"}), 2, "cannot convert from 2 to 4 values of lane");
  expectMessage(tegula({"layout", "lane: (1)", "--svg=/nowhere/x.svg"}), 2, "/nowhere/x.svg");
  expectMessage(tegula({"layout"}), 2, "LAYOUT is required; `tegula layout --help` shows examples");
}

} // namespace
} // namespace tegula::test
