// Rearrangements: dimensions reordered, reshaped, renamed, joined or removed.
#include "core/layout/LinearLayout.h"
#include "core/support/Diagnostic.h"

#include <numeric>

namespace tegula::layout {

LinearLayout::Axes LinearLayout::permuted(const Axes &axes, const std::vector<Dim> &order, const char *side) {
  Axes result;
  for (Dim dim : order)
    if (const Axis *axis = find(axes, dim); axis && !find(result, dim))
      result.push_back(*axis);
  if (result.size() != axes.size() || order.size() != axes.size()) {
    std::string listed;
    for (Dim dim : order)
      listed += (listed.empty() ? "" : ", ") + name(dim);
    throw Error("layout: the order " + listed + " is no permutation of the " + side + " dimensions " + describe(axes));
  }
  return result;
}

LinearLayout LinearLayout::transposeInputs(const std::vector<Dim> &order) const {
  Axes ins = permuted(ins_, order, "input");
  std::vector<uint64_t> columns;
  for (const Axis &axis : ins)
    for (uint64_t flat : flatBases(axis.dim))
      columns.push_back(flat);
  return LinearLayout(ins, outs_, columns);
}

LinearLayout LinearLayout::transposeOutputs(const std::vector<Dim> &order) const {
  Axes outs = permuted(outs_, order, "output");
  std::vector<uint64_t> columns;
  for (uint64_t flat : columns_)
    columns.push_back(regroup(outs_, outs, flat));
  return LinearLayout(ins_, outs, columns);
}

LinearLayout LinearLayout::reshapeInputs(const std::vector<Extent> &inputs) const {
  Axes ins = axes(inputs, "input");
  unsigned bits = 0;
  for (const Axis &axis : ins)
    bits += axis.bits;
  if (bits != totalInputBits())
    throw Error("layout: cannot cut inputs " + describe(ins_) + " into " + describe(ins) + "; the products differ");
  return LinearLayout(ins, outs_, columns_);
}

LinearLayout LinearLayout::reshapeOutputs(const std::vector<Extent> &outputs) const {
  Axes outs = axes(outputs, "output");
  unsigned bits = 0;
  for (const Axis &axis : outs)
    bits += axis.bits;
  if (bits != totalOutputBits())
    throw Error("layout: cannot cut outputs " + describe(outs_) + " into " + describe(outs) + "; the products differ");
  return LinearLayout(ins_, outs, columns_);
}

LinearLayout LinearLayout::flattenOutputs(Dim dim) const {
  return LinearLayout(ins_, {{dim, totalOutputBits()}}, columns_);
}

LinearLayout LinearLayout::renameOutput(Dim from, Dim to) const {
  std::vector<Extent> outs = outputs();
  for (Extent &extent : outs)
    if (extent.dim == from)
      extent.dim = to;
  return reshapeOutputs(outs);
}

LinearLayout LinearLayout::renameInput(Dim from, Dim to) const {
  std::vector<Extent> ins = inputs();
  for (Extent &extent : ins)
    if (extent.dim == from)
      extent.dim = to;
  return reshapeInputs(ins);
}

LinearLayout LinearLayout::concatInputs(const LinearLayout &other) const {
  if (outs_ != other.outs_)
    throw Error("layout: outputs " + describe(outs_) + " and " + describe(other.outs_) + " must agree");
  std::vector<Extent> ins = inputs(), more = other.inputs();
  ins.insert(ins.end(), more.begin(), more.end());
  std::vector<uint64_t> columns = columns_;
  columns.insert(columns.end(), other.columns_.begin(), other.columns_.end());
  return LinearLayout(axes(ins, "input"), outs_, columns);
}

LinearLayout LinearLayout::concatOutputs(const LinearLayout &other) const {
  if (ins_ != other.ins_)
    throw Error("layout: inputs " + describe(ins_) + " and " + describe(other.ins_) + " must agree");
  std::vector<Extent> outs = outputs(), more = other.outputs();
  outs.insert(outs.end(), more.begin(), more.end());
  Axes joinedOuts = axes(outs, "output");
  std::vector<uint64_t> columns = columns_;
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i] |= other.columns_[i] << totalOutputBits();
  return LinearLayout(ins_, joinedOuts, columns);
}

LinearLayout LinearLayout::sublayout(const std::vector<Dim> &ins, const std::vector<Dim> &outs) const {
  Axes inAxes, outAxes;
  std::vector<uint64_t> columns;
  for (Dim dim : outs)
    if (const Axis *axis = find(outs_, dim))
      outAxes.push_back(*axis);
  for (Dim dim : ins)
    if (const Axis *axis = find(ins_, dim)) {
      inAxes.push_back(*axis);
      for (uint64_t flat : flatBases(dim)) {
        uint64_t kept = 0;
        for (const Axis &out : outAxes)
          kept |= (flat >> position(outs_, out.dim) & ((uint64_t(1) << out.bits) - 1)) << position(outAxes, out.dim);
        columns.push_back(kept);
      }
    }
  return LinearLayout(inAxes, outAxes, columns);
}

LinearLayout LinearLayout::sublayoutOfInputs(const std::vector<Dim> &ins) const {
  std::vector<Dim> outs;
  for (const Axis &axis : outs_)
    outs.push_back(axis.dim);
  return sublayout(ins, outs);
}

LinearLayout LinearLayout::keepInputBits(Dim in, uint32_t mask) const {
  Axes ins = ins_;
  std::vector<uint64_t> columns;
  for (Axis &axis : ins) {
    std::vector<uint64_t> flats = flatBases(axis.dim);
    unsigned kept = 0;
    for (unsigned bit = 0; bit < flats.size(); ++bit)
      if (axis.dim != in || mask >> bit & 1) {
        columns.push_back(flats[bit]);
        ++kept;
      }
    axis.bits = kept;
  }
  return LinearLayout(ins, outs_, columns);
}

} // namespace tegula::layout
