// The constructors of `tegula layout`, and its pictures.
#include "frontend/cli/layout/LayoutPicture.h"

#include "core/layout/Layouts.h"
#include "core/support/Diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <algorithm>

namespace tegula::cli {
namespace {

using ::testing::HasSubstr;
using namespace layout;

std::string messageOf(const std::string &text) {
  try {
    parseLayoutExpression(text);
  } catch (const Error &error) {
    return format(error.diagnostic());
  }
  return "no error";
}

TEST(LayoutExpression, Constructors) {
  EXPECT_EQ(parseLayoutExpression("blocked([1,4],[8,4],[4,1],[1,0],[64,64])").map,
            blocked({{1, 4}, {8, 4}, {4, 1}, {1, 0}, {64, 64}}));
  EXPECT_EQ(parseLayoutExpression("sliced(blocked([1,4],[8,4],[4,1],[1,0],[64,64]), 1)").map,
            sliced(blocked({{1, 4}, {8, 4}, {4, 1}, {1, 0}, {64, 64}}), 1));
  EXPECT_EQ(parseLayoutExpression("sliced(\"register: (0,1); lane: (0,2) (1,0)\", 1)").map.toText(),
            "register:; lane: (0) (1)");
  EXPECT_EQ(parseLayoutExpression("mma(\"m16n8k16\", \"c\")").map.toText(),
            "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)");
  EXPECT_EQ(parseLayoutExpression("mma(\"m16n8k16\",\"a\",[2,2],[32,16])").map.toText(),
            "register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0); warp: (0,0) (16,0)");
  EXPECT_EQ(parseLayoutExpression("swizzle(128, 64x64xf16)").map, spanSwizzled({{64, 64}, 128, 2, {1, 0}}));
  EXPECT_EQ(parseLayoutExpression("swizzle(64, 64x32xi8, [0,1])").map, spanSwizzled({{64, 32}, 64, 1, {0, 1}}));
  EXPECT_EQ(parseLayoutExpression("swizzle(8,2,4,32x64xbf16)").map, swizzled({{32, 64}, 8, 2, 4, {1, 0}}));
  EXPECT_EQ(parseLayoutExpression("columnmajor(4x8)").map, columnMajor({4, 8}));
  LayoutValue padded = parseLayoutExpression("pad(rowmajor(4x8xf64), 8, 2)");
  EXPECT_EQ(padded.map, rowMajor({4, 8}));
  EXPECT_EQ(padded.paddings, (std::vector<Padding>{{8, 2}}));
  EXPECT_EQ(padded.elementBytes, 8u);
}

TEST(LayoutExpression, MistakesAreLocated) {
  EXPECT_EQ(messageOf("bloked([1],[2],[1],[0],[8])"),
            "layout:1:1: error: unknown constructor 'bloked'; did you mean 'blocked'?\n"
            "    bloked([1],[2],[1],[0],[8])\n"
            "    ^\n");
  EXPECT_THAT(messageOf("blocked([1,4],[8,4],[4,1],[1,0])"), HasSubstr("layout:1:32: error: expected ',', found ')'"));
  EXPECT_THAT(messageOf("blocked([1,3],[8,4],[4,1],[1,0],[8,8])"),
              HasSubstr("layout:1:1: error: layout: sizePerThread is [1,3]; expected 2 powers of two"));
  EXPECT_THAT(messageOf("blocked([1,1],[8,4],[4,1],[1,1],[8,8])"), HasSubstr("order is [1,1]; expected a permutation"));
  EXPECT_THAT(messageOf("mma(\"m16n8k16\",\"d\")"), HasSubstr("layout:1:16: error: operand 'd'"));
  EXPECT_THAT(messageOf("mma(\"m16n8k17\",\"c\")"),
              HasSubstr("layout:1:5: error: unknown matrix instruction 'm16n8k17'"));
  EXPECT_THAT(messageOf("mma(\"mfma_f32_32x32x8_f61\",\"c\")"), HasSubstr("did you mean 'mfma_f32_32x32x8_f16'?"));
  EXPECT_THAT(messageOf("mma(\"m64n64k16\",\"b\")"), HasSubstr("is in shared memory"));
  EXPECT_THAT(messageOf("mma(\"m64n64k16\",\"a)"), HasSubstr("is not closed"));
  EXPECT_THAT(messageOf("swizzle(48, 8x8xf16)"),
              HasSubstr("the span of a swizzle is 48 bytes; expected 32, 64 or 128"));
  EXPECT_THAT(messageOf("swizzle(1,2,8x8)"), HasSubstr("expected swizzle(SPAN, SHAPE)"));
  EXPECT_THAT(messageOf("swizzle(128, 8x7xf16)"), HasSubstr("layout:1:16: error: size 7 is no power of two"));
  EXPECT_THAT(messageOf("rowmajor(8x8xf17)"), HasSubstr("layout:1:14: error: unknown type 'f17'"));
  EXPECT_THAT(messageOf("pad(mma(\"m16n8k16\",\"c\"),8,1)"), HasSubstr("only layouts of shared memory have padding"));
  EXPECT_THAT(messageOf("rowmajor(8x8) x"), HasSubstr("layout:1:15: error: expected the end, found 'x'"));
  EXPECT_THAT(messageOf("offset: (1) (4)"), HasSubstr("does not hold the whole tensor"));
  EXPECT_THROW(parseLayoutShape("16x"), Error);
  EXPECT_THROW(parseLayoutShape("16xf16"), Error);
  EXPECT_EQ(parseLayoutShape("16x8"), (std::vector<uint32_t>{16, 8}));
  EXPECT_THROW(withShape(parseLayoutExpression("rowmajor(8x8)"), {8, 8}), Error);
  EXPECT_THROW(withShape(parseLayoutExpression("lane: (1)"), {8, 8}), Error);
}

TEST(LayoutPicture, Grids) {
  EXPECT_EQ(printGrid(makeGrid(parseLayoutExpression("register: (0,1); lane: (0,2) (1,0)"))),
            "         0    1    2    3\n"
            "    0  0:0  0:1  1:0  1:1\n"
            "    1  2:0  2:1  3:0  3:1\n");
  EXPECT_EQ(printGrid(makeGrid(parseLayoutExpression("lane: (1) (0); warp: (2)"))),
            "             0        1        2        3\n"
            "    0  0/0:0+1  0/1:0+1  1/0:0+1  1/1:0+1\n");
  EXPECT_EQ(printGrid(makeGrid(parseLayoutExpression("offset: (0,1) (0,2) (1,1) (2,2)"))), "        0   1   2   3\n"
                                                                                           "    0   0   1   2   3\n"
                                                                                           "    1   5   4   7   6\n"
                                                                                           "    2  10  11   8   9\n"
                                                                                           "    3  15  14  13  12\n");
  EXPECT_EQ(printGrid(makeGrid(parseLayoutExpression("pad(rowmajor(2x2), 2, 1)"))), "       0  1\n"
                                                                                    "    0  0  1\n"
                                                                                    "    1  3  4\n");
  EXPECT_EQ(printGrid(makeGrid(parseLayoutExpression("lane: (1) -> [4]"))), "         0    1    2    3\n"
                                                                            "    0  0:0  1:0    -    -\n");
  EXPECT_THAT(printGrid(makeGrid(parseLayoutExpression("rowmajor(128x128)"))), HasSubstr("the first 64x64 of 128x128"));
  EXPECT_THROW(makeGrid(parseLayoutExpression("rowmajor(2048x2048)")), Error);
}

TEST(LayoutPicture, InstructionsWithAnNOfTheirOwnSize) {
  LayoutGrid grid = makeGrid(parseLayoutExpression("mma(\"m64n24k16\",\"c\")"));
  EXPECT_EQ(grid.columns, 24u);
  for (const std::vector<Holder> &holders : grid.holders) {
    ASSERT_EQ(holders.size(), 1u);
    EXPECT_LT(holders[0].reg, 12u);
  }
}

TEST(LayoutPicture, SvgHasACellForEachElement) {
  std::string svg = drawGrid(makeGrid(parseLayoutExpression("blocked([1,1],[2,4],[2,1],[1,0],[4,4])")), 4);
  auto count = [&](const std::string &what) {
    size_t found = 0;
    for (size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("stroke=\"#666666\""), 16u);
  EXPECT_EQ(count("hsl("), 0u) << "some readers draw such colours black";
  std::set<std::string> fills; // of 2 warps of 8 lanes, and white paper
  for (size_t at = svg.find("fill=\"#"); at != std::string::npos; at = svg.find("fill=\"#", at + 1))
    fills.insert(svg.substr(at + 6, 7));
  EXPECT_EQ(fills.size(), 17u);
  EXPECT_EQ(count("framed: row 1, column 2 is register 0 of lane 6 of warp 0"), 1u);
  EXPECT_EQ(count("warp 1, lanes 0 to 7:"), 1u);
  EXPECT_EQ(count(">1/7:0</text>"), 1u);
  EXPECT_THAT(svg, ::testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, ::testing::EndsWith("</svg>\n"));
}

TEST(LayoutPicture, SharedMemoryShowsBanks) {
  std::string svg = drawGrid(makeGrid(parseLayoutExpression("swizzle(64, 8x32xf16)")), 2);
  EXPECT_THAT(svg, HasSubstr("framed: row 1, column 2 is at element 34, byte 68, in bank 17"));
  EXPECT_THAT(svg, HasSubstr("banks of 4 bytes:"));
}

} // namespace
} // namespace tegula::cli
