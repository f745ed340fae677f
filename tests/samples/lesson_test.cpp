#include "Lesson.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using samples::BadUse;
using samples::Comparison;
using samples::Lesson;
using samples::Work;
using testing::HasSubstr;

namespace {

struct Outcome {
  int status = -1;
  std::string out, err;
  int64_t size = 100;
};

// Runs a lesson with one option in this process.
Outcome runLesson(std::vector<std::string> arguments, const std::function<void(Lesson &, int64_t)> &body) {
  Outcome outcome;
  Lesson lesson("99_example", "An example.");
  lesson.option("--size", outcome.size, "how many", 1, 1000);
  arguments.insert(arguments.begin(), "99_example");
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  outcome.status = lesson.run(static_cast<int>(argv.size()), argv.data(), [&] { body(lesson, outcome.size); });
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

void nothing(Lesson &, int64_t) {}

Comparison comparisonOf(double actual) {
  Comparison comparison;
  comparison.add(0, actual, 1, {});
  return comparison;
}

TEST(Lesson, RightResultsEndWithStatus0) {
  Outcome outcome = runLesson({"--device", "cpu", "--size", "7"}, [](Lesson &lesson, int64_t size) {
    lesson.report("first", std::to_string(size), {1, 0.002}, Work::bytes(4e6), comparisonOf(1));
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("99_example on cpu"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("first +7 +1.00 s +2.00 ms +2.00 GB/s +0.0 / 0.0  ok\n"));
}

TEST(Lesson, OneWrongResultEndsWithStatus1) {
  Outcome outcome = runLesson({"--device", "cpu"}, [](Lesson &lesson, int64_t) {
    lesson.report("good", "1", {1, 1}, Work::bytes(1), comparisonOf(1));
    lesson.report("bad", "1", {1, 1}, Work::bytes(1), comparisonOf(3));
    lesson.report("good again", "1", {1, 1}, Work::bytes(1), comparisonOf(1));
  });
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("2.0e+00 / 0.0  WRONG\n"));
  EXPECT_THAT(outcome.out, HasSubstr("1 of 1 elements are wrong: element 0 is 3, expected 1 within 0"));
}

TEST(Lesson, NothingComparedIsWrong) {
  Outcome outcome = runLesson({"--device", "cpu"}, [](Lesson &lesson, int64_t) {
    lesson.report("empty", "0", {1, 1}, Work::bytes(1), Comparison());
  });
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("nothing was compared"));
}

TEST(Lesson, HelpTeachesAndEndsWithStatus0) {
  Outcome outcome = runLesson({"--help"}, nothing);
  EXPECT_EQ(outcome.status, 0);
  for (const char *part : {"An example.", "--device", "--size", "how many", "Exit status"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST(Lesson, BadUseEndsWithStatus2AndOneLine) {
  for (std::vector<std::string> arguments : {std::vector<std::string>{"--no-such-option"},
                                             {"--size", "0"},
                                             {"--size", "1001"},
                                             {"--size", "many"},
                                             {"--size"},
                                             {"--device", "nonsense"},
                                             {"--repeat", "0"}}) {
    Outcome outcome = runLesson(arguments, nothing);
    EXPECT_EQ(outcome.status, 2) << arguments[0];
    EXPECT_THAT(outcome.err, testing::StartsWith("99_example: ")) << arguments[0];
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  Outcome outcome = runLesson({"--device", "cpu"}, [](Lesson &, int64_t) { throw BadUse("--size must be odd"); });
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "99_example: --size must be odd\n");
}

TEST(Lesson, FailuresEndWithStatus1) {
  using Kind = tegula::ApiError::Kind;
  for (Kind kind : {Kind::BadKernel, Kind::KernelFault, Kind::Device, Kind::Internal})
    EXPECT_EQ(runLesson({"--device", "cpu"}, [&](Lesson &, int64_t) { throw tegula::ApiError(kind, "text"); }).status,
              1);
  auto badUse = [](Lesson &, int64_t) { throw tegula::ApiError(Kind::BadUse, "text"); };
  EXPECT_EQ(runLesson({"--device", "cpu"}, badUse).status, 2);
  auto other = [](Lesson &, int64_t) { throw std::runtime_error("text"); };
  EXPECT_EQ(runLesson({"--device", "cpu"}, other).status, 1);
}

TEST(Lesson, RecordsOneLineForEachResult) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "tegula_record.tsv").string();
  std::filesystem::remove(path);
  for (double actual : {1.0, 2.0})
    runLesson({"--device", "cpu", "--record", path}, [&](Lesson &lesson, int64_t) {
      lesson.report("some variant", "10x20", {1, 0.5}, Work::flops(1e12), comparisonOf(actual));
    });
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "cpu\t99_example\tsome variant\t10x20\t500 ms\t2000 GFLOP/s\t0.0 / 0.0\tok\n"
                        "cpu\t99_example\tsome variant\t10x20\t500 ms\t2000 GFLOP/s\t1.0e+00 / 0.0\tWRONG\n");
}

TEST(Lesson, TimeLaunchesOnceMoreThanItRepeats) {
  int launches = 0;
  Outcome outcome = runLesson({"--device", "cpu", "--repeat", "3"}, [&](Lesson &lesson, int64_t) {
    samples::Timing timing = lesson.time([&] { launches += 1; });
    EXPECT_GE(timing.first, 0);
    EXPECT_GE(timing.median, 0);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(launches, 4);
}

TEST(Format, ThreeDigitsInTheUnitThatSuits) {
  EXPECT_EQ(samples::formatSeconds(12.345e-6), "12.3 us");
  EXPECT_EQ(samples::formatSeconds(0.1234), "123 ms");
  EXPECT_EQ(samples::formatSeconds(1.5), "1.50 s");
  EXPECT_EQ(samples::formatRate(0.5, Work::bytes(1e9)), "2.00 GB/s");
  EXPECT_EQ(samples::formatRate(1, Work::flops(5.21e10)), "52.1 GFLOP/s");
  EXPECT_EQ(samples::formatRate(1, Work::flops(7.2e14)), "720000 GFLOP/s");
}

TEST(KernelPath, FindsTheKernelsOfTheLessons) {
  for (auto [lesson, file] : {std::pair("01_vector_add", "vector_add.py"), std::pair("05_matmul", "matmul.py")})
    EXPECT_TRUE(std::filesystem::exists(samples::kernelPath(lesson, file))) << samples::kernelPath(lesson, file);
}

} // namespace
