// Parses signatures: `*fp32:16, **f16, desc<64x64xf16>, i32:16, f32, 1, None`, the types of the parameters that are not
// constexpr, in order. `:16` says that the integer or address is divisible by 16. A literal specialises the kernel, and
// the compiled kernel does not have the argument.
#pragma once

#include "core/contracts/Compiler.h"

#include <string>
#include <vector>

namespace tegula {

/// Parses a signature. If the text is not a valid signature, throws tegula::Error with the position of the mistake in
/// the text; `label` stands for the name of a file in messages.
std::vector<ParamType> parseSignature(const std::string &text, const std::string &label = "--signature");

} // namespace tegula
