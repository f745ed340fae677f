// A signature: `*fp32:16, **f16, desc<64x64xf16>, i32:16, f32, 1, None`: types of the parameters that are not
// constexpr, in order. `:16` says that 16 divides the integer or address; a literal specialises the kernel and drops
// the argument.
#pragma once

#include "core/contracts/Compiler.h"

#include <string>
#include <vector>

namespace tegula {

/// Throws tegula::Error with the position in the signature; `label` stands for its file.
std::vector<ParamType> parseSignature(const std::string &text, const std::string &label = "--signature");

} // namespace tegula
