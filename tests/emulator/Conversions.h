// Vector instructions that convert between types; a part of addFloat.
#pragma once

#include "tests/emulator/Wave.h"

namespace tegula::emulator {

void addConversions(HandlerTable &table);

/// The value of an 8-bit float. `bias` is that of its exponent; `digits`: explicit bits of its significand; `fnuz`: the
/// only special code is 0x80, NaN.
float smallToFloat(uint8_t code, int bias, unsigned digits, bool fnuz);

} // namespace tegula::emulator
