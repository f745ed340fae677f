// Linear algebra over GF(2), where addition is XOR: vectors are the bits of a uint64_t, a matrix is a list of columns.
//
//   columns {0b01, 0b11}, two rows:   | 1 1 | | x0 |   | x0 ^ x1 |
//                                     | 0 1 | | x1 | = |   x1    |     apply(0b10) = 0b11
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tegula::layout {

/// An echelon form that is built vector by vector. For each reduced vector it records which of the added vectors were
/// XORed to make it. Only the first 64 added vectors are recorded.
class Echelon {
public:
  struct Reduced {
    uint64_t rest;        // the added vector after reduction: 0 exactly if the vector is in the span
    uint64_t combination; // bit i: the i-th added vector was XORed into `rest`
  };
  Reduced reduce(uint64_t vector) const;
  bool contains(uint64_t vector) const { return reduce(vector).rest == 0; }

  /// Adds the next vector; true if it is independent of those before.
  bool add(uint64_t vector);
  unsigned rank() const { return static_cast<unsigned>(rows_.size()); }

private:
  std::vector<Reduced> rows_; // `rest` is never 0 here; sorted by leading bit, highest first
  unsigned added_ = 0;
};

/// At most 64 rows and 64 columns.
struct BitMatrix {
  unsigned rows = 0;
  std::vector<uint64_t> columns; // bit r of column c is the entry (r, c)

  static BitMatrix identity(unsigned size);

  /// The XOR of the columns whose bit is set in x.
  uint64_t apply(uint64_t x) const;
  /// The product this * right: `right` is applied first. right.rows must equal the number of this matrix's columns.
  BitMatrix operator*(const BitMatrix &right) const;
  bool operator==(const BitMatrix &) const = default;

  unsigned rank() const;
  /// Mask of the columns that are linear combinations of earlier columns; the other columns are a basis of the image.
  uint64_t dependentColumns() const;
  /// An x with apply(x) == y that uses no dependent column; nothing if y is outside the image.
  std::optional<uint64_t> solve(uint64_t y) const;
  /// A basis of all x with apply(x) == 0, one vector for each dependent column.
  std::vector<uint64_t> kernel() const;
};

} // namespace tegula::layout
