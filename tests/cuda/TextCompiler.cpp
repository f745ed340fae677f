#include "tests/cuda/TextCompiler.h"

#include <cstdlib>
#include <filesystem>

namespace tegula::test {

TextCompiler::TextCompiler() {
  cache_ = (std::filesystem::temp_directory_path() / "tegula-cuda-XXXXXX").string();
  if (!mkdtemp(cache_.data()))
    throw std::runtime_error("no temporary directory");
  setenv("TEGULA_CACHE_DIR", cache_.c_str(), 1);
  setCompiler(this);
}

TextCompiler::~TextCompiler() {
  setCompiler(nullptr);
  unsetenv("TEGULA_CACHE_DIR");
  forgetCache();
}

void TextCompiler::forgetCache() { std::filesystem::remove_all(cache_); }

Kernel TextCompiler::kernel(Artifact artifact, const std::string &text) {
  artifact.binary.assign(text.begin(), text.end());
  artifact_ = std::move(artifact);
  // the runtime compiles each source once, so each kernel gets a source of its own
  return Kernel::fromSource("kernel " + std::to_string(count_++), artifact_.entry, artifact_.entry + ".ptx");
}

InspectResult TextCompiler::inspect(const std::string &, const std::string &, const Surroundings &) {
  InspectResult result;
  KernelInfo info;
  info.name = artifact_.entry;
  for (const ArtifactParam &param : artifact_.params) {
    KernelInfo::Param made;
    made.name = param.name;
    if (param.kind == ArtifactParam::Kind::Scalar)
      made.annotatedType = param.type;
    info.params.push_back(made);
  }
  result.kernels.push_back(info);
  return result;
}

CompileResult TextCompiler::compile(const CompileRequest &) {
  CompileResult result;
  result.artifact = artifact_;
  return result;
}

} // namespace tegula::test
