// tl.target_info: queries about the target of the compilation, whose answers are constants; and functions of
// tl.extra.cuda that every target can have.
#include "frontend/language/builtins/Builtins.h"

#include <charconv>
#include <optional>

namespace tegula::lang {

namespace {

using Args = Builtin::Args;

/// What follows the prefix of a CUDA target, `90a` of `sm_90a` and `80` of `compute_80`; nothing for other targets,
/// such as `gfx942`, `spirv:...`, `cpu`.
std::optional<std::string_view> cudaVersion(std::string_view target) {
  for (std::string_view prefix : {"sm_", "compute_"})
    if (target.starts_with(prefix))
      return target.substr(prefix.size());
  return std::nullopt;
}

Value isCuda(Emitter &e, const Args &) { return Const(cudaVersion(e.request.target).has_value()); }

Value isHip(Emitter &e, const Args &) { return Const(e.request.target.starts_with("gfx")); }

template <FixedName target> Value is(Emitter &e, const Args &) { return Const(e.request.target == target.str()); }

/// cuda_capability_geq(major, minor): true for `sm_90a` and (9, 0).
Value capabilityAtLeast(Emitter &e, const Args &args) {
  Int major = e.constantInt(args.locs[0], args[0], "cuda_capability_geq's major");
  Int minor = e.constantInt(args.locs[1], args[1], "cuda_capability_geq's minor");
  std::optional<std::string_view> version = cudaVersion(e.request.target);
  if (!version)
    return Const(false);
  int capability = 0;
  std::from_chars(version->data(), version->data() + version->size(), capability);
  return Const(Int(capability) >= major * 10 + minor);
}

/// Waits for the launch before. Every driver here starts a launch when the one before has ended.
Value nothingToWaitFor(Emitter &, const Args &) { return none(); }

Value numWarps(Emitter &e, const Args &) { return Const(Int(e.request.numWarps)); }

/// Those that compute; a warp has 64 on the targets named gfx9 and a number.
Value numThreads(Emitter &e, const Args &) {
  return Const(Int(e.request.numWarps) * (e.request.target.starts_with("gfx9") ? 64 : 32));
}

} // namespace

std::span<const Builtin> targetBuiltins() {
  static constexpr Builtin table[] = {
      {"is_cuda", "", isCuda},
      {"is_hip", "", isHip},
      {"is_hip_cdna3", "", is<"gfx942">},
      {"is_hip_cdna4", "", is<"gfx950">},
      {"cuda_capability_geq", "major, minor=0", capabilityAtLeast},
      {"extra.gdc_wait", "", nothingToWaitFor},
      {"extra.gdc_launch_dependents", "", nothingToWaitFor},
      {"extra.num_warps", "", numWarps},
      {"extra.num_threads", "", numThreads},
  };
  return table;
}

} // namespace tegula::lang
