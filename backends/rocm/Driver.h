// The room of AMD devices. The runtime's half opens HIP's library if there is one (the same binary also runs without)
// and fills the function table of backends/gpu; no header of AMD is included, Declarations.h declares what is used. The
// compiler's half (codegen/) needs no device and no software of AMD and stays out of the runtime's half.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// The registration point: backends/CMakeLists.txt finds it by the folder's name.
DriverFactory *rocmDriverFactory();

} // namespace tegula
