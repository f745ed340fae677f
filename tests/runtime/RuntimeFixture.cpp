#include "tests/runtime/RuntimeFixture.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace tegula::test {

ScopedVariable::ScopedVariable(const char *name, const char *value) : name_(name) {
  if (const char *old = std::getenv(name))
    old_ = old;
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

ScopedVariable::~ScopedVariable() {
  if (old_)
    setenv(name_.c_str(), old_->c_str(), 1);
  else
    unsetenv(name_.c_str());
}

InspectResult FakeCompiler::inspect(const std::string &, const std::string &source, const Surroundings &) {
  ++inspections;
  InspectResult result;
  result.kernels = kernels;
  for (KernelInfo &kernel : result.kernels)
    kernel.text = source;
  return result;
}

PruneResult FakeCompiler::prune(const PruneRequest &request) {
  pruneRequests.push_back(request);
  PruneResult result;
  for (uint32_t i = 0; i < kernels[0].configs.size(); ++i)
    result.kept.push_back(i);
  if (kept)
    result.kept = *kept;
  return result;
}

CompileResult FakeCompiler::compile(const CompileRequest &request) {
  {
    std::lock_guard lock(mutex);
    requests.push_back(request);
  }
  CompileResult result;
  Artifact artifact;
  artifact.target = request.target;
  artifact.entry = request.kernel;
  size_t next = 0;
  for (const KernelInfo &kernel : kernels) {
    if (kernel.name != request.kernel)
      continue;
    for (const KernelInfo::Param &param : kernel.params) {
      if (param.isConstexpr)
        continue;
      const ParamType &type = request.signature.at(next++);
      if (type.kind == ParamType::Kind::Constant)
        continue;
      ArtifactParam made;
      made.name = param.name;
      made.kind = type.kind == ParamType::Kind::Scalar       ? ArtifactParam::Kind::Scalar
                  : type.kind == ParamType::Kind::Descriptor ? ArtifactParam::Kind::Descriptor
                                                             : ArtifactParam::Kind::Pointer;
      made.type = type.type;
      made.block = type.block;
      artifact.params.push_back(made);
    }
  }
  std::string binary = std::string(null::kMagic) + request.kernel;
  artifact.binary.assign(binary.begin(), binary.end());
  result.artifact = artifact;
  for (const std::string &level : request.emit)
    result.prints.push_back("text of " + level);
  if (onCompile)
    onCompile(request, result);
  if (result.error)
    result.artifact.reset();
  return result;
}

std::filesystem::path RuntimeTest::makeDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "tegula-runtime-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no temporary directory");
  return name;
}

RuntimeTest::RuntimeTest()
    : directory_(makeDirectory()), device_(Device::open("null")), stream_(device_),
      cacheVariable_(std::make_unique<ScopedVariable>("TEGULA_CACHE_DIR", (directory_ / "cache").c_str())) {
  setCompiler(&fake_);
}

RuntimeTest::~RuntimeTest() {
  setCompiler(nullptr);
  std::filesystem::remove_all(directory_);
}

KernelInfo RuntimeTest::makeKernel(const std::string &name, const std::vector<std::string> &params) {
  KernelInfo kernel;
  kernel.name = name;
  for (const std::string &param : params) {
    KernelInfo::Param made;
    made.name = param;
    made.isConstexpr = std::isupper(static_cast<unsigned char>(param[0])) != 0;
    kernel.params.push_back(made);
  }
  return kernel;
}

std::vector<null::RecordedLaunch> RuntimeTest::launches() const {
  return static_cast<null::NullDriver &>(*device_.impl()->driver).launches();
}

std::vector<std::filesystem::path> RuntimeTest::entryFiles() const {
  std::vector<std::filesystem::path> files;
  for (auto &entry : std::filesystem::directory_iterator(entries()))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string messageOf(const std::function<void()> &body, ApiError::Kind *kind) {
  try {
    body();
  } catch (const ApiError &e) {
    if (kind)
      *kind = e.kind();
    return e.what();
  }
  return "(nothing was thrown)";
}

} // namespace tegula::test
