// What kernels print, assert and promise.
#include "Conformance.h"

#include <gmock/gmock.h>

namespace tegula::conformance {

namespace {

using testing::HasSubstr;

const std::string kDebuggingFile = "debugging.py";

int64_t linesWith(const std::string &text, const std::string &part) {
  int64_t count = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    count += text.substr(begin, end - begin).find(part) != std::string::npos;
    begin = end + 1;
  }
  return count;
}

TEST(Debugging, device_print) {
  Array x = of(DType::F32, {1, 2.5, -3, 4});
  std::string printed = run(kDebuggingFile, "device_print", {&x}, {.constants = {{"N", 4}}});
  EXPECT_EQ(linesWith(printed, "value: "), 4) << printed; // one line for each element
  EXPECT_EQ(linesWith(printed, "again: "), 1) << printed;
  EXPECT_EQ(linesWith(printed, "done"), 1) << printed;
  EXPECT_THAT(printed, HasSubstr("2.5"));
  EXPECT_THAT(printed, HasSubstr("pid (0, 0, 0)"));
}

TEST(Debugging, device_print_hex) {
  Array x = of(DType::I32, {255, 4096});
  std::string printed = run(kDebuggingFile, "device_print_hex", {&x}, {.constants = {{"N", 2}}});
  EXPECT_EQ(linesWith(printed, "bits: "), 2) << printed;
  EXPECT_EQ(linesWith(printed, "0x000000ff"), 1) << printed;
  EXPECT_EQ(linesWith(printed, "0x00001000"), 1) << printed;
}

TEST(Debugging, device_assert) {
  Array good = of(DType::F32, {1, 2, 3, 4}), bad = of(DType::F32, {1, -2, 3, 4}), y = blank(DType::F32, {4});
  run(kDebuggingFile, "device_assert", {&good, &y}, {.constants = {{"N", 4}}});
  expectEqual(y, [&](int64_t i) { return good[i]; });
  try {
    run(kDebuggingFile, "device_assert", {&bad, &y}, {.constants = {{"N", 4}}});
    FAIL() << "the assertion did not stop the kernel";
  } catch (const ApiError &error) {
    EXPECT_EQ(error.kind(), ApiError::Kind::KernelFault);
    EXPECT_THAT(error.what(), HasSubstr("x must be positive"));
  }
}

TEST(Debugging, assert_statement) {
  Array good = of(DType::I32, {12}), bad = of(DType::I32, {13}), y = blank(DType::I32, {1});
  run(kDebuggingFile, "assert_statement", {&good, &y});
  expectEqual(y, [](int64_t) { return 12; });
  try {
    run(kDebuggingFile, "assert_statement", {&bad, &y});
    FAIL() << "the assertion did not stop the kernel";
  } catch (const ApiError &error) {
    EXPECT_THAT(error.what(), HasSubstr("thirteen is not wanted"));
  }
}

TEST(Debugging, hints) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  run(kDebuggingFile, "hints", {&x, &y, int64_t(24)}, {.constants = {{"N", 32}}});
  expectNear(y, [&](int64_t i) { return (i < 24 ? x[i] : 0) + i / 4; }, 1e-6);
}

TEST(Debugging, false_assumption_is_a_fault_in_checked_mode) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  try {
    run(kDebuggingFile, "hints", {&x, &y, int64_t(-8)}, {.constants = {{"N", 32}}, .checked = true});
    FAIL() << "the false assumption was not reported";
  } catch (const ApiError &error) {
    EXPECT_EQ(error.kind(), ApiError::Kind::KernelFault);
  }
}

TEST(Debugging, hints_2d) {
  Array x = random(DType::F32, {4, 16}), y = blank(DType::F32, {4, 16});
  run(kDebuggingFile, "hints_2d", {&x, &y}, {.constants = {{"M", 4}, {"N", 16}}});
  expectEqual(y, [&](int64_t i) { return x[i]; });
}

TEST(Debugging, expect_zero) {
  Array x = random(DType::F32, {32}), y = blank(DType::F32, {32});
  for (size_t i = 0; i < 16; ++i)
    x.values[i] = 0;
  run(kDebuggingFile, "expect_zero", {&x, &y}, {.constants = {{"N", 32}}});
  expectEqual(y, [&](int64_t i) { return x[i] + 1; });
}

} // namespace

} // namespace tegula::conformance
