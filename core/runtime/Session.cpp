#include "core/runtime/Session.h"
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/KernelEncoding.h"
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Requests.h"
#include "core/support/DiskCache.h"

namespace tegula::session {

const KernelInfo &info(const Kernel &kernel) { return kernel.impl()->prototype.info; }

Counts counted(const Device &device) { return device.impl()->driver->counted(); }

LaunchReport lastLaunch(const Kernel &kernel) {
  const LaunchTrace &trace = launchTrace();
  // The trace may be of another kernel, even of a destroyed one: use its pointers only if this kernel still has them.
  for (Specialization *item = kernel.impl()->specializations.load(std::memory_order_acquire); item; item = item->next) {
    for (Variant *variant = item->variants.load(std::memory_order_acquire); variant; variant = variant->next) {
      if (item != trace.specialization || variant != trace.variant)
        continue;
      LaunchReport report;
      report.from = trace.fromMemory             ? LaunchReport::From::Memory
                    : variant->compiled.fromDisk ? LaunchReport::From::Disk
                                                 : LaunchReport::From::Compiler;
      report.compileSeconds = variant->compiled.seconds;
      report.target = variant->compiled.artifact.target;
      report.configuration = item->configuration;
      report.binaryBytes = variant->compiled.artifact.binary.size();
      report.guards = variant->compiled.artifact.guards;
      report.products = variant->compiled.artifact.products;
      return report;
    }
  }
  throw ApiError(ApiError::Kind::BadUse, "kernel '" + kernel.name() + "' was not launched last by this thread");
}

Artifact compileFor(const Kernel &kernel, const Device &device, const std::vector<Argument> &arguments,
                    const LaunchOptions &options) {
  Binding binding;
  translated(ApiError::Kind::BadUse, [&] {
    binding.assign(kernel.impl()->prototype, arguments);
    binding.resolve(kernel.impl()->prototype, *device.impl());
  });
  return tegula::compileFor(*kernel.impl(), device.impl(), binding, options);
}

KernelInfo findKernel(const std::string &path, const std::string &source, std::string_view kernel) {
  return info(Kernel::fromSource(source, kernel, path));
}

KernelDescription describeKernel(const std::string &path, const std::string &source, std::string_view kernel,
                                 const LoadOptions &options) {
  Kernel found = Kernel::fromSource(source, kernel, path, options);
  return {info(found), found.impl()->surroundings};
}

CompileResult compile(const CompileRequest &request) { return compileNow(request); }

Configuration configure(const KernelInfo &kernel, const Constants &given, std::optional<int> numWarps,
                        std::optional<int> numStages, const HostExpression::Lookup &arguments) {
  return translated(ApiError::Kind::BadUse,
                    [&] { return tegula::configure(kernel, given, numWarps, numStages, arguments); });
}

void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                      std::optional<int> numStages) {
  translated(ApiError::Kind::BadUse, [&] { tegula::configureRequest(request, kernel, numWarps, numStages); });
}

std::vector<uint8_t> artifactBytes(const Artifact &artifact) {
  return translated(ApiError::Kind::Internal, [&] { return serialize(artifact); });
}

std::vector<std::string> targets() {
  return translated(ApiError::Kind::BadUse, [] { return compiler().targets(); });
}

std::vector<std::string> levels(const std::string &target) {
  return translated(ApiError::Kind::BadUse, [&] { return compiler().levels(target); });
}

BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                       const std::function<void(const std::string &)> &progress) {
  return tegula::buildBundle(items, targets, progress);
}

std::vector<uint8_t> bundleBytes(const BundleFile &bundle) {
  return translated(ApiError::Kind::Internal, [&] { return serialize(bundle); });
}

std::shared_ptr<const BundleFile> readBundle(const std::string &path) { return Bundle::open(path).impl()->file; }

Artifact readArtifact(std::span<const uint8_t> bytes) {
  return translated(ApiError::Kind::BadUse, [&] { return deserializeArtifact(bytes); });
}

std::string describe(const ParamType &type) { return tegula::describe(type); }
std::string describe(const BundleFile &bundle, const BundleFile::Instance &instance) {
  return tegula::describe(bundle, instance);
}

std::string cacheDirectory() { return DiskCache::open().directory(); }

std::vector<CacheEntry> cacheEntries() {
  std::vector<CacheEntry> result;
  for (const DiskCache::Entry &entry : DiskCache::open().list()) {
    CacheEntry item;
    item.file = entry.file;
    item.bytes = entry.bytes;
    KeyDescription key = describeKey(entry.key);
    item.kind = key.kind;
    item.path = key.path;
    item.kernel = key.kernel;
    item.target = key.target;
    result.push_back(std::move(item));
  }
  return result;
}

size_t clearCache() { return DiskCache::open().clear(); }

} // namespace tegula::session
