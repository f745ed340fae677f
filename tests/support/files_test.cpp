// Reading files: limits of size, and what is no regular file.
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tegula {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
protected:
  void SetUp() override {
    char folder[] = "/tmp/tegula-files-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string &name) const { return folder_ + "/" + name; }

  std::string folder_;
};

std::string problem(const std::function<void()> &read) {
  try {
    read();
  } catch (const Error &error) {
    return error.what();
  }
  return "(read)";
}

TEST_F(Files, RegularOnesUpToASize) {
  writeFile(path("ten"), std::string_view("0123456789"));
  EXPECT_EQ(readTextFile(path("ten")), "0123456789");
  EXPECT_EQ(readRegularText(path("ten"), 10), "0123456789");
  EXPECT_THAT(problem([&] { readRegularText(path("ten"), 9); }), HasSubstr("ten': larger than 9 bytes"));
  EXPECT_EQ(readFile(path("ten"), 10).size(), 10u);
  EXPECT_THAT(problem([&] { readFile(path("ten"), 9); }), HasSubstr("ten': larger than 9 bytes"));
  std::filesystem::resize_file(path("ten"), kMostText + 1);
  EXPECT_THAT(problem([&] { readTextFile(path("ten")); }), HasSubstr("larger than 67108864 bytes"));
  EXPECT_THAT(problem([&] { readRegularText(path("none"), 9); }), HasSubstr("No such file"));
  EXPECT_THAT(problem([&] { readRegularText(folder_, 9); }), HasSubstr("it is a directory"));
}

TEST_F(Files, EndlessOnesEnd) {
  EXPECT_THAT(problem([] { readTextFile("/dev/zero"); }),
              HasSubstr("cannot read '/dev/zero': larger than 67108864 bytes, the most that is read from what is no "
                        "regular file"));
  EXPECT_THAT(problem([] { readFile("/dev/zero"); }), HasSubstr("larger than 268435456 bytes, the most"));
  EXPECT_THAT(problem([] { readRegularText("/dev/zero", 100); }), HasSubstr("'/dev/zero': it is no regular file"));
}

TEST_F(Files, PipesAreReadWhereAUserNamesThem) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  // Nobody writes: opening it as usual would wait.
  EXPECT_THAT(problem([&] { readRegularText(path("pipe"), 100); }), HasSubstr("pipe': it is no regular file"));
  std::thread writer([&] { writeFile(path("pipe"), std::string_view("text")); });
  EXPECT_EQ(readTextFile(path("pipe")), "text");
  writer.join();
}

} // namespace
} // namespace tegula
