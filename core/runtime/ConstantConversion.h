// Converts constants of the public interface to constants of compile requests, and back.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/include/tegula/tegula.hpp"

namespace tegula {

ConstantValue toConstantValue(const Constant &constant);
Constant toConstant(const ConstantValue &value);

} // namespace tegula
