// Control flow, at compile time and at run time.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kControlFile = "control.py";

/// The one integer that `kernel(y_ptr, arguments...)` writes.
int64_t result(const std::string &kernel, std::vector<Value> arguments, const Options &options = {}) {
  Array y = blank(DType::I32, {1});
  arguments.insert(arguments.begin(), &y);
  run(kControlFile, kernel, arguments, options);
  return static_cast<int64_t>(y[0]);
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

} // namespace

} // namespace tegula::conformance
