// Control flow, at compile time and at run time.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kControlFile = "control.py";
// Kernels that the suite of devices has too.
const std::string kControl = kSuite + "control.py", kGrid = kSuite + "grid.py";

/// The one integer that `kernel(y_ptr, arguments...)` writes.
int64_t result(const std::string &kernel, std::vector<Value> arguments, const Options &options = {},
               const std::string &file = kControlFile) {
  Array y = blank(DType::I32, {1});
  arguments.insert(arguments.begin(), &y);
  run(file, kernel, arguments, options);
  return static_cast<int64_t>(y[0]);
}

TEST(Control, for_range) {
  EXPECT_EQ(result("for_range", {int64_t(10)}, {}, kControl), 45 + 4500);
  EXPECT_EQ(result("for_range", {int64_t(0)}, {}, kControl), 0);
}

TEST(Control, for_step) {
  EXPECT_EQ(result("for_step", {int64_t(70)}, {.constants = {{"BLOCK_K", 32}}}), 0 + 32 + 64 + 22000);
}

TEST(Control, for_tl_range) { EXPECT_EQ(result("for_tl_range", {int64_t(9)}), 36 + (0 + 2 + 4 + 6 + 8) * 100 + 9); }

// The step past the bound leaves 32 bits: the loop ends all the same.
TEST(Control, for_near_the_limit) {
  EXPECT_EQ(result("for_near_the_limit", {int64_t(0), int64_t(2147483647), int64_t(1) << 30}), 2);
  EXPECT_EQ(result("for_near_the_limit", {int64_t(2147483640), int64_t(2147483647), int64_t(10)}), 1);
}

// A constant of one branch keeps its value; a step that was assigned is known; >> goes by its left operand's sign.
TEST(Control, merged_constants) {
  EXPECT_EQ(result("merged_constants", {int64_t(1)}), 4 + 3 + 36000 + (-8 >> 1));
  EXPECT_EQ(result("merged_constants", {int64_t(0)}), 0 + 0 + 36000 - 9);
}

TEST(Control, for_hints) {
  // Sums of the numbers below 2, 5 and 8.
  EXPECT_EQ(result("for_hints", {int64_t(2), int64_t(10), int64_t(3)}), 1 + 10 + 28);
}

TEST(Control, static_range) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  run(kControl, "static_range", {&x, &y}, {.constants = {{"N", 32}}});
  expectNear(y, [&](int64_t i) { return ((x[i] * 1 + 0) * 4 + 2) * 16 + 4; }, 1e-6, 1e-5);
}

TEST(Control, static_range_constants) { EXPECT_EQ(result("static_range_constants", {}), 2 + 4 + 8); }

TEST(Control, while_loop) {
  EXPECT_EQ(result("while_loop", {int64_t(27)}), 111);
  EXPECT_EQ(result("while_loop", {int64_t(1)}), 0);
}

TEST(Control, while_condition) { EXPECT_EQ(result("while_condition", {int64_t(20)}), 190); }

TEST(Control, if_runtime) {
  Array x = random(DType::F32, {4, 16}), y = blank(DType::F32, {4, 16});
  run(kControl, "if_scalar", {&x, &y}, {.constants = {{"N", 16}}, .grid = {4}});
  expectEqual(y, [&](int64_t i) { return i / 16 == 0 ? x[i] + 1 : i / 16 == 1 ? x[i] * 2 : -x[i]; });
}

TEST(Control, if_constexpr) {
  Array x = random(DType::F32, {16}), y = blank(DType::F32, {16}), z = y;
  run(kControl, "if_constexpr", {&x, &y}, {.constants = {{"N", 16}, {"FLAG", true}, {"NOTHING", nullptr}}});
  run(kControl, "if_constexpr", {&x, &z}, {.constants = {{"N", 16}, {"FLAG", false}, {"NOTHING", nullptr}}});
  expectEqual(y, [&](int64_t i) { return 2 * x[i]; });
  expectEqual(z, [&](int64_t i) { return -x[i]; });
}

TEST(Control, conditional_expression) {
  EXPECT_EQ(result("conditional_expression", {int64_t(9)}), 10);
  EXPECT_EQ(result("conditional_expression", {int64_t(3)}), 20);
}

TEST(Control, chained_conditions) {
  for (int64_t n : {-3, 2, 5, 7, 12}) {
    int64_t expected = (0 < n && n < 10 && n != 5) + (n < 0 || n > 3) * 10 + (n != 7) * 100 + (n > 5 ? 1000 : 2000);
    EXPECT_EQ(result("conditions", {n}, {}, kControl), expected) << n;
  }
}

TEST(Control, nested_returns) {
  EXPECT_EQ(result("nested_returns", {int64_t(-5)}), 0);
  EXPECT_EQ(result("nested_returns", {int64_t(5)}), 1);
  EXPECT_EQ(result("nested_returns", {int64_t(50)}), 2);
}

TEST(Control, runtime_return_value) {
  EXPECT_EQ(result("runtime_return_value", {int64_t(2)}), 1);
  EXPECT_EQ(result("runtime_return_value", {int64_t(20)}), 40);
}

TEST(Control, static_assert) {
  EXPECT_EQ(result("static_assert", {}, {.constants = {{"N", 8}}}), 8);
  try {
    result("static_assert", {}, {.constants = {{"N", 7}}});
    FAIL() << "no message";
  } catch (const ApiError &error) {
    EXPECT_NE(std::string(error.what()).find("N must be a multiple of 4, found 7"), std::string::npos) << error.what();
  }
}

TEST(Control, static_print) { // on standard output, once, when the kernel is compiled
  testing::internal::CaptureStdout();
  EXPECT_EQ(result("static_print", {}, {.constants = {{"N", 8}}}), 8);
  EXPECT_EQ(result("static_print", {}, {.constants = {{"N", 8}}}), 8);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "N is|8|(1, 2)\n");
}

TEST(Control, carried_tuple) { EXPECT_EQ(result("carried_tuple", {int64_t(20)}), 6765); }

TEST(Control, loop_in_branch) {
  Array x = random(DType::F32, {16}), y = blank(DType::F32, {16}), z = y;
  run(kControl, "loop_in_branch", {&x, &y, int64_t(6)}, {.constants = {{"N", 16}}});
  run(kControl, "loop_in_branch", {&x, &z, int64_t(2)}, {.constants = {{"N", 16}}});
  expectNear(y, [&](int64_t i) { return x[i] * (1 + 3 + 5); }, 1e-6, 1e-5);
  expectEqual(z, [](int64_t) { return 0; });
}

TEST(Control, persistent) { // more tiles than programs
  Array y = blank(DType::I32, {10 * 16});
  run(kControl, "persistent", {&y, int64_t(10)}, {.constants = {{"PROGRAMS", 3}, {"BLOCK", 16}}, .grid = {3}});
  expectEqual(y, [](int64_t i) { return 2 * i; });
}

TEST(Control, grouped) { // each tile exactly once, also where the last group is smaller
  Array y = blank(DType::I32, {7, 5});
  run(kGrid, "grouped", {&y, int64_t(7), int64_t(5)}, {.constants = {{"GROUP", 3}}, .grid = {35}});
  expectEqual(y, [](int64_t i) {
    int64_t row = i / 5, column = i % 5, first = row / 3 * 3, size = std::min<int64_t>(7 - first, 3);
    return first * 5 + column * size + row - first;
  });
}

} // namespace

} // namespace tegula::conformance
