// The tables of the backends: each is read, each is for the target in its name, every row says where it comes from, and
// is for a sample's kernel as it is now.
#include "core/support/Files.h"
#include "core/support/ScalarType.h"
#include "core/tuning/TableFiles.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/syntax/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tegula::tuning {
namespace {

namespace fs = std::filesystem;

/// The kernels of all samples, with the texts of their files.
std::vector<KernelInfo> sampleKernels() {
  std::vector<KernelInfo> kernels;
  for (const auto &file : fs::recursive_directory_iterator(TEGULA_SOURCE_FOLDER "/samples")) {
    if (file.path().extension() != ".py" || fs::exists(file.path().parent_path() / "Lesson.h"))
      continue;
    std::string path = file.path().string(), source = readTextFile(path);
    std::string text = lang::textHash(path, source, {});
    for (KernelInfo &kernel : lang::inspect(*lang::parseModule(path, source, lang::OnError::Keep))) {
      kernel.text = text;
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

/// Why the row is of no use; empty where some sample's kernel takes it.
std::string problemOf(const Row &row, const std::vector<KernelInfo> &kernels) {
  std::string texts;
  for (const KernelInfo &kernel : kernels) {
    if (kernel.name != row.kernel)
      continue;
    texts += " " + kernel.text;
    Query query;
    for (const KernelConfig &config : kernel.configs)
      query.own.push_back({config.constants, config.numWarps.value_or(4), config.numStages.value_or(3)});
    if (kernel.text == row.text)
      return ownConfig(row, query) ? "" : "the kernel has no such configuration of its own";
  }
  return "no sample's kernel has this text; of this name there are:" + texts +
         " (where the change cannot matter to speed, write the new text; else measure again with ci/tune)";
}

TEST(ShippedTables, AreWhole) {
  const std::vector<KernelInfo> kernels = sampleKernels();
  size_t tables = 0;
  for (const auto &backend : fs::directory_iterator(TEGULA_SOURCE_FOLDER "/backends")) {
    if (!fs::is_directory(backend.path() / "tuning"))
      continue;
    for (const auto &file : fs::directory_iterator(backend.path() / "tuning")) {
      Table table = parseTable(readTextFile(file.path().string()), file.path().string());
      EXPECT_EQ(fileNameOf(table.target) + ".json", file.path().filename());
      EXPECT_FALSE(table.rows.empty()) << file.path();
      for (const Row &row : table.rows) {
        EXPECT_FALSE(row.record) << file.path() << ": records are one user's";
        EXPECT_EQ(problemOf(row, kernels), "") << row.file << ":" << row.line;
      }
      ++tables;
    }
  }
  EXPECT_GE(tables, 2u);
}

} // namespace
} // namespace tegula::tuning
