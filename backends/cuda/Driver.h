// The backend for NVIDIA devices. The runtime's half opens the driver library if it is installed (the same binary also
// runs without it) and fills the function table of backends/gpu. It includes no vendor header: Declarations.h declares
// the parts of the API that it uses. The compiler's half runs the assembler (Ptxas.h). Matrix instructions and code
// generation need no device and are not linked into the runtime's half.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// Registers the backend: backends/CMakeLists.txt derives this function's name from the folder's name.
DriverFactory *cudaDriverFactory();

} // namespace tegula
