// The code generator of the null backend: the code of any kernel is the kernel's name. See README.md.
#pragma once

#include "core/contracts/CodeGenerator.h"

namespace tegula {

/// Registers the code generator: backends/CMakeLists.txt derives this function's name from the folder's name.
const CodeGenerator *nullCodeGenerator();

} // namespace tegula
