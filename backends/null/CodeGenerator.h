// The code generator of the null backend: any kernel becomes its own name. See README.md.
#pragma once

#include "core/contracts/CodeGenerator.h"

namespace tegula {

/// The registration point: backends/CMakeLists.txt finds it by the folder's name.
const CodeGenerator *nullCodeGenerator();

} // namespace tegula
