// The room of NVIDIA devices. The runtime's half opens the driver library where there is one (the same binary runs
// where there is none) and fills the table of backends/gpu; no vendor header is included, what is used of it is
// declared in Declarations.h. The compiler's half runs the assembler (Ptxas.h). Instructions and code generation need
// no device and stay out of the runtime's half.
#pragma once

#include "backends/Backend.h"

namespace tegula {

/// The registration point: backends/CMakeLists.txt finds it by the folder's name.
DriverFactory *cudaDriverFactory();

} // namespace tegula
