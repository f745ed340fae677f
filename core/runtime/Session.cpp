#include "core/runtime/Session.h"
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/KernelEncoding.h"
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Background.h"
#include "core/runtime/launch/Checked.h"
#include "core/runtime/launch/Requests.h"
#include "core/support/DiskCache.h"
#include "core/tuning/Records.h"

#include <algorithm>

namespace tegula::session {

const KernelInfo &info(const Kernel &kernel) { return kernel.impl()->prototype.info; }

Counts counted(const Device &device) { return device.impl()->driver->counted(); }

namespace {

/// True if the kernel owns the configuration and the variant of `trace`, the selection of the thread's last launch.
/// That launch may have been one of another kernel, which may even be destroyed.
bool owns(const Kernel::Impl &kernel, const Selection &trace) {
  for (Specialization *item = kernel.specializations.load(std::memory_order_acquire); item; item = item->next)
    for (Configured *own = item->configured.load(std::memory_order_acquire); own; own = own->next)
      for (Variant *variant = own->variants.load(std::memory_order_acquire); variant; variant = variant->next)
        if (own == trace.configured && variant == trace.variant)
          return true;
  return false;
}

} // namespace

LaunchReport lastLaunch(const Kernel &kernel) {
  const Selection &trace = launchTrace();
  if (!owns(*kernel.impl(), trace))
    throw ApiError(ApiError::Kind::BadUse, "kernel '" + kernel.name() + "' was not launched last by this thread");
  const CompiledKernel &compiled = trace.variant->compiled;
  LaunchReport report;
  report.from = trace.fromMemory    ? LaunchReport::From::Memory
                : compiled.fromDisk ? LaunchReport::From::Disk
                                    : LaunchReport::From::Compiler;
  report.compileSeconds = compiled.seconds;
  report.target = compiled.artifact.target;
  report.configuration = trace.configured->configuration;
  report.binaryBytes = compiled.artifact.binary.size();
  report.guards = compiled.artifact.guards;
  report.products = compiled.artifact.products;
  return report;
}

void finishBackground() { Background::shared().finish(); }

Artifact compileFor(const Kernel &kernel, const Device &device, const std::vector<Argument> &arguments,
                    const LaunchOptions &options) {
  Binding binding;
  translated(ApiError::Kind::BadUse, [&] {
    binding.assign(kernel.impl()->prototype, arguments);
    binding.resolve(kernel.impl()->prototype, *device.impl());
  });
  std::optional<LaunchOptions> asserting = withAssertions(kernel.impl()->prototype.info, options);
  return tegula::compileFor(*kernel.impl(), device.impl(), binding, asserting ? *asserting : options);
}

KernelInfo findKernel(const std::string &path, const std::string &source, std::string_view kernel) {
  return info(Kernel::fromSource(source, kernel, path));
}

KernelDescription describeKernel(const std::string &path, const std::string &source, std::string_view kernel,
                                 const LoadOptions &options) {
  Kernel found = Kernel::fromSource(source, kernel, path, options);
  return {info(found), found.impl()->surroundings};
}

std::vector<std::string> kernelNames(const std::string &path, const std::string &source, const LoadOptions &options) {
  return translated(ApiError::Kind::BadUse, [&] {
    Surroundings start;
    start.modulePath = options.modulePath;
    std::vector<std::string> names;
    for (const KernelInfo &kernel : inspectCached(path, source, std::move(start)).kernels)
      names.push_back(kernel.name);
    return names;
  });
}

CompileResult compile(const CompileRequest &request,
                      const std::function<void(const std::vector<Diagnostic> &)> &onRemarks) {
  return compileNow(request, onRemarks);
}

Configuration configure(const KernelInfo &kernel, const Constants &given, std::optional<int> numWarps,
                        std::optional<int> numStages, const HostExpression::Lookup &arguments) {
  return translated(ApiError::Kind::BadUse, [&] {
    return tegula::configure(kernel, given, firstConfig(kernel), numWarps, numStages, arguments);
  });
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

std::vector<TargetFamily> targetFamilies() { return familiesOf(targets()); }

std::string targetNamed(const std::string &text) {
  std::string base = text.substr(0, text.find(':'));
  std::vector<std::string> built = backends();
  if (!levels(text).empty() || std::ranges::find(built, base) == built.end())
    return text;
  std::vector<std::pair<std::string, std::string>> absent;
  for (const Device::Info &device : Device::list(&absent))
    if (device.name == text || (base == text && device.name.starts_with(base + ":")))
      return device.target;
  auto why = std::ranges::find(absent, base, &std::pair<std::string, std::string>::first);
  throw ApiError(ApiError::Kind::BadUse,
                 "target '" + text + "' stands for that of a device, but " +
                     (why == absent.end() ? "there is no such device" : "there is none: " + why->second) +
                     "; without a device name a target, which `tegula targets` lists");
}

void requireTarget(const std::string &target) {
  if (levels(target).empty())
    throw ApiError(ApiError::Kind::BadUse, unknownTarget(target, targets()));
}

std::vector<std::string> backends() {
  std::vector<std::string> names;
  for (DriverFactory *factory : driverFactories())
    names.emplace_back(factory->backend());
  return names;
}

std::vector<Finding> examineCompiler() {
  return translated(ApiError::Kind::BadUse, [] { return compiler().examine(); });
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

std::vector<tuning::TableFile> tuningTables() { return tuning::tableFiles(); }
size_t recordCount() {
  return translated(ApiError::Kind::BadUse, [] { return tuning::Records::open().list().size(); });
}

bool isCacheUsable() { return DiskCache::open().isUsable(); }
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

std::vector<CacheCheck> verifyCache() {
  std::vector<CacheCheck> result;
  DiskCache cache = DiskCache::open();
  for (const DiskCache::Entry &entry : cache.list()) {
    CacheCheck &check = result.emplace_back();
    check.file = entry.file;
    std::optional<std::vector<uint8_t>> bytes = cache.load(entry.key);
    std::string kind = describeKey(entry.key).kind;
    try {
      if (entry.key.empty() || !bytes || DiskCache::fileName(entry.key) != entry.file)
        throw Error("its header, checksum or key is damaged");
      if (kind == "kernel")
        deserializeArtifact(*bytes);
      else if (kind == "description")
        decodeDescription(*bytes);
    } catch (const Error &e) {
      check.problem = e.diagnostic().message;
    }
  }
  return result;
}

size_t clearCache() { return DiskCache::open().clear(); }

} // namespace tegula::session
