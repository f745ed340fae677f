// A process that writes a cache entry and a record is killed before each of its system calls in turn. Afterwards
// everything that was there before is there, and what the process wrote is whole or absent.
#include "core/support/DiskCache.h"
#include "core/tuning/Records.h"
#include "tests/tuning/Fixture.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::tuning {
namespace {

constexpr int kDefaultKills = 600;

class Kills : public TemporaryFolder {
protected:
  std::string kernels() const { return (folder_ / "kernels").string(); }
  static std::string key(int number) { return "key " + std::to_string(number); }
  static std::vector<uint8_t> payload(int number) {
    return std::vector<uint8_t>(1000 + size_t(number) % 7, static_cast<uint8_t>(number));
  }

  /// The writes of one process: a new record, a record that replaces another, and a cache entry.
  void write(int number) const {
    Records records(path());
    Record replaced = makeRecord(0);
    replaced.compared = number;
    records.store({makeRecord(number), replaced});
    DiskCache(kernels()).store(key(number), payload(number));
  }

  /// Whether processes may be traced here: containers may forbid it.
  static bool canTrace() {
    pid_t child = fork();
    if (child == 0)
      _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 77);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  /// Runs `write` in a process that is killed at its `limit`-th stop, before or behind a system call. False if it ended
  /// before.
  bool killAfter(int limit, int number) const {
    pid_t child = fork();
    if (child == 0) {
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      raise(SIGSTOP);
      try {
        write(number);
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    for (int stops = 0; stops < limit; ++stops) {
      ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
      waitpid(child, &status, 0);
      if (WIFEXITED(status)) {
        EXPECT_EQ(WEXITSTATUS(status), 0);
        return false;
      }
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return true;
  }

  /// `hasFirst`: the record and the entry of number 0 were stored before.
  void check(int number, bool hasFirst) const {
    Records records(path());
    for (const Record &record : records.list())
      if (record.key != makeRecord(0).key)
        ASSERT_TRUE(isSame(record, makeRecord(static_cast<int>(record.compared)))) << "kill " << number;
    // Both records of one store, or none.
    std::optional<Record> first = records.find(makeRecord(0)), own = records.find(makeRecord(number));
    ASSERT_EQ(first && first->compared == number, own.has_value());
    DiskCache cache(kernels());
    if (hasFirst) {
      ASSERT_TRUE(first) << "the record that is replaced is lost after kill " << number;
      ASSERT_EQ(cache.load(key(0)), payload(0));
    }
    if (auto bytes = cache.load(key(number)))
      ASSERT_EQ(*bytes, payload(number));
  }

  /// Kills one process after another, each at a later stop, until one ends. The killed ones leave their files to the
  /// next. Every second round begins without files. Returns the number of kills.
  int round(bool hasFirst, int most) const {
    std::filesystem::remove_all(kernels());
    for (const char *suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(path() + suffix);
    if (hasFirst)
      write(0);
    int kills = 0;
    for (bool killed = true; killed && kills < most; kills += killed) {
      killed = killAfter(kills + 1, kills + 1);
      check(kills + 1, hasFirst);
      if (HasFatalFailure())
        return kills;
    }
    return kills;
  }
};

TEST_F(Kills, LeaveNothingUnreadable) {
  if (!canTrace())
    GTEST_SKIP() << "ptrace is not permitted";
  const char *wanted = std::getenv("TEGULA_TEST_KILLS");
  int kills = wanted ? std::atoi(wanted) : kDefaultKills, done = 0, rounds = 0;
  while (done < kills && !HasFatalFailure())
    done += round(++rounds % 2 == 1, kills - done);
  RecordProperty("kills", done);
  std::printf("%d kills in %d rounds\n", done, rounds);
  EXPECT_EQ(done, kills);
}

} // namespace
} // namespace tegula::tuning
