// Records: found again by their whole key, shared by threads and processes, refused where they are damaged.
#include "core/tuning/Records.h"
#include "tests/tuning/Fixture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tegula::tuning {
namespace {

using ::testing::HasSubstr;

class RecordsTest : public TemporaryFolder {};

TEST_F(RecordsTest, AreFoundByTheWholeKey) {
  Records records(path());
  EXPECT_FALSE(records.find(makeRecord(1)));
  EXPECT_FALSE(std::filesystem::exists(path())) << "a look-up makes no file";
  records.store({makeRecord(1), makeRecord(2)});
  EXPECT_TRUE(isSame(records.find(makeRecord(1)), makeRecord(1)));
  EXPECT_TRUE(isSame(Records(path()).find(makeRecord(2)), makeRecord(2)));
  for (std::string Record::*part : {&Record::kernel, &Record::text, &Record::target, &Record::driver, &Record::build,
                                    &Record::types, &Record::given, &Record::key}) {
    Record other = makeRecord(1);
    other.*part += "'; --";
    EXPECT_FALSE(records.find(other));
  }
  Record better = makeRecord(1);
  better.seconds = 1e-9;
  better.config.constants["BLOCK"] = int64_t(7);
  records.store({better});
  EXPECT_TRUE(isSame(records.find(makeRecord(1)), better));
  EXPECT_EQ(records.list().size(), 2u);
  EXPECT_TRUE(records.hasKernel(better.kernel, better.text, better.target));
  EXPECT_FALSE(records.hasKernel(better.kernel, "", better.target));
}

TEST_F(RecordsTest, ARemovedFileIsEmptyAndBeginsAnew) {
  Records records(path());
  records.store({makeRecord(1)});
  for (const char *suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(path() + suffix);
  EXPECT_FALSE(records.find(makeRecord(1)));
  records.store({makeRecord(2)});
  EXPECT_EQ(records.list().size(), 1u);
}

/// Whether this process has the file, or what SQLite keeps beside it, open.
bool hasOpen(const std::string &path) {
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone; // the iterator's own
    if (std::filesystem::read_symlink(entry.path(), gone).string().starts_with(path))
      return true;
  }
  return false;
}

TEST_F(RecordsTest, AForkedChildOpensTheFileItself) {
  auto records = std::make_unique<Records>(path());
  records->store({makeRecord(1)});
  EXPECT_TRUE(hasOpen(path()));
  int ready[2], done[2];
  ASSERT_TRUE(pipe(ready) == 0 && pipe(done) == 0);
  pid_t child = fork();
  if (child == 0) {
    bool isClean = !hasOpen(path());
    records->store({makeRecord(2)});
    char byte = 0;
    bool heard = write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1;
    bool stored = isSame(records->find(makeRecord(3)), makeRecord(3));
    records->store({makeRecord(4)});
    _exit(isClean && heard && stored ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(isSame(records->find(makeRecord(2)), makeRecord(2)));
  records->store({makeRecord(3)});
  records.reset(); // the parent closes its connection while the child has one
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(Records(path()).list().size(), 4u);
  for (int end : {ready[0], ready[1], done[0], done[1]})
    close(end);
}

TEST_F(RecordsTest, AForeignFileIsOneWarning) {
  for (std::string text :
       {std::string("no database at all, and longer than a hundred bytes, so that SQLite looks at its "
                    "header and finds that it is none"),
        std::string(4096, 'x')}) {
    std::ofstream(path(), std::ios::trunc) << text;
    Records records(path());
    testing::internal::CaptureStderr();
    EXPECT_FALSE(records.find(makeRecord(1)));
    EXPECT_FALSE(records.hasKernel("k", "s", "t"));
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("warning: tuning records are not used: the tuning records '" + path() +
                                "': file is not a database; remove the file to begin anew\n"));
    EXPECT_EQ(said.find("warning"), said.rfind("warning"));
    EXPECT_THROW(records.store({makeRecord(1)}), Error);
  }
}

TEST_F(RecordsTest, AnotherFormatIsNotUsed) {
  Database(path()).execute("PRAGMA user_version=77");
  try {
    Records(path()).store({makeRecord(1)});
    FAIL();
  } catch (const Error &e) {
    EXPECT_THAT(e.diagnostic().message, HasSubstr("its format is 77, 1 is known; remove the file to begin anew"));
  }
}

TEST_F(RecordsTest, FoldersMayBeLinksButNotTheFile) {
  std::filesystem::create_directory(folder_ / "home");
  std::filesystem::create_directory_symlink(folder_ / "home", folder_ / "link");
  Records((folder_ / "link" / "tuning.sqlite").string()).store({makeRecord(1)});
  EXPECT_TRUE(Records((folder_ / "home" / "tuning.sqlite").string()).find(makeRecord(1)));
  std::filesystem::create_symlink(folder_ / "home" / "tuning.sqlite", path());
  try {
    Records(path()).store({makeRecord(2)});
    FAIL();
  } catch (const Error &e) {
    EXPECT_THAT(e.diagnostic().message, HasSubstr("unable to open database file"));
    EXPECT_THAT(e.diagnostic().message, ::testing::Not(HasSubstr("remove"))) << "the file is not damaged";
  }
}

TEST_F(RecordsTest, ManyProcessesAndThreadsWriteAtOnce) {
  constexpr int kProcesses = 16, kThreads = 4, kEach = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    pid_t child = fork();
    if (child == 0) {
      int status = 0;
      try {
        Records records(path());
        std::vector<std::jthread> threads;
        for (int t = 0; t < kThreads; ++t)
          threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) {
              Record record = makeRecord((p * kThreads + t) * kEach + i);
              records.store({record});
              if (!isSame(records.find(record), record))
                status = 2;
            }
          });
      } catch (...) {
        status = 1;
      }
      _exit(status);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(Records(path()).list().size(), size_t(kProcesses * kThreads * kEach));
}

} // namespace
} // namespace tegula::tuning
