#include "tests/cuda/CudaFixture.h"
#include "core/support/Diagnostic.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tegula::test {
namespace {

fakecuda::State &stateOf(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(dlerror());
  auto *get = reinterpret_cast<fakecuda::GetState *>(dlsym(handle, fakecuda::kGetStateName));
  *get() = fakecuda::State();
  return *get();
}

} // namespace

ScopedEnvironment::ScopedEnvironment(const char *name, const char *value) : name_(name) {
  if (const char *old = std::getenv(name))
    old_ = old;
  value ? setenv(name, value, 1) : unsetenv(name);
}

ScopedEnvironment::~ScopedEnvironment() { old_ ? setenv(name_.c_str(), old_->c_str(), 1) : unsetenv(name_.c_str()); }

std::string freshPath(const std::string &library) {
  static int count = 0;
  size_t slash = library.rfind('/');
  std::string path = library.substr(0, slash);
  for (int i = 0; i <= count; ++i)
    path += "/.";
  ++count;
  return path + library.substr(slash);
}

std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &e) {
    return e.diagnostic().message;
  } catch (const std::exception &e) {
    return std::string("(other) ") + e.what();
  }
  return "(nothing was thrown)";
}

std::optional<Shortage> shortageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &e) {
    return e.diagnostic().shortage;
  }
  return std::nullopt;
}

CudaTest::CudaTest()
    : library_(std::make_unique<ScopedEnvironment>("TEGULA_CUDA_LIBRARY", freshPath(TEGULA_FAKE_CUDA).c_str())),
      fake_(stateOf(TEGULA_FAKE_CUDA)) {}

CudaTest::~CudaTest() {
  driver_.reset();
  EXPECT_EQ(fake_.liveAllocations, 0u);
  EXPECT_EQ(fake_.liveStreams, 0u);
  EXPECT_EQ(fake_.liveEvents, 0u);
  EXPECT_EQ(fake_.liveModules, 0u);
  EXPECT_EQ(fake_.contexts, 0);
}

Driver &CudaTest::device() {
  if (!driver_)
    driver_ = cudaDriverFactory()->open("cuda:0");
  return *driver_;
}

std::string CudaTest::kernelText(const std::string &name, const std::string &params) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry " + name + "(" + params + ")\n{\nret;\n}\n";
}

Artifact CudaTest::artifact(const std::string &params, std::vector<ArtifactParam> declared) {
  Artifact artifact;
  artifact.target = "sm_90a";
  artifact.entry = "k";
  artifact.threads = 128;
  artifact.params = std::move(declared);
  std::string text = kernelText("k", params);
  artifact.binary.assign(text.begin(), text.end());
  return artifact;
}

void CudaTest::launch(const DriverKernel &kernel, std::array<uint32_t, 3> grid, std::vector<LaunchArgument> arguments) {
  LaunchRequest request;
  request.grid = grid;
  request.arguments = std::move(arguments);
  void *stream = device().createStream();
  try {
    device().launch(stream, kernel, request);
    device().synchronize(stream);
  } catch (...) {
    device().destroyStream(stream);
    throw;
  }
  device().destroyStream(stream);
}

} // namespace tegula::test
