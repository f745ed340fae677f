// Scalar instructions on floats; a part of addScalar.
#pragma once

#include "tests/emulator/Wave.h"

namespace tegula::emulator {

void addScalarFloats(HandlerTable &table);

} // namespace tegula::emulator
