#include "MatrixUnit.h"

#include "Numbers.h"

#include <cmath>

namespace tegula::simt_test {
namespace {

MatrixHolding holding(const MatrixOperand &operand, uint32_t rows, uint32_t columns, uint32_t threads) {
  MatrixHolding made{rows, columns, 0, operand.type, {}};
  if (operand.layout.totalInputBits() == 0)
    return made;
  uint32_t lanes = operand.layout.inputSize(layout::kLane), registers = operand.layout.inputSize(layout::kRegister);
  for (uint32_t thread = 0; thread < threads; ++thread) {
    uint32_t kept = 0;
    for (uint32_t number = 0; number < registers; ++number) {
      layout::Coordinates at = operand.layout.apply(
          {{layout::kRegister, number}, {layout::kLane, thread % lanes}, {layout::kWarp, thread / lanes}});
      // Where an extent is no power of two, the layout is that of the next one, and elements outside do not exist.
      if (at[0] >= rows || at[1] >= columns)
        continue;
      made.elements.push_back(at[0] * columns + at[1]);
      ++kept;
    }
    made.registers = kept;
  }
  return made;
}

} // namespace

MatrixUnit::MatrixUnit(const MatrixInstruction &row)
    : m(row.m), n(row.n), k(row.k), threads(row.lanes * row.warps), a(holding(row.a, m, k, threads)),
      b(holding(row.b, k, n, threads)), c(holding(row.c, m, n, threads)) {
  constexpr uint64_t kTf32 = ~uint64_t(0x1fff);
  if (row.readsTf32)
    a.readBits = b.readBits = kTf32;
}

void multiplyAccumulate(const MatrixUnit &unit, const double *a, const double *b, double *c) {
  for (uint32_t i = 0; i < unit.m; ++i)
    for (uint32_t j = 0; j < unit.n; ++j) {
      double sum = 0; // exact for integers: sums of products of 8 bits stay far below 2^53
      for (uint32_t l = 0; l < unit.k; ++l)
        sum += a[i * unit.k + l] * b[j * unit.k + l];
      double &out = c[i * unit.n + j];
      out = isFloat(unit.c.type)
                ? toDouble(unit.c.type, fromDouble(unit.c.type, out + sum))
                : static_cast<double>(toSigned(
                      unit.c.type, truncated(unit.c.type, static_cast<uint64_t>(static_cast<int64_t>(out + sum)))));
    }
}

} // namespace tegula::simt_test
