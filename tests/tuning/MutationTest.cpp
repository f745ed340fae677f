// Damaged tables, records and cache entries: each is refused with a message or is what it was; nothing crashes. CI runs
// this under AddressSanitizer, too.
#include "core/support/DiskCache.h"
#include "core/tuning/Records.h"
#include "core/tuning/Table.h"
#include "tests/tuning/Fixture.h"

#include <fstream>
#include <random>

namespace tegula::tuning {
namespace {

/// A few bytes changed, removed or doubled.
std::string mutate(std::string text, std::mt19937 &random) {
  for (unsigned n = 1 + random() % 4; n; --n) {
    size_t at = text.empty() ? 0 : random() % text.size(), length = random() % 8;
    switch (random() % 5) {
    case 0: text[at] = static_cast<char>(random()); break;
    case 1: text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8))); break;
    case 2: text.erase(at, length); break;
    case 3: text.insert(at, text.substr(random() % text.size(), length)); break;
    default: text.resize(random() % 20 ? text.size() : at); break;
    }
    if (text.empty())
      text = "x";
  }
  return text;
}

std::string readAll(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Mutations : public TemporaryFolder {};

TEST_F(Mutations, OfTables) {
  std::string text = formatTable("cpu", {makeRecord(1), makeRecord(2), makeRecord(3)});
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 6000; ++i) {
    try {
      parseTable(mutate(text, random), "t.json");
    } catch (const Error &e) {
      ++refused;
      EXPECT_EQ(e.diagnostic().location.file, "t.json");
      EXPECT_GT(e.diagnostic().location.line, 0u);
      EXPECT_FALSE(e.diagnostic().message.empty());
    }
  }
  EXPECT_GT(refused, 3000); // others changed a number or a name
}

TEST_F(Mutations, OfRecords) {
  constexpr int kRecords = 20;
  {
    Records records(path());
    std::vector<Record> all;
    for (int i = 0; i < kRecords; ++i)
      all.push_back(makeRecord(i));
    records.store(all);
  } // closing writes all into the one file
  std::string whole = readAll(path());
  ASSERT_FALSE(std::filesystem::exists(path() + "-wal"));
  std::mt19937 random(2);
  int complete = 0;
  for (int i = 0; i < 2000; ++i) {
    for (const char *suffix : {"-wal", "-shm"})
      std::filesystem::remove(path() + suffix);
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << mutate(whole, random);
    Records records(path());
    try {
      std::vector<Record> found = records.list();
      complete += found.size() == kRecords;
      for (const Record &record : found)
        EXPECT_TRUE(isSame(record, makeRecord(static_cast<int>(record.compared)))) << "a wrong record passed";
    } catch (const Error &e) {
      EXPECT_NE(e.diagnostic().message.find(path()), std::string::npos);
    }
  }
  EXPECT_LT(complete, 2000);
}

TEST_F(Mutations, OfCacheEntries) {
  std::string folder = (folder_ / "kernels").string();
  DiskCache cache(folder);
  const std::string key = "a key";
  std::vector<uint8_t> payload(300, 7);
  cache.store(key, payload);
  std::string file = folder + "/" + DiskCache::fileName(key), whole = readAll(file);
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = mutate(whole, random);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    EXPECT_EQ(cache.load(key).has_value(), damaged == whole);
    cache.list();
  }
}

} // namespace
} // namespace tegula::tuning
