// Functions of the runtime library that the command line uses beyond tegula.hpp. They are exported but not a stable
// interface: both sides come from one build. All functions throw ApiError.
#pragma once

#include "core/contracts/Backend.h"
#include "core/contracts/BackendNames.h"
#include "core/contracts/Compiler.h"
#include "core/runtime/Configuration.h"
#include "core/runtime/bundle/BundleBuild.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/tuning/TableFiles.h"

#include <functional>
#include <string>
#include <vector>

namespace tegula::session {

TEGULA_API const KernelInfo &info(const Kernel &kernel);

/// Where the calling thread's last launch of `kernel` got its variant from.
struct LaunchReport {
  enum class From : uint8_t { Memory, Disk, Compiler };
  From from = From::Memory;
  double compileSeconds = 0; // of the compilation or of the look-up on disk, when that happened
  std::string target;
  Configuration configuration;
  size_t binaryBytes = 0;
  std::vector<Guard> guards;
  ProductCount products;
};
TEGULA_API LaunchReport lastLaunch(const Kernel &kernel);

/// Waits for the compilations that launches left to the background.
TEGULA_API void finishBackground();

/// The file of the user's tuning records.
TEGULA_API std::string recordsPath();
/// FOLDER/TARGET.json, with the target as file names have it.
TEGULA_API std::string tableFile(const std::string &folder, const std::string &target);

/// As Driver::counted.
TEGULA_API Counts counted(const Device &device);

/// The artifact that a launch with these arguments loads on the device: compiled, or from the cache on disk. Nothing is
/// loaded or launched.
TEGULA_API Artifact compileFor(const Kernel &kernel, const Device &device, const std::vector<Argument> &arguments,
                               const LaunchOptions &options);

/// The description of a file's kernel, found as Kernel::load finds it.
TEGULA_API KernelInfo findKernel(const std::string &path, const std::string &source, std::string_view kernel);
/// The same, with the folders of modules and what was read of them, for a CompileRequest.
struct KernelDescription {
  KernelInfo info;
  Surroundings surroundings;
};
TEGULA_API KernelDescription describeKernel(const std::string &path, const std::string &source, std::string_view kernel,
                                            const LoadOptions &options);

/// The names of all kernels of a file, in order.
TEGULA_API std::vector<std::string> kernelNames(const std::string &path, const std::string &source,
                                                const LoadOptions &options);

/// Runs the compiler; never the cache. `onRemarks` gets the remarks that the request asks for, also where a later stage
/// fails.
TEGULA_API CompileResult compile(const CompileRequest &request,
                                 const std::function<void(const std::vector<Diagnostic> &)> &onRemarks = {});
/// A compilation that takes long writes a line to standard error after 2 seconds, and again each time that it has taken
/// four times as long: what is compiled, since when, and which stage or pass runs. Where TEGULA_LOG is set, lines are
/// written if it asks for the topic "compile"; where it is not, if `shown`. Not shown at first.
TEGULA_API void showLongCompiles(bool shown);
/// With the kernel's first configuration; see Configuration.h.
TEGULA_API Configuration configure(const KernelInfo &kernel, const Constants &given, std::optional<int> numWarps,
                                   std::optional<int> numStages, const HostExpression::Lookup &arguments);
/// As core/runtime/launch/Requests.h says.
TEGULA_API void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                                 std::optional<int> numStages);
/// The file that an artifact is kept in.
TEGULA_API std::vector<uint8_t> artifactBytes(const Artifact &artifact);
/// The targets that the compiler accepts.
TEGULA_API std::vector<std::string> targets();
TEGULA_API std::vector<std::string> levels(const std::string &target);
/// The same by backend.
TEGULA_API std::vector<TargetFamily> targetFamilies();
/// The target itself, or that of the device that `text` names: a backend's first device, or "BACKEND:1". Other names
/// stay as they are, for the compiler to refuse.
TEGULA_API std::string targetNamed(const std::string &text);
/// Throws where `target` is none of those that the compiler accepts.
TEGULA_API void requireTarget(const std::string &target);

/// The backends whose drivers are in this build.
TEGULA_API std::vector<std::string> backends();
/// The version of LLVM, and the state of external programs that the compiler library runs, such as an assembler.
TEGULA_API std::vector<Finding> examineCompiler();
/// Tuning tables on this machine: of each file its rows, or why it is not used.
TEGULA_API std::vector<tuning::TableFile> tuningTables();
/// The number of the user's tuning records.
TEGULA_API size_t recordCount();
/// Whether launches keep compiled kernels on disk.
TEGULA_API bool isCacheUsable();

/// Building and reading bundles.
TEGULA_API BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                                  const std::function<void(const std::string &)> &progress);
TEGULA_API std::vector<uint8_t> bundleBytes(const BundleFile &bundle);
TEGULA_API std::shared_ptr<const BundleFile> readBundle(const std::string &path);
TEGULA_API Artifact readArtifact(std::span<const uint8_t> bytes);
/// `(*f32, i32)`, and the instance with constants, warps and stages.
TEGULA_API std::string describe(const ParamType &type);
TEGULA_API std::string describe(const BundleFile &bundle, const BundleFile::Instance &instance);

struct CacheEntry {
  std::string file;
  uint64_t bytes = 0;
  std::string kind;                 // "kernel", "description", or why it will not be used
  std::string path, kernel, target; // where known
};
TEGULA_API std::string cacheDirectory();
TEGULA_API std::vector<CacheEntry> cacheEntries();
TEGULA_API size_t clearCache();
/// Reads every entry as a launch would. `problem` is empty where it could be used; one of another build is no problem.
struct CacheCheck {
  std::string file, problem;
};
TEGULA_API std::vector<CacheCheck> verifyCache();

} // namespace tegula::session
