// Writes constants as text, for messages.
#pragma once

#include "core/contracts/Compiler.h"

#include <string>

namespace tegula {

/// The constant in the form that a kernel's author would write: `None`, `True`, `64`, `1e-05`, `'relu'`, `f16`.
std::string describe(const ConstantValue &value);
/// `BLOCK_M=64, BLOCK_N=32`
std::string describe(const Constants &constants);

} // namespace tegula
