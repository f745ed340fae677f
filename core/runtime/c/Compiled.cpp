#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/ConstantConversion.h"
#include "core/runtime/Translate.h"
#include "core/runtime/c/Handles.h"
#include "core/runtime/launch/Requests.h"
#include "core/runtime/text/Signature.h"
#include "core/support/process/Fork.h"

#include <algorithm>

struct tegula_compiled {
  tegula::CompileRequest request; // to compile again when the text of a level is requested
  tegula::Artifact artifact;
  tegula::KernelUsage usage;
  tegula::ForkSafeMutex mutex;              // guards the texts
  std::map<std::string, std::string> texts; // level -> its text, once it was requested
  std::string levels;
};

using namespace tegula;
using namespace tegula::c;

namespace {

constexpr const char *kBinary = "binary";

const std::string &levelsOf(tegula_compiled &compiled) {
  if (compiled.levels.empty()) {
    for (const std::string &level : compiler().levels(compiled.request.target))
      compiled.levels += level + ",";
    compiled.levels += kBinary;
  }
  return compiled.levels;
}

bool isKnown(const CompileRequest &request) {
  std::vector<std::string> levels = compiler().levels(request.target);
  return !levels.empty() && std::ranges::all_of(request.emit, [&](const std::string &level) {
    return std::ranges::find(levels, level) != levels.end();
  });
}

/// Runs `body`, which compiles the request, and returns its result. If the compilation fails and the request names an
/// unknown target or level, the error's kind becomes BadUse: this is a mistake of the caller, not a defect of the
/// kernel.
template <class Body> auto compiling(const CompileRequest &request, Body &&body) {
  try {
    return body();
  } catch (const ApiError &error) {
    if (error.kind() == ApiError::Kind::BadKernel && !isKnown(request))
      badUse(error.what());
    throw;
  }
}

const std::string &textOf(tegula_compiled &compiled, const std::string &level) {
  auto known = compiled.texts.find(level);
  if (known != compiled.texts.end())
    return known->second;
  if (level == kBinary) {
    const std::vector<uint8_t> &binary = compiled.artifact.binary;
    return compiled.texts[level] = std::string(binary.begin(), binary.end());
  }
  CompileRequest request = compiled.request;
  request.emit = {level};
  request.emitOnly = true;
  return compiled.texts[level] = compiling(request, [&] { return compileNow(request).prints.at(0); });
}

} // namespace

tegula_status tegula_kernel_compile(const tegula_kernel *kernel, const tegula_compile_options *options,
                                    tegula_compiled **out) {
  return guarded([&] {
    const Kernel::Impl &source = *required(kernel, "kernel").value.impl();
    tegula_compile_options given = received(&required(options, "options"), "options");
    required(out, "out");
    if (source.bundled)
      badUse("kernel '" + source.prototype.info.name + "' of bundle '" + source.bundled->file->path +
             "' is compiled already; load it from its source to compile it for other targets");
    auto compiled = std::make_unique<tegula_compiled>();
    CompileRequest &request = compiled->request;
    request.path = source.path;
    request.source = source.source;
    request.surroundings = source.surroundings;
    request.kernel = source.prototype.info.name;
    request.startFrom = source.prototype.info.level;
    request.target = text(given.target, "options.target");
    translated(ApiError::Kind::BadUse, [&] {
      request.signature = parseSignature(given.signature ? given.signature : "", "signature");
      for (const auto &[name, value] : constants(given.constants, given.constant_count))
        request.constants.emplace(name, toConstantValue(value));
      auto option = [](int32_t value) { return value ? std::optional<int>(value) : std::nullopt; };
      configureRequest(request, source.prototype.info, option(given.num_warps), option(given.num_stages));
    });
    compiled->artifact = compiling(request, [&] { return compileCached(request).artifact; });
    *out = compiled.release();
  });
}

tegula_status tegula_launcher_compile(const tegula_launcher *launcher, const uint64_t *slots, tegula_compiled **out) {
  return tegula_launcher_compile_sized(launcher, slots, nullptr, out);
}

tegula_status tegula_launcher_compile_sized(const tegula_launcher *launcher, const uint64_t *slots,
                                            const uint64_t *extents, tegula_compiled **out) {
  return guarded([&] {
    const PreparedLaunch &launch = required(launcher, "launcher").value;
    if (!slots && !launch.slots().empty())
      badUse("slots is null");
    required(out, "out");
    const Variant &variant = launch.variantFor(slots, extents);
    auto compiled = std::make_unique<tegula_compiled>();
    compiled->request = launch.requestFor(variant);
    compiled->artifact = variant.compiled.artifact;
    compiled->usage = variant.kernel->usage();
    *out = compiled.release();
  });
}

tegula_status tegula_compiled_get_info(const tegula_compiled *compiled, tegula_compiled_info *info) {
  return guarded([&] {
    const Artifact &artifact = required(compiled, "compiled").artifact;
    give(info,
         {0, artifact.target.c_str(), artifact.entry.c_str(), artifact.sourceHash.c_str(), compiled->request.numWarps,
          compiled->request.numStages, artifact.threads, artifact.sharedBytes, compiled->usage.registers,
          compiled->usage.spillBytes},
         "info");
  });
}

tegula_status tegula_compiled_get_levels(tegula_compiled *compiled, const char **out) {
  return guarded([&] {
    std::lock_guard lock(required(compiled, "compiled").mutex);
    required(out, "out") = translated(ApiError::Kind::BadUse, [&] { return levelsOf(*compiled).c_str(); });
  });
}

tegula_status tegula_compiled_get_level(tegula_compiled *compiled, const char *level, const void **data,
                                        size_t *bytes) {
  return guarded([&] {
    std::lock_guard lock(required(compiled, "compiled").mutex);
    required(data, "data");
    required(bytes, "bytes");
    const std::string &found = textOf(*compiled, text(level, "level"));
    *data = found.data();
    *bytes = found.size();
  });
}

void tegula_compiled_release(tegula_compiled *compiled) { delete compiled; }
