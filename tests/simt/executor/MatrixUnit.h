// A matrix instruction prepared for execution: the element that each register of each lane holds.
#pragma once

#include "core/target/MatrixInstruction.h"

#include <cstdint>
#include <vector>

namespace tegula::simt_test {

/// One operand of an instruction, `rows` x `columns`. Register r of thread t (among all warps that issue it) holds the
/// row-major element `elements[t * registers + r]`. Several registers may hold the same element.
struct MatrixHolding {
  uint32_t rows = 0, columns = 0, registers = 0;
  ScalarType type = ScalarType::F32;
  std::vector<uint32_t> elements;   // empty: the operand is never in registers
  uint64_t readBits = ~uint64_t(0); // the bits of an element that the instruction reads
};

struct MatrixUnit {
  explicit MatrixUnit(const MatrixInstruction &row);
  uint32_t m, n, k, threads;
  MatrixHolding a, b, c;
};

/// c (rows x columns of the unit) += a * b for one instruction. k is contiguous in both operands: `a` is m x k, `b` n x
/// k. Sums in double (or 64-bit integers), rounded once to the type of c.
void multiplyAccumulate(const MatrixUnit &unit, const double *a, const double *b, double *c);

} // namespace tegula::simt_test
