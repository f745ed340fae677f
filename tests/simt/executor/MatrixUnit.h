// A matrix instruction's row, ready to be carried out: which element each register of each lane holds.
#pragma once

#include "core/target/MatrixInstruction.h"

#include <cstdint>
#include <vector>

namespace tegula::simt_test {

/// One operand of an instruction, `rows` x `columns`; register r of thread t (of all the warps that issue it) holds the
/// element `elements[t * registers + r]`, row-major. Several may hold the same one.
struct MatrixHolding {
  uint32_t rows = 0, columns = 0, registers = 0;
  ScalarType type = ScalarType::F32;
  std::vector<uint32_t> elements; // empty: never in registers
};

struct MatrixUnit {
  explicit MatrixUnit(const MatrixInstruction &row);
  uint32_t m, n, k, threads;
  MatrixHolding a, b, c;
};

/// c (rows x columns of the unit) += a * b for one instruction, with k elements of a row of `a` next to each other and
/// columns of `b` likewise: `b` is n x k. Sums in double (or 64-bit integers), rounded once to the type of c.
void multiplyAccumulate(const MatrixUnit &unit, const double *a, const double *b, double *c);

} // namespace tegula::simt_test
