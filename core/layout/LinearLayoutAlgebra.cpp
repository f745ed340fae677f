// Composition, inverses, products and division.
#include "core/layout/LinearLayout.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::layout {

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  bool fits = outs_.size() == outer.ins_.size();
  for (const Axis &axis : outs_)
    fits = fits && find(outer.ins_, axis.dim) && bitsOf(outer.ins_, axis.dim) >= axis.bits;
  if (!fits)
    throw Error("layout: cannot compose outputs " + describe(outs_) + " with inputs " + describe(outer.ins_) +
                "; the dimensions must be the same, and as large");
  std::vector<uint64_t> columns;
  for (uint64_t column : columns_)
    columns.push_back(outer.applyFlat(regroup(outs_, outer.ins_, column)));
  return LinearLayout(ins_, outer.outs_, columns);
}

LinearLayout LinearLayout::inverse() const {
  if (!isInvertible())
    throw Error("layout: not invertible: " + std::to_string(totalInputBits()) + " input bits, " +
                std::to_string(totalOutputBits()) + " output bits, rank " + std::to_string(rank()));
  return pseudoInverse();
}

LinearLayout LinearLayout::pseudoInverse() const {
  BitMatrix bits = matrix();
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < totalOutputBits(); ++i) {
    std::optional<uint64_t> x = bits.solve(uint64_t(1) << i);
    if (!x)
      throw Error("layout: not surjective, so it has no right inverse: " + std::to_string(totalOutputBits()) +
                  " output bits, rank " + std::to_string(rank()));
    columns.push_back(*x);
  }
  return LinearLayout(outs_, ins_, columns);
}

LinearLayout LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  bool same = outs_.size() == outer.outs_.size();
  for (const Axis &axis : outs_)
    same = same && find(outer.outs_, axis.dim);
  if (!same)
    throw Error("layout: outputs " + describe(outs_) + " and " + describe(outer.outs_) + " are not of the same tensor");
  Axes wide = outer.outs_; // sizes may differ as long as every output is reached
  for (Axis &axis : wide)
    axis.bits = std::max(axis.bits, bitsOf(outs_, axis.dim));
  BitMatrix bits = outer.matrix();
  for (uint64_t &column : bits.columns)
    column = regroup(outer.outs_, wide, column);
  std::vector<uint64_t> columns;
  for (uint64_t column : columns_) {
    std::optional<uint64_t> x = bits.solve(regroup(outs_, wide, column));
    if (!x)
      throw Error("layout: " + toText() + " reaches coordinates that " + outer.toText() + " does not hold");
    columns.push_back(*x);
  }
  return LinearLayout(ins_, outer.ins_, columns);
}

/// The dimensions of a product: those of `low`, then those that only `high` has. Bit counts are added.
LinearLayout::Axes LinearLayout::joined(const Axes &low, const Axes &high) {
  Axes result = low;
  for (const Axis &axis : high) {
    auto at = std::find_if(result.begin(), result.end(), [&](const Axis &a) { return a.dim == axis.dim; });
    if (at == result.end())
      result.push_back(axis);
    else
      at->bits += axis.bits;
  }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &high) const {
  Axes ins = joined(ins_, high.ins_), outs = joined(outs_, high.outs_);
  std::vector<uint64_t> columns;
  for (const Axis &axis : ins) {
    for (uint64_t flat : flatBases(axis.dim))
      columns.push_back(regroup(outs_, outs, flat));
    for (uint64_t flat : high.flatBases(axis.dim)) {
      Coordinates values = high.unpackOutput(flat);
      uint64_t shifted = 0;
      for (size_t i = 0; i < values.size(); ++i)
        shifted |= uint64_t(values[i]) << (position(outs, high.outs_[i].dim) + outputBits(high.outs_[i].dim));
      columns.push_back(shifted);
    }
  }
  return LinearLayout(ins, outs, columns);
}

/// The dimensions of a quotient: bit counts are subtracted. `possible` becomes false if `part` has more bits than
/// `whole`.
LinearLayout::Axes LinearLayout::difference(const Axes &whole, const Axes &part, bool &possible) {
  Axes result = whole;
  for (Axis &axis : result) {
    unsigned bits = bitsOf(part, axis.dim);
    possible = possible && bits <= axis.bits;
    axis.bits -= std::min(bits, axis.bits);
  }
  for (const Axis &axis : part)
    possible = possible && (axis.bits == 0 || find(whole, axis.dim));
  return result;
}

std::optional<LinearLayout> LinearLayout::divide(const LinearLayout &part, bool left) const {
  bool possible = true;
  Axes ins = difference(ins_, part.ins_, possible), outs = difference(outs_, part.outs_, possible);
  if (!possible)
    return std::nullopt;
  // Read the quotient from the bases, then multiply back: the product equals `this` exactly if the quotient exists.
  std::vector<uint64_t> columns;
  for (const Axis &axis : ins) {
    unsigned first = left ? part.inputBits(axis.dim) : 0;
    for (unsigned bit = first; bit < first + axis.bits; ++bit) {
      Coordinates values = unpackOutput(flatBasis(axis.dim, bit));
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] >>= left ? part.outputBits(outs[i].dim) : 0;
        if (values[i] >> outs[i].bits)
          return std::nullopt;
      }
      columns.push_back(pack(outs, values));
    }
  }
  LinearLayout quotient(ins, outs, columns);
  std::vector<Dim> inOrder, outOrder;
  for (const Axis &axis : ins_)
    inOrder.push_back(axis.dim);
  for (const Axis &axis : outs_)
    outOrder.push_back(axis.dim);
  LinearLayout product = left ? part * quotient : quotient * part;
  if (product.ins_.size() != ins_.size() || product.outs_.size() != outs_.size())
    return std::nullopt;
  if (product.transposeInputs(inOrder).transposeOutputs(outOrder) != *this)
    return std::nullopt;
  return quotient;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &low) const { return divide(low, true); }
std::optional<LinearLayout> LinearLayout::divideRight(const LinearLayout &high) const { return divide(high, false); }

} // namespace tegula::layout
