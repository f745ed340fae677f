// The backend for AMD devices. The runtime's half opens HIP's library if it is installed (the same binary also runs
// without it) and fills the function table of backends/gpu. It includes no header of AMD: Declarations.h declares the
// parts of the API that it uses. The compiler's half (codegen/) needs neither a device nor AMD's software, and is not
// linked into the runtime's half.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// Registers the backend: backends/CMakeLists.txt derives this function's name from the folder's name.
DriverFactory *rocmDriverFactory();

} // namespace tegula
