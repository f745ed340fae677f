// A folder of its own for each test, and records that a number tells.
#pragma once

#include "core/tuning/Config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace tegula::tuning {

class TemporaryFolder : public ::testing::Test {
protected:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tegula-tuning-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no temporary directory");
    folder_ = name;
  }
  ~TemporaryFolder() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "tuning.sqlite").string(); }
  std::filesystem::path folder_;
};

inline Record makeRecord(int number) {
  Record record{
      "kernel", "source",      "cpu", "driver", "build",   "*f32, i32", "ACT='relu'", "M=" + std::to_string(number),
      {},       1e-3 * number, 0.01,  number,   1700000000};
  record.config.constants["BLOCK"] = int64_t(16 * number);
  record.config.constants["MODE"] = std::string("a text of " + std::to_string(number));
  record.config.numWarps = 4;
  return record;
}

inline bool isSame(const std::optional<Record> &a, const Record &b) {
  return a && a->kernel == b.kernel && a->key == b.key && a->config.constants == b.config.constants &&
         a->config.numWarps == b.config.numWarps && a->config.numStages == b.config.numStages &&
         a->seconds == b.seconds && a->spread == b.spread && a->compared == b.compared && a->when == b.when;
}

} // namespace tegula::tuning
