#include "core/layout/BitMatrix.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {

Echelon::Reduced Echelon::reduce(uint64_t vector) const {
  Reduced result{vector, 0};
  for (const Reduced &row : rows_)
    if (result.rest & std::bit_floor(row.rest)) {
      result.rest ^= row.rest;
      result.combination ^= row.combination;
    }
  return result;
}

bool Echelon::add(uint64_t vector) {
  Reduced row = reduce(vector);
  uint64_t own = added_ < 64 ? uint64_t(1) << added_ : 0;
  ++added_;
  if (row.rest == 0)
    return false;
  row.combination ^= own;
  auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Reduced &other) { return other.rest < row.rest; });
  rows_.insert(at, row);
  return true;
}

BitMatrix BitMatrix::identity(unsigned size) {
  BitMatrix result{size, {}};
  for (unsigned i = 0; i < size; ++i)
    result.columns.push_back(uint64_t(1) << i);
  return result;
}

uint64_t BitMatrix::apply(uint64_t x) const {
  uint64_t y = 0;
  for (; x; x &= x - 1)
    y ^= columns[static_cast<unsigned>(std::countr_zero(x))];
  return y;
}

BitMatrix BitMatrix::operator*(const BitMatrix &right) const {
  BitMatrix result{rows, {}};
  for (uint64_t column : right.columns)
    result.columns.push_back(apply(column));
  return result;
}

unsigned BitMatrix::rank() const {
  Echelon echelon;
  for (uint64_t column : columns)
    echelon.add(column);
  return echelon.rank();
}

uint64_t BitMatrix::dependentColumns() const {
  Echelon echelon;
  uint64_t mask = 0;
  for (size_t i = 0; i < columns.size(); ++i)
    if (!echelon.add(columns[i]))
      mask |= uint64_t(1) << i;
  return mask;
}

std::optional<uint64_t> BitMatrix::solve(uint64_t y) const {
  Echelon echelon;
  for (uint64_t column : columns)
    echelon.add(column);
  Echelon::Reduced reduced = echelon.reduce(y);
  if (reduced.rest)
    return std::nullopt;
  return reduced.combination;
}

std::vector<uint64_t> BitMatrix::kernel() const {
  Echelon echelon;
  std::vector<uint64_t> result;
  for (size_t i = 0; i < columns.size(); ++i) {
    Echelon::Reduced reduced = echelon.reduce(columns[i]);
    if (reduced.rest == 0)
      result.push_back(reduced.combination | uint64_t(1) << i);
    echelon.add(columns[i]);
  }
  return result;
}

} // namespace tegula::layout
