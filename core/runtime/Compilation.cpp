#include "core/runtime/Compilation.h"
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/KernelEncoding.h"
#include "core/runtime/Session.h"
#include "core/runtime/Translate.h"
#include "core/support/DiskCache.h"
#include "core/support/Environment.h"
#include "core/support/Files.h"
#include "core/support/Hash.h"
#include "core/support/Log.h"
#include "core/support/process/Fork.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>

namespace tegula {
namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Result> void throwOnFailure(const Result &result) {
  if (result.error)
    throw toApiError(ApiError::Kind::BadKernel, *result.error);
  if (!result.internalError.empty())
    throw ApiError(ApiError::Kind::Internal,
                   "internal error in the compiler: " + result.internalError + "; please report it");
}

using Receiver = std::function<void(Severity, const std::string &)>;
ForkSafeMutex receiverMutex_;
std::shared_ptr<const Receiver> receiver_; // guarded by receiverMutex_

/// The directory to which the levels of compiled kernels are written for debugging; empty if no environment variable
/// asks for them.
std::string dumpDirectory() {
  if (const char *directory = environmentValue(Variable::Dump))
    return directory;
  if (!environmentFlag(Variable::KernelDump))
    return {};
  std::string base = cacheBaseDirectory();
  return base.empty() ? "tegula-dump" : base + "/dump";
}

/// Writes each level to DIRECTORY/KERNEL-HASH.LEVEL. The hash keeps a kernel compiled for several types or constants
/// from overwriting its own files.
void dump(const std::string &directory, const CompileRequest &request, const CompileResult &result,
          const std::string &hash) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  for (size_t i = 0; i < result.prints.size() && i < request.emit.size(); ++i) {
    std::string path = directory + "/" + request.kernel + "-" + hash.substr(0, 12) + "." + request.emit[i];
    try {
      writeFile(path, result.prints[i]);
    } catch (const Error &e) {
      std::fprintf(stderr, "warning: %s\n", e.diagnostic().message.c_str());
      return;
    }
  }
}

/// Loads an artifact from the cache; nothing if the entry is absent or damaged.
std::optional<Artifact> loadArtifact(const DiskCache &cache, const std::string &key, const CompileRequest &request) {
  std::optional<std::vector<uint8_t>> bytes = cache.load(key);
  if (!bytes)
    return std::nullopt;
  try {
    Artifact artifact = deserializeArtifact(*bytes);
    if (artifact.target == request.target)
      return artifact;
    logLine("cache", "cached artifact of " + request.kernel + " is for target " + artifact.target + ", not used");
  } catch (const Error &e) {
    logLine("cache", "cached artifact of " + request.kernel + " is not used: " + e.diagnostic().message);
  }
  return std::nullopt;
}

std::atomic<bool> showsLongCompiles_ = false;

/// During its lifetime a thread writes the lines that session::showLongCompiles describes. If no lines are wanted, no
/// thread is started.
class LongCompile {
public:
  explicit LongCompile(const CompileRequest &request)
      : what_(request.kernel + " (" + std::filesystem::path(request.path).filename().string() + ") for " +
              request.target) {
    if (!(environmentValue(Variable::Log) ? logs("compile") : showsLongCompiles_.load()))
      return;
    try {
      watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error &) { // no thread can be started: compile without these lines
    }
  }
  ~LongCompile() {
    {
      std::lock_guard lock(mutex_);
      isOver_ = true;
    }
    ended_.notify_one();
    if (watcher_.joinable())
      watcher_.join();
  }
  LongCompile(const LongCompile &) = delete;
  LongCompile &operator=(const LongCompile &) = delete;

  /// Records the name of the stage or pass that begins.
  void enter(const std::string &step) {
    std::lock_guard lock(mutex_);
    step_ = step;
  }

private:
  void watch() {
    constexpr std::chrono::seconds kFirst{2};
    constexpr int kLonger = 4;
    auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (auto waited = kFirst; !ended_.wait_until(lock, start + waited, [this] { return isOver_; }); waited *= kLonger)
      std::fprintf(stderr, "tegula: compiling %s for %lld s%s\n", what_.c_str(), static_cast<long long>(waited.count()),
                   step_.empty() ? "" : (", now in " + step_).c_str());
  }

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::string step_;    // guarded by mutex_
  bool isOver_ = false; // guarded by mutex_
  std::thread watcher_;
};

} // namespace

void session::showLongCompiles(bool shown) { showsLongCompiles_ = shown; }

void report(Severity severity, const std::string &text) {
  std::shared_ptr<const Receiver> receiver;
  {
    std::lock_guard lock(receiverMutex_);
    receiver = receiver_;
  }
  if (receiver)
    return (*receiver)(severity, text);
  std::FILE *stream = severity == Severity::Output ? stdout : stderr;
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

void setDiagnostics(std::function<void(Severity, const std::string &text)> receive) {
  std::lock_guard lock(receiverMutex_);
  receiver_ = receive ? std::make_shared<const Receiver>(std::move(receive)) : nullptr;
}

CompileResult compileNow(CompileRequest request,
                         const std::function<void(const std::vector<Diagnostic> &)> &onRemarks) {
  Compiler &library = translated(ApiError::Kind::BadUse, [&]() -> Compiler & { return compiler(); });
  CompileResult result;
  {
    LongCompile watched(request);
    request.onStep = [&](const std::string &step) { watched.enter(step); };
    const ForkBlocker blocker; // fork() must wait, because the compiler has locks of its own
    result = translated(ApiError::Kind::BadKernel, [&] { return library.compile(request); });
  }
  for (const Diagnostic &warning : result.warnings)
    report(Severity::Warning, format(warning));
  if (!result.staticOutput.empty())
    report(Severity::Output, result.staticOutput);
  if (onRemarks)
    onRemarks(result.remarks);
  throwOnFailure(result);
  return result;
}

CompiledKernel compileCached(CompileRequest request) {
  translated(ApiError::Kind::BadUse, expectCompiler);
  auto start = std::chrono::steady_clock::now();
  std::string key = compileKey(request), hash = toHex(hash128(key));
  std::string dumpTo = dumpDirectory();
  DiskCache cache = DiskCache::open();
  // If levels are to be dumped, the kernel is compiled even if it is in the cache.
  if (!environmentFlag(Variable::AlwaysCompile) && dumpTo.empty())
    if (std::optional<Artifact> artifact = loadArtifact(cache, key, request)) {
      logLine("cache", request.kernel + ": from the disk cache, " + DiskCache::fileName(key));
      return {std::move(*artifact), true, secondsSince(start)};
    }
  if (!dumpTo.empty())
    request.emit = translated(ApiError::Kind::BadUse, [&] { return compiler().levels(request.target); });
  CompileResult result = compileNow(request);
  if (!result.artifact)
    throw ApiError(ApiError::Kind::Internal,
                   "internal error: the compiler returned neither a kernel nor an error; please report it");
  Artifact &artifact = *result.artifact;
  artifact.sourceHash = hash;
  if (!dumpTo.empty())
    dump(dumpTo, request, result, hash);
  translated(ApiError::Kind::Internal, [&] { cache.store(key, serialize(artifact)); });
  double seconds = secondsSince(start);
  logLine("cache",
          request.kernel + ": compiled for " + request.target + " in " + std::to_string(seconds * 1e3) + " ms");
  return {std::move(artifact), false, seconds};
}

FileDescription inspectCached(const std::string &path, const std::string &source, Surroundings start) {
  translated(ApiError::Kind::BadUse, expectCompiler);
  if (const char *more = environmentValue(Variable::ModulePath))
    std::ranges::move(split(more, ':'), std::back_inserter(start.modulePath));
  const ForkBlocker blocker;
  std::string key = inspectKey(path, source, start);
  DiskCache cache = DiskCache::open();
  if (!environmentFlag(Variable::AlwaysCompile))
    if (std::optional<std::vector<uint8_t>> bytes = cache.load(key)) {
      try {
        if (std::optional<FileDescription> known = decodeDescription(*bytes))
          return std::move(*known);
        logLine("cache", "cached description of " + path + " is not used: a file that it imports has changed");
      } catch (const Error &e) {
        logLine("cache", "cached description of " + path + " is not used: " + e.diagnostic().message);
      }
    }
  Compiler &library = translated(ApiError::Kind::BadUse, [&]() -> Compiler & { return compiler(); });
  InspectResult result = translated(ApiError::Kind::BadKernel, [&] { return library.inspect(path, source, start); });
  throwOnFailure(result);
  translated(ApiError::Kind::Internal,
             [&] { cache.store(key, encodeDescription({result.kernels, result.surroundings})); });
  return {std::move(result.kernels), std::move(result.surroundings)};
}

} // namespace tegula
