// tl.target_info: queries about the target of the compilation. The answers are constants.
#include "frontend/language/builtins/Builtins.h"

#include <charconv>

namespace tegula::lang {

namespace {

using Args = Builtin::Args;

/// Whether the target's name begins with `prefix`; names are `sm_90a`, `gfx942`, `spirv:...`, `cpu`.
template <FixedName prefix> Value startsWith(Emitter &e, const Args &) {
  return Const(e.request.target.starts_with(prefix.str()));
}

template <FixedName target> Value is(Emitter &e, const Args &) { return Const(e.request.target == target.str()); }

/// cuda_capability_geq(major, minor): true for `sm_90a` and (9, 0).
Value capabilityAtLeast(Emitter &e, const Args &args) {
  Int major = e.constantInt(args.locs[0], args[0], "cuda_capability_geq's major");
  Int minor = e.constantInt(args.locs[1], args[1], "cuda_capability_geq's minor");
  std::string_view target = e.request.target;
  if (!target.starts_with("sm_"))
    return Const(false);
  int capability = 0;
  std::from_chars(target.data() + 3, target.data() + target.size(), capability);
  return Const(Int(capability) >= major * 10 + minor);
}

} // namespace

std::span<const Builtin> targetBuiltins() {
  static constexpr Builtin table[] = {
      {"is_cuda", "", startsWith<"sm_">},
      {"is_hip", "", startsWith<"gfx">},
      {"is_hip_cdna3", "", is<"gfx942">},
      {"is_hip_cdna4", "", is<"gfx950">},
      {"cuda_capability_geq", "major, minor=0", capabilityAtLeast},
  };
  return table;
}

} // namespace tegula::lang
