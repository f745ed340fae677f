// What the families of libdevice's functions share.
#pragma once

#include "tests/conformance/families/Families.h"

namespace tegula::conformance::libdevice_cases {

/// A case of a kernel in libdevice.py; its buffers are appended.
inline Case &vector(Cases &cases, const char *kernel, const std::string &variant, Extent e) {
  Case &made = cases.add("libdevice", "libdevice.py", kernel, variant + "," + e.text());
  return made.with("BLOCK", e.block).grid(e.programs()).warps(e.warps);
}

enum class Direction { Down, Up, Zero };
/// The next number of the type.
Number neighbour(DType type, Number x, bool up);
/// A number rounded in a direction: the nearest one of the type, moved if it is on the other side. `exact` has the
/// digits of a Number, and `rest` is what it lost.
Number towards(DType type, Number exact, Number rest, Direction direction);

} // namespace tegula::conformance::libdevice_cases
