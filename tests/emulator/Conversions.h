// Vector instructions that convert between types; a part of addFloat.
#pragma once

#include "tests/emulator/Wave.h"

namespace tegula::emulator {

void addConversions(HandlerTable &table);

} // namespace tegula::emulator
