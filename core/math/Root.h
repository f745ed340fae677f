// rsqrt, of correctly rounded roots and quotients.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

template <class N> Real<N> rsqrt(Real<N> x) { return 1.0 / squareRoot(x); }

} // namespace tegula::elementary
