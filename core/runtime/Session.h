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

/// The origin of the variant of the calling thread's last launch of `kernel`.
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

/// Waits for the compilations that launches have left to the background thread.
TEGULA_API void finishBackground();

/// The path of the file with the user's tuning records.
TEGULA_API std::string recordsPath();
/// The path FOLDER/TARGET.json; characters of the target that file names cannot have are replaced.
TEGULA_API std::string tableFile(const std::string &folder, const std::string &target);

/// Events that the device has counted, by name: see Driver::counted.
TEGULA_API Counts counted(const Device &device);

/// The artifact that a launch with these arguments would load on the device: compiled, or from the disk cache. Nothing
/// is loaded or launched.
TEGULA_API Artifact compileFor(const Kernel &kernel, const Device &device, const std::vector<Argument> &arguments,
                               const LaunchOptions &options);

/// The description of a kernel in a file, found in the way of Kernel::load.
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

/// Runs the compiler, never the cache. `onRemarks` is called with the remarks that the request asks for, even if a
/// later stage fails.
TEGULA_API CompileResult compile(const CompileRequest &request,
                                 const std::function<void(const std::vector<Diagnostic> &)> &onRemarks = {});
/// Reports long compilations: a line on standard error after 2 seconds, and again whenever the compilation has taken
/// four times as long as at the last line. The line says what is compiled, for how long, and which stage or pass runs.
/// If TEGULA_LOG is set, lines are written if it contains the topic "compile"; otherwise, if `shown`. Initially not
/// shown.
TEGULA_API void showLongCompiles(bool shown);
/// Calls configure() of Configuration.h with the kernel's first configuration.
TEGULA_API Configuration configure(const KernelInfo &kernel, const Constants &given, std::optional<int> numWarps,
                                   std::optional<int> numStages, const HostExpression::Lookup &arguments);
/// See core/runtime/launch/Requests.h.
TEGULA_API void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                                 std::optional<int> numStages);
/// The artifact as the bytes of a file.
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
/// True if launches keep compiled kernels on disk.
TEGULA_API bool isCacheUsable();

/// Builds and reads bundles.
TEGULA_API BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                                  const std::function<void(const std::string &)> &progress);
TEGULA_API std::vector<uint8_t> bundleBytes(const BundleFile &bundle);
TEGULA_API std::shared_ptr<const BundleFile> readBundle(const std::string &path);
TEGULA_API Artifact readArtifact(std::span<const uint8_t> bytes);
/// `describe` returns a parameter's type as text, `*f32`; or an instance as text: its types, constants, warps and
/// stages.
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
/// Reads every cache entry as a launch would. `problem` is empty if a launch could use the entry, or if the entry
/// belongs to another build.
struct CacheCheck {
  std::string file, problem;
};
TEGULA_API std::vector<CacheCheck> verifyCache();

} // namespace tegula::session
