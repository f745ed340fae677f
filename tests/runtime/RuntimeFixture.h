// A temporary cache directory, and a compiler whose results a test defines.
#pragma once

#include "backends/null/Driver.h"
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/Memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>

namespace tegula::test {

/// Sets an environment variable for one scope.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const char *value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable &) = delete;

private:
  std::string name_;
  std::optional<std::string> old_;
};

/// Compiles to the null target. `inspect` returns `kernels` for every source, which is their text.
class FakeCompiler : public Compiler {
public:
  std::vector<KernelInfo> kernels;
  int inspections = 0;
  std::vector<CompileRequest> requests; // in the order in which they came, from any thread
  std::vector<PruneRequest> pruneRequests;
  std::optional<std::vector<uint32_t>> kept;
  /// Called for each compilation; may add guards or fail.
  std::function<void(const CompileRequest &, CompileResult &)> onCompile;
  std::mutex mutex; // guards `requests`; `onCompile` runs without it

  InspectResult inspect(const std::string &path, const std::string &source, const Surroundings &start) override;
  /// Keeps `kept`, or all configurations.
  PruneResult prune(const PruneRequest &request) override;
  CompileResult compile(const CompileRequest &request) override;
  std::vector<std::string> targets() override { return {"null"}; }
};

class RuntimeTest : public ::testing::Test {
protected:
  RuntimeTest();
  ~RuntimeTest() override;

  /// A kernel with these parameters; parameters in capitals are constexpr.
  static KernelInfo makeKernel(const std::string &name, const std::vector<std::string> &params);
  Kernel load(const std::string &source = "source", std::string_view kernel = {}) {
    return Kernel::fromSource(source, kernel, "file.py");
  }

  std::vector<null::RecordedLaunch> launches() const;
  std::filesystem::path entries() const { return directory_ / "cache" / "kernels"; }
  std::vector<std::filesystem::path> entryFiles() const;

  std::filesystem::path directory_;
  FakeCompiler fake_;
  Device device_;
  Stream stream_;

private:
  static std::filesystem::path makeDirectory();
  std::unique_ptr<ScopedVariable> cacheVariable_;
};

/// The message of the ApiError that `body` throws; its kind in `kind` where given.
std::string messageOf(const std::function<void()> &body, ApiError::Kind *kind = nullptr);

} // namespace tegula::test
