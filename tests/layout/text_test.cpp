// The text form: printed layouts parse back, and errors are located.
#include "core/layout/LinearLayout.h"
#include "core/support/Diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::layout {
namespace {

using ::testing::HasSubstr;

const char *const kFragment = "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)";

std::string messageOf(const std::string &text) {
  try {
    LinearLayout::parse(text);
  } catch (const Error &error) {
    return format(error.diagnostic());
  }
  return "no error";
}

TEST(Text, WorkedTableOfTheHeader) {
  LinearLayout layout = LinearLayout::parse(kFragment);
  EXPECT_EQ(layout.toText(), kFragment);
  EXPECT_EQ(layout.shape(), (std::vector<uint32_t>{16, 8}));
  EXPECT_EQ(layout.apply({{kRegister, 3}, {kLane, 6}}), (Coordinates{9, 5}));
  EXPECT_EQ(layout.apply({{kLane, 5}, {kRegister, 1}}), (Coordinates{1, 3}));
  EXPECT_EQ(layout.toTable(), "register       1 -> (0,1)\n"
                              "               2 -> (8,0)\n"
                              "lane           1 -> (0,2)\n"
                              "               2 -> (0,4)\n"
                              "               4 -> (1,0)\n"
                              "               8 -> (2,0)\n"
                              "              16 -> (4,0)\n"
                              "where dim0 is 16, dim1 is 8\n");
}

TEST(Text, PrintsAndParsesBack) {
  for (const char *text : {kFragment, "register:; lane: (1) (2)", "lane: (1) (2) (0)",
                           "offset: (0,1) (0,2) (1,1) (2,2)", "register: (0,1) -> [4,4]", "lane: (1) (2) -> offset[64]",
                           "lane: (1,0) (0,1) -> dim1[2] dim0[2]", "register:; lane: -> [1,8]", "->"}) {
    LinearLayout layout = LinearLayout::parse(text);
    EXPECT_EQ(layout.toText(), text);
    EXPECT_EQ(LinearLayout::parse(layout.toText()), layout);
  }
  EXPECT_EQ(LinearLayout::parse(""), LinearLayout());
  EXPECT_EQ(LinearLayout::parse(" lane : ( 1 , 0 )( 0,1 ) ;-> [ 2,2 ] ").toText(), "lane: (1,0) (0,1)");
}

TEST(Text, MistakesAreLocated) {
  EXPECT_EQ(messageOf("register: (0,1); lame: (1,0)"),
            "layout:1:18: error: unknown dimension 'lame'; expected register, lane, warp, block or offset\n"
            "    register: (0,1); lame: (1,0)\n"
            "                     ^\n");
  EXPECT_THAT(messageOf("lane: (0,1) (1)"),
              HasSubstr("layout:1:13: error: this basis has 1 coordinates; those before have 2"));
  EXPECT_THAT(messageOf("lane: (0,1"), HasSubstr("1:11: error: expected ',' or ')', found the end"));
  EXPECT_THAT(messageOf("lane (0,1)"), HasSubstr("1:6: error: expected ':', found '('"));
  EXPECT_THAT(messageOf("lane: 3"), HasSubstr("1:7: error: expected '(', ';' or '->', found '3'"));
  EXPECT_THAT(messageOf("lane: (x)"), HasSubstr("1:8: error: expected a number, found 'x'"));
  EXPECT_THAT(messageOf("lane: (1); lane: (2)"), HasSubstr("1:12: error: dimension lane occurs twice"));
  EXPECT_THAT(messageOf("lane: (99999999999)"), HasSubstr("1:8: error: a number above 2^31"));
  EXPECT_THAT(messageOf("lane: (4) -> [4]"), HasSubstr("output dim0 has size 4 but the bases need 8"));
  EXPECT_THAT(messageOf("lane: (4) -> [6]"), HasSubstr("size 6 is no power of two"));
  EXPECT_THAT(messageOf("lane: (4) -> [8,8]"), HasSubstr("the bases have 1 coordinates but 2 outputs are given"));
  EXPECT_THAT(messageOf("lane: (4) -> [8] x"), HasSubstr("1:18: error: expected the end, found 'x'"));
  EXPECT_THAT(messageOf("-> dim0[2147483648] dim1[2147483648] dim2[4]"), HasSubstr("at most 63 are possible"));
}

} // namespace
} // namespace tegula::layout
