// Constants of the public interface from and to those of compile requests.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/include/tegula/tegula.hpp"

namespace tegula {

ConstantValue toConstantValue(const Constant &constant);
Constant toConstant(const ConstantValue &value);

} // namespace tegula
