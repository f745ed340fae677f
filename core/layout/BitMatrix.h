// Linear algebra over GF(2), where addition is XOR: vectors are the bits of a uint64_t, a matrix is a list of columns.
//
//   columns {0b01, 0b11}, two rows:   | 1 1 | | x0 |   | x0 ^ x1 |
//                                     | 0 1 | | x1 | = |   x1    |     apply(0b10) = 0b11
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tegula::layout {

/// Vectors added one by one, kept in echelon form, with the memory of which of them make up each reduced one.
/// Combinations are known of the first 64 vectors only.
class Echelon {
public:
  struct Reduced {
    uint64_t rest;        // what is left of the vector: 0 exactly if it is in the span
    uint64_t combination; // bit i: the i-th added vector takes part in what was subtracted
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
  /// this * right: first right, then this. right.rows must be the number of columns.
  BitMatrix operator*(const BitMatrix &right) const;
  bool operator==(const BitMatrix &) const = default;

  unsigned rank() const;
  /// Mask of the columns that depend on columns before them; the rest are a basis of the image.
  uint64_t dependentColumns() const;
  /// An x with apply(x) == y that uses no dependent column; nothing if y is outside the image.
  std::optional<uint64_t> solve(uint64_t y) const;
  /// A basis of all x with apply(x) == 0, one vector for each dependent column.
  std::vector<uint64_t> kernel() const;
};

} // namespace tegula::layout
