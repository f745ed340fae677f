// Combines two elements: the kinds of simt.reduce_registers and of atomics.
#pragma once

#include "Numbers.h"

#include "core/ir/simt/Simt.h"

namespace tegula::simt_test {

uint64_t combine(simt::CombineKind kind, ScalarType type, uint64_t x, uint64_t y);
/// The value that an atomic stores.
uint64_t combine(tile::AtomicKind kind, ScalarType type, uint64_t old, uint64_t value);

} // namespace tegula::simt_test
