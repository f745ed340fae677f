// Runs `tegula` as a process, in a directory and with a cache of its own.
#pragma once

#include "core/support/Npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tegula::test {

struct Outcome {
  int status = -1; // exit status; 128 + signal if a signal ended the process
  std::string out, err;
};

class CliTest : public ::testing::Test {
protected:
  CliTest();
  ~CliTest() override;

  /// `seconds`: of CPU time, after which SIGXCPU ends the process; 0: no limit.
  Outcome tegula(const std::vector<std::string> &arguments, const std::map<std::string, std::string> &environment = {},
                 unsigned seconds = 0) const;
  /// `tegula run kernels.py::KERNEL ...`
  Outcome run(const std::string &kernel, std::vector<std::string> arguments) const;

  std::string path(const std::string &name) const { return (directory_ / name).string(); }
  template <class T>
  void save(const std::string &name, const std::vector<T> &values, ScalarType type, std::vector<int64_t> shape,
            bool fortran = false) const {
    NpyArray array;
    setItemType(array, type);
    array.shape = std::move(shape);
    array.fortranOrder = fortran;
    auto bytes = reinterpret_cast<const uint8_t *>(values.data());
    array.data.assign(bytes, bytes + values.size() * sizeof(T));
    writeNpy(path(name), array);
  }
  template <class T> std::vector<T> load(const std::string &name) const {
    NpyArray array = readNpy(path(name));
    EXPECT_EQ(array.itemSize, sizeof(T));
    std::vector<T> values(array.data.size() / sizeof(T));
    std::copy(array.data.begin(), array.data.end(), reinterpret_cast<uint8_t *>(values.data()));
    return values;
  }

  std::filesystem::path directory_;
};

/// The exit status is `status`, and standard error is one message that contains `text`.
void expectMessage(const Outcome &outcome, int status, const std::string &text);

} // namespace tegula::test
