// The tables of the backends: each is read, each is for the target in its name, and every row says where it comes from.
#include "core/support/Files.h"
#include "core/tuning/TableFiles.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tegula::tuning {
namespace {

TEST(ShippedTables, AreWhole) {
  size_t tables = 0;
  for (const auto &backend : std::filesystem::directory_iterator(TEGULA_SOURCE_FOLDER "/backends")) {
    if (!std::filesystem::is_directory(backend.path() / "tuning"))
      continue;
    for (const auto &file : std::filesystem::directory_iterator(backend.path() / "tuning")) {
      Table table = parseTable(readTextFile(file.path().string()), file.path().string());
      EXPECT_EQ(fileNameOf(table.target) + ".json", file.path().filename());
      EXPECT_FALSE(table.rows.empty()) << file.path();
      for (const Row &row : table.rows)
        EXPECT_FALSE(row.record) << file.path() << ": records are one user's";
      ++tables;
    }
  }
  EXPECT_GE(tables, 2u);
}

} // namespace
} // namespace tegula::tuning
