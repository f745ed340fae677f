// Functions of the runtime library that the command line uses in addition to tegula.hpp. They are exported but not a
// stable interface: both sides come from one build. All functions throw ApiError.
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

/// What lastLaunch() reports of the calling thread's last launch, which must have been one of the given kernel: whether
/// the code came from memory, from the disk cache or from the compiler, and the properties of the code.
struct LaunchReport {
  enum class From : uint8_t { Memory, Disk, Compiler };
  From from = From::Memory;
  double compileSeconds = 0; // duration of the compilation or the disk look-up; 0 if neither was needed
  std::string target;
  Configuration configuration;
  size_t binaryBytes = 0;
  std::vector<Guard> guards;
  ProductCount products;
};
TEGULA_API LaunchReport lastLaunch(const Kernel &kernel);

/// Waits until the background thread has ended the compilations that launches have left to it.
TEGULA_API void finishBackground();

/// The path of the file with the user's tuning records.
TEGULA_API std::string recordsPath();
/// Returns the path of a target's tuning table, FOLDER/TARGET.json, and creates the folder. Characters of the target's
/// name that file names cannot have are replaced.
TEGULA_API std::string tableFile(const std::string &folder, const std::string &target);

/// How many events of each kind the device has counted in all launches, such as {"matrix instructions", 64}; empty if
/// the device counts none.
TEGULA_API Counts counted(const Device &device);

/// The artifact that a launch with these arguments would load on the device: compiled, or from the disk cache. Nothing
/// is loaded or launched.
TEGULA_API Artifact compileFor(const Kernel &kernel, const Device &device, const std::vector<Argument> &arguments,
                               const LaunchOptions &options);

/// The description of the kernel named `kernel` in the file with the path `path` and the text `source`.
TEGULA_API KernelInfo findKernel(const std::string &path, const std::string &source, std::string_view kernel);
/// A kernel's description with the module path and the parts of imported files that it uses, for a CompileRequest.
struct KernelDescription {
  KernelInfo info;
  Surroundings surroundings;
};
TEGULA_API KernelDescription describeKernel(const std::string &path, const std::string &source, std::string_view kernel,
                                            const LoadOptions &options);

/// The names of all kernels of a file, in file order.
TEGULA_API std::vector<std::string> kernelNames(const std::string &path, const std::string &source,
                                                const LoadOptions &options);

/// Compiles always, without reading or writing the disk cache. `onRemarks` is called with the remarks that the request
/// asks for, even if the compilation fails after they were made.
TEGULA_API CompileResult compile(const CompileRequest &request,
                                 const std::function<void(const std::vector<Diagnostic> &)> &onRemarks = {});
/// Reports long compilations: a line on standard error after 2 seconds, and again whenever the compilation has taken
/// four times as long as at the last line. The line says what is compiled, for how long, and which stage or pass runs.
/// If TEGULA_LOG is set, lines are written if it contains the topic "compile"; otherwise, if `shown`. Initially not
/// shown.
TEGULA_API void showLongCompiles(bool shown);
/// Determines the value of each constexpr parameter as configure() of Configuration.h does, with the kernel's first
/// configuration.
TEGULA_API Configuration configure(const KernelInfo &kernel, const Constants &given, std::optional<int> numWarps,
                                   std::optional<int> numStages, const HostExpression::Lookup &arguments);
/// See core/runtime/launch/Requests.h.
TEGULA_API void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                                 std::optional<int> numStages);
/// Encodes the artifact as the contents of a file, which readArtifact() reads.
TEGULA_API std::vector<uint8_t> artifactBytes(const Artifact &artifact);
/// The names of all targets that the compiler accepts.
TEGULA_API std::vector<std::string> targets();
TEGULA_API std::vector<std::string> levels(const std::string &target);
/// The targets that the compiler accepts, grouped by backend.
TEGULA_API std::vector<TargetFamily> targetFamilies();
/// The target for `text`: a target's name itself, or the target of the device that `text` names, such as "BACKEND:1",
/// or of a backend's first device. Other names are returned unchanged, so that the compiler refuses them.
TEGULA_API std::string targetNamed(const std::string &text);
/// Throws if the compiler does not accept `target`.
TEGULA_API void requireTarget(const std::string &target);

/// The names of the backends whose drivers are in this build.
TEGULA_API std::vector<std::string> backends();
/// The version of LLVM, and the state of the external programs that the compiler library runs, such as an assembler.
TEGULA_API std::vector<Finding> examineCompiler();
/// The tuning tables on this machine: for each file its rows, or the reason why it is not used.
TEGULA_API std::vector<tuning::TableFile> tuningTables();
/// The number of the user's tuning records.
TEGULA_API size_t recordCount();
/// True if the disk cache can be used, so that launches store compiled kernels in it.
TEGULA_API bool isCacheUsable();

/// Builds and reads bundles.
TEGULA_API BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                                  const std::function<void(const std::string &)> &progress);
TEGULA_API std::vector<uint8_t> bundleBytes(const BundleFile &bundle);
TEGULA_API std::shared_ptr<const BundleFile> readBundle(const std::string &path);
TEGULA_API Artifact readArtifact(std::span<const uint8_t> bytes);
/// describe() returns a text: of a parameter's type, such as `*f32`; or of a bundle's instance, with its types,
/// constants, warps and stages.
TEGULA_API std::string describe(const ParamType &type);
TEGULA_API std::string describe(const BundleFile &bundle, const BundleFile::Instance &instance);

struct CacheEntry {
  std::string file;
  uint64_t bytes = 0;
  std::string kind;                 // "kernel", "description", or the reason why the entry is never used
  std::string path, kernel, target; // where known
};
TEGULA_API std::string cacheDirectory();
TEGULA_API std::vector<CacheEntry> cacheEntries();
TEGULA_API size_t clearCache();
/// The result of verifyCache() for one entry of the disk cache, which it reads as a launch would. `problem` says why
/// the entry is damaged; it is empty if a launch could use the entry, or if the entry belongs to another build.
struct CacheCheck {
  std::string file, problem;
};
TEGULA_API std::vector<CacheCheck> verifyCache();

} // namespace tegula::session
