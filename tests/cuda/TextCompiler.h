// A compiler for the runtime whose kernels are finished artifacts: hand-written code can be launched through the public
// interface.
#pragma once

#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/include/tegula/tegula.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tegula::test {

class TextCompiler final : public Compiler {
public:
  TextCompiler();
  ~TextCompiler() override;

  /// A kernel of this artifact, with the artifact's parameters. Replaces earlier ones.
  Kernel kernel(Artifact artifact, const std::string &text);

  void forgetCache();

  InspectResult inspect(const std::string &path, const std::string &source, const Surroundings &start) override;
  PruneResult prune(const PruneRequest &) override { return {}; }
  CompileResult compile(const CompileRequest &request) override;
  std::vector<std::string> targets() override { return {}; }

private:
  std::string cache_; // an empty directory in the place of the user's cache
  int count_ = 0;
  Artifact artifact_;
};

} // namespace tegula::test
