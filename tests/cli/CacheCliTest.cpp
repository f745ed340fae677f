// The cache, used by several processes one after another.
#include "tests/cli/CliFixture.h"

#include <fstream>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class CacheCli : public CliTest {
protected:
  Outcome count(const std::map<std::string, std::string> &environment = {}) const {
    return tegula({"run", TEGULA_KERNELS "::count", "--grid=1", "counter_ptr=zeros:i32:1", "--stats"}, environment);
  }
  std::filesystem::path entries() const { return directory_ / "cache" / "kernels"; }
};

TEST_F(CacheCli, ListClearPath) {
  EXPECT_EQ(tegula({"cache", "path"}).out, entries().string() + "\n");
  EXPECT_EQ(count().status, 0);
  Outcome list = tegula({"cache", "list"});
  EXPECT_THAT(list.out, HasSubstr("kernels.py::count for cpu"));
  EXPECT_THAT(list.out, HasSubstr("2 entries, "));
  EXPECT_EQ(tegula({"cache", "clear"}).out, "2 entries removed\n");
  EXPECT_THAT(tegula({"cache", "list"}).out, HasSubstr("0 entries, 0 bytes"));
}

TEST_F(CacheCli, VerifyNamesWhatIsDamaged) {
  EXPECT_EQ(count().status, 0);
  EXPECT_EQ(tegula({"cache", "verify"}).out, "2 entries, 0 of them damaged; a launch compiles such a kernel again\n");
  std::filesystem::path damaged = std::filesystem::directory_iterator(entries())->path();
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary).seekp(200).put('\x5a').put('\x5b');
  Outcome verified = tegula({"cache", "verify"});
  EXPECT_EQ(verified.status, 1);
  EXPECT_EQ(verified.out,
            damaged.filename().string() +
                ": its header, checksum or key is damaged\n2 entries, 1 of them damaged; a launch compiles "
                "such a kernel again\n");
}

TEST_F(CacheCli, DamagedEntriesAreRebuiltByTheNextProcess) {
  EXPECT_THAT(count().out, HasSubstr("compiled in"));
  EXPECT_THAT(count().out, HasSubstr("found in the disk cache"));
  for (auto &entry : std::filesystem::directory_iterator(entries())) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file.put('\x5a');
    file.put('\x5b');
  }
  Outcome rebuilt = count({{"TEGULA_LOG", "1"}});
  EXPECT_EQ(rebuilt.status, 0);
  EXPECT_THAT(rebuilt.out, HasSubstr("compiled in"));
  EXPECT_THAT(rebuilt.err, HasSubstr("damaged: its checksum does not agree"));
  EXPECT_THAT(count().out, HasSubstr("found in the disk cache"));
}

TEST_F(CacheCli, OnlyTheUserCanReadIt) {
  EXPECT_EQ(count().status, 0);
  auto perms = std::filesystem::status(entries()).permissions();
  EXPECT_EQ(perms, std::filesystem::perms::owner_all);
  std::filesystem::permissions(entries(), std::filesystem::perms(0777));
  Outcome outcome = count();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("compiled in"));
  EXPECT_THAT(outcome.err,
              HasSubstr("warning: the kernel cache '" + entries().string() + "' is not used: others can enter it"));
}

TEST_F(CacheCli, DumpsHoldTheLevels) {
  EXPECT_EQ(count({{"TEGULA_DUMP", path("dump")}}).status, 0);
  bool tile = false;
  for (auto &entry : std::filesystem::directory_iterator(directory_ / "dump"))
    tile = tile || entry.path().extension() == ".tile";
  EXPECT_TRUE(tile);
}

} // namespace
} // namespace tegula::test
