// Tests of vector instructions from rows of models.
#pragma once

#include "tests/emulator/tests/Model.h"

#include <span>

namespace tegula::emulator::test {

/// Executes each row's instructions in all forms (Forms.h) on all architectures that have them, and compares the whole
/// state of the wave with what the row's model says.
void checkRows(std::span<const Row> rows);

} // namespace tegula::emulator::test
