// The cache's files: damage, foreign files, permissions, several processes.
#include "core/support/DiskCache.h"
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DiskCaches : public ::testing::Test {
protected:
  DiskCaches() {
    std::string name = (fs::temp_directory_path() / "tegula-cache-XXXXXX").string();
    base_ = mkdtemp(name.data());
  }
  ~DiskCaches() override { fs::remove_all(base_); }

  static std::vector<uint8_t> bytes(std::string_view text) { return {text.begin(), text.end()}; }
  static std::optional<std::string> load(const DiskCache &cache, const std::string &key) {
    auto found = cache.load(key);
    return found ? std::optional(std::string(found->begin(), found->end())) : std::nullopt;
  }
  fs::path directory() const { return base_ / "sub" / "kernels"; }
  fs::path file(const std::string &key) const { return directory() / DiskCache::fileName(key); }
  static mode_t mode(const fs::path &path) {
    struct stat status{};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  fs::path base_;
};

TEST_F(DiskCaches, StoresAndLoads) {
  DiskCache cache(directory());
  EXPECT_EQ(load(cache, "a"), std::nullopt);
  cache.store("a", bytes("one"));
  cache.store("b", bytes(""));
  EXPECT_EQ(load(cache, "a"), "one");
  EXPECT_EQ(load(cache, "b"), "");
  cache.store("a", bytes("two"));
  EXPECT_EQ(load(DiskCache(directory()), "a"), "two");
  EXPECT_EQ(cache.list().size(), 2u);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory()), fs::directory_iterator()), 2)
      << "no temporary file is left";
}

TEST_F(DiskCaches, OnlyTheUserCanReadIt) {
  mode_t old = umask(0);
  DiskCache cache(directory());
  cache.store("a", bytes("one"));
  umask(old);
  EXPECT_EQ(mode(directory()), 0700u);
  EXPECT_EQ(mode(file("a")), 0600u);
  EXPECT_EQ(mode(base_ / "sub") & 022, 0u);
}

TEST_F(DiskCaches, DirectoriesThatOthersCanEnterAreNotUsed) {
  {
    DiskCache(directory()).store("a", bytes("one"));
  }
  for (mode_t bad : {0777, 0770, 0720, 0755}) {
    ASSERT_EQ(chmod(directory().c_str(), bad), 0);
    testing::internal::CaptureStderr();
    DiskCache cache(directory());
    EXPECT_FALSE(cache.isUsable());
    EXPECT_EQ(load(cache, "a"), std::nullopt);
    cache.store("b", bytes("two"));
    std::string said = testing::internal::GetCapturedStderr();
    if (bad == 0777)
      EXPECT_THAT(said, HasSubstr("' is not used: others can enter it; chmod 700 it"));
    else
      EXPECT_EQ(said, "") << "the warning is given once";
  }
  ASSERT_EQ(chmod(directory().c_str(), 0700), 0);
  EXPECT_EQ(load(DiskCache(directory()), "a"), "one");
}

TEST_F(DiskCaches, DirectoriesAroundItThatOthersCanWriteAreNotUsed) {
  {
    DiskCache(directory()).store("a", bytes("one"));
  }
  ASSERT_EQ(chmod((base_ / "sub").c_str(), 0777), 0);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(DiskCache(directory()).isUsable());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("others can write the directory around it"));
  ASSERT_EQ(chmod((base_ / "sub").c_str(), 01777), 0); // sticky, as /tmp
  EXPECT_TRUE(DiskCache(directory()).isUsable());
}

TEST_F(DiskCaches, SymbolicLinksAreNotFollowed) {
  fs::create_directories(base_ / "elsewhere");
  ASSERT_EQ(chmod((base_ / "elsewhere").c_str(), 0700), 0);
  fs::create_directories(base_ / "sub");
  fs::create_directory_symlink(base_ / "elsewhere", directory());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(DiskCache(directory()).isUsable());
  testing::internal::GetCapturedStderr();
  fs::remove(directory());
  DiskCache cache(directory());
  cache.store("a", bytes("one"));
  fs::rename(file("a"), base_ / "entry");
  fs::create_symlink(base_ / "entry", file("a"));
  EXPECT_EQ(load(cache, "a"), std::nullopt);
}

TEST_F(DiskCaches, PlacesThatCannotHoldItAreNoCache) {
  std::ofstream(base_ / "sub") << "a file";
  testing::internal::CaptureStderr();
  DiskCache cache(directory());
  EXPECT_FALSE(cache.isUsable());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is not used"));
  cache.store("a", bytes("one"));
  EXPECT_EQ(load(cache, "a"), std::nullopt);
  EXPECT_TRUE(cache.list().empty());
  EXPECT_EQ(cache.clear(), 0u);
}

TEST_F(DiskCaches, EveryTruncationAndFlippedBitIsNoEntry) {
  DiskCache cache(directory());
  cache.store("key", bytes("payload"));
  std::ifstream in(file("key"), std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  auto put = [&](const std::string &text) { std::ofstream(file("key"), std::ios::binary | std::ios::trunc) << text; };
  for (size_t size = 0; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    EXPECT_EQ(load(cache, "key"), std::nullopt) << size;
  }
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    put(changed);
    EXPECT_EQ(load(cache, "key"), std::nullopt) << bit;
  }
  put(whole + "x");
  EXPECT_EQ(load(cache, "key"), std::nullopt);
  put(whole);
  EXPECT_EQ(load(cache, "key"), "payload");
  put("damaged");
  cache.store("key", bytes("again"));
  EXPECT_EQ(load(cache, "key"), "again");
}

TEST_F(DiskCaches, AnEntryUnderAnotherNameIsNoEntry) {
  DiskCache cache(directory());
  cache.store("a", bytes("one"));
  fs::copy_file(file("a"), file("b")); // like a collision of hashes
  EXPECT_EQ(load(cache, "b"), std::nullopt);
}

TEST_F(DiskCaches, ClearLeavesForeignFiles) {
  DiskCache cache(directory());
  cache.store("a", bytes("one"));
  cache.store("b", bytes("two"));
  std::ofstream(directory() / "notes.txt") << "mine";
  std::ofstream(directory() / ".new-1-2-3") << "interrupted";
  EXPECT_EQ(cache.clear(), 2u);
  EXPECT_TRUE(fs::exists(directory() / "notes.txt"));
  EXPECT_FALSE(fs::exists(directory() / ".new-1-2-3"));
}

TEST_F(DiskCaches, WritersInTwoProcessesNeverShowHalfAnEntry) {
  DiskCache cache(directory());
  const std::string a(300000, 'a'), b(200000, 'b');
  cache.store("key", bytes(a));
  pid_t children[2];
  for (int child = 0; child < 2; ++child) {
    children[child] = fork();
    ASSERT_GE(children[child], 0);
    if (children[child] == 0) {
      DiskCache own(directory());
      for (int i = 0; i < 150; ++i)
        own.store("key", bytes(child ? a : b));
      _exit(0);
    }
  }
  int reads = 0, running = 2;
  while (running) {
    auto found = load(cache, "key");
    ASSERT_TRUE(found.has_value());
    ASSERT_TRUE(*found == a || *found == b);
    ++reads;
    for (pid_t &child : children)
      if (child > 0 && waitpid(child, nullptr, WNOHANG) == child) {
        child = -1;
        --running;
      }
  }
  EXPECT_GT(reads, 10);
  EXPECT_EQ(cache.list().size(), 1u);
}

TEST_F(DiskCaches, TheEnvironmentNamesTheDirectory) {
  ScopedVariable ours("TEGULA_CACHE_DIR", "/a"), tritons("TRITON_CACHE_DIR", "/b"), xdg("XDG_CACHE_HOME", "/c"),
      home("HOME", "/d");
  EXPECT_EQ(cacheBaseDirectory(), "/a");
  ScopedVariable no1("TEGULA_CACHE_DIR", nullptr);
  EXPECT_EQ(cacheBaseDirectory(), "/b");
  ScopedVariable no2("TRITON_CACHE_DIR", "");
  EXPECT_EQ(cacheBaseDirectory(), "/c/tegula");
  ScopedVariable relative("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(cacheBaseDirectory(), "/d/.cache/tegula");
}

/// Sets the time of an entry's file.
void age(const fs::path &file, std::chrono::hours hours) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - hours);
}

TEST_F(DiskCaches, WhatWasUsedLongestAgoGoes) {
  DiskCache cache(directory().string());
  std::vector<std::string> keys;
  for (int i = 0; i < 10; ++i) {
    keys.push_back("key " + std::to_string(i));
    cache.store(keys.back(), std::vector<uint8_t>(1000));
    age(file(keys.back()), std::chrono::hours(100 - i));
  }
  EXPECT_TRUE(cache.load(keys[0])) << "its time is now";
  std::ofstream(directory() / ".new-1-2-3") << "of a writer that was killed";
  std::ofstream(directory() / ".new-4-5-6") << "of a writer that may be writing";
  age(directory() / ".new-1-2-3", std::chrono::hours(2));
  std::ofstream(directory() / "notes.txt") << std::string(100000, 'x');
  age(directory() / "notes.txt", std::chrono::hours(1000));
  EXPECT_EQ(cache.evict(1 << 20), 0u);
  EXPECT_FALSE(fs::exists(directory() / ".new-1-2-3"));
  EXPECT_TRUE(fs::exists(directory() / ".new-4-5-6"));
  EXPECT_EQ(cache.evict(8 * fs::file_size(file(keys[0]))), 4u) << "to below four fifths of the limit";
  EXPECT_TRUE(cache.load(keys[0]));
  for (int i = 1; i <= 4; ++i)
    EXPECT_FALSE(cache.load(keys[i])) << i;
  for (int i = 5; i < 10; ++i)
    EXPECT_TRUE(cache.load(keys[i])) << i;
  EXPECT_TRUE(fs::exists(directory() / "notes.txt"));
}

TEST_F(DiskCaches, TheLimitIsTheEnvironments) {
  EXPECT_EQ(DiskCache::limit(), uint64_t(2) << 30);
  ScopedVariable small("TEGULA_CACHE_BYTES", "100000");
  EXPECT_EQ(DiskCache::limit(), 100000u);
  DiskCache cache(directory().string());
  for (int i = 0; i < 400; ++i)
    cache.store("key " + std::to_string(i), std::vector<uint8_t>(1000));
  uint64_t total = 0;
  for (const DiskCache::Entry &entry : cache.list())
    total += entry.bytes;
  EXPECT_LE(total, 105000u);
  EXPECT_GE(total, 70000u);
  EXPECT_TRUE(cache.load("key 399"));
  const std::pair<const char *, uint64_t> kLimits[] = {{"4G", uint64_t(4) << 30}, {"500M", 500 << 20}, {"7K", 7 << 10}};
  for (auto [text, bytes] : kLimits) {
    ScopedVariable variable("TEGULA_CACHE_BYTES", text);
    EXPECT_EQ(DiskCache::limit(), bytes) << text;
  }
  for (const char *text : {"2X", "4GB", "G", "", "99999999999G"}) {
    ScopedVariable variable("TEGULA_CACHE_BYTES", text);
    EXPECT_EQ(DiskCache::limit(), uint64_t(2) << 30) << text;
  }
}

} // namespace
} // namespace tegula::test
