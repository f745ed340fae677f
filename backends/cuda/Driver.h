// The room of NVIDIA devices. The runtime's half opens the driver library if there is one (the same binary also runs
// without) and fills the function table of backends/gpu; no vendor header is included, Declarations.h declares what is
// used. The compiler's half runs the assembler (Ptxas.h). Instructions and code generation need no device and stay out
// of the runtime's half.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// The registration point: backends/CMakeLists.txt finds it by the folder's name.
DriverFactory *cudaDriverFactory();

} // namespace tegula
