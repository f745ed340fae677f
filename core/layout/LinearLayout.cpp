#include "core/layout/LinearLayout.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {
namespace {

constexpr unsigned kMaxBits = 63;

} // namespace

// Axes: the input dimensions or the output dimensions of a layout.

LinearLayout::Axes LinearLayout::axes(const std::vector<Extent> &extents, const char *side) {
  Axes result;
  unsigned total = 0;
  for (const Extent &extent : extents) {
    if (!std::has_single_bit(extent.size))
      throw Error("layout: the size of " + std::string(side) + " dimension " + name(extent.dim) + " is " +
                  std::to_string(extent.size) + "; it must be a power of two");
    if (find(result, extent.dim))
      throw Error("layout: " + std::string(side) + " dimension " + name(extent.dim) + " occurs twice");
    result.push_back({extent.dim, static_cast<unsigned>(std::countr_zero(extent.size))});
    total += result.back().bits;
  }
  if (total > kMaxBits)
    throw Error("layout: its " + std::string(side) + " dimensions have " + std::to_string(total) +
                " bits; at most 63 are possible");
  return result;
}

std::vector<Extent> LinearLayout::extents(const Axes &axes) {
  std::vector<Extent> result;
  for (const Axis &axis : axes)
    result.push_back({axis.dim, uint32_t(1) << axis.bits});
  return result;
}

const LinearLayout::Axis *LinearLayout::find(const Axes &axes, Dim dim) {
  for (const Axis &axis : axes)
    if (axis.dim == dim)
      return &axis;
  return nullptr;
}

unsigned LinearLayout::bitsOf(const Axes &axes, Dim dim) {
  const Axis *axis = find(axes, dim);
  return axis ? axis->bits : 0;
}

unsigned LinearLayout::position(const Axes &axes, Dim dim) {
  unsigned bit = 0;
  for (const Axis &axis : axes) {
    if (axis.dim == dim)
      return bit;
    bit += axis.bits;
  }
  return bit;
}

uint64_t LinearLayout::pack(const Axes &axes, std::span<const uint32_t> values) {
  if (values.size() != axes.size())
    throw Error("layout: " + std::to_string(values.size()) + " coordinates given where there are " +
                std::to_string(axes.size()) + " dimensions (" + describe(axes) + ")");
  uint64_t flat = 0;
  unsigned bit = 0;
  for (size_t i = 0; i < axes.size(); bit += axes[i].bits, ++i) {
    if (values[i] >> axes[i].bits)
      throw Error("layout: coordinate " + std::to_string(values[i]) + " of dimension " + name(axes[i].dim) +
                  " must be below its size, " + std::to_string(uint32_t(1) << axes[i].bits));
    flat |= uint64_t(values[i]) << bit;
  }
  return flat;
}

Coordinates LinearLayout::unpack(const Axes &axes, uint64_t flat) {
  Coordinates values;
  for (const Axis &axis : axes) {
    values.push_back(static_cast<uint32_t>(flat & ((uint64_t(1) << axis.bits) - 1)));
    flat >>= axis.bits;
  }
  return values;
}

/// Converts a flat number between two lists of dimensions: coordinates with the same name stay equal; the order of
/// dimensions may differ, and sizes in `to` may be larger.
uint64_t LinearLayout::regroup(const Axes &from, const Axes &to, uint64_t flat) {
  uint64_t result = 0;
  for (const Axis &axis : from) {
    result |= (flat & ((uint64_t(1) << axis.bits) - 1)) << position(to, axis.dim);
    flat >>= axis.bits;
  }
  return result;
}

std::string LinearLayout::describe(const Axes &axes) {
  std::string out;
  for (const Axis &axis : axes)
    out += (out.empty() ? "" : ", ") + name(axis.dim) + " " + std::to_string(uint32_t(1) << axis.bits);
  return out.empty() ? "none" : out;
}

unsigned LinearLayout::totalOutputBits() const {
  unsigned bits = 0;
  for (const Axis &axis : outs_)
    bits += axis.bits;
  return bits;
}

std::vector<uint32_t> LinearLayout::shape() const {
  std::vector<uint32_t> sizes;
  for (const Axis &axis : outs_)
    sizes.push_back(uint32_t(1) << axis.bits);
  return sizes;
}

// Construction.

LinearLayout::LinearLayout(Axes ins, Axes outs, std::vector<uint64_t> columns)
    : ins_(std::move(ins)), outs_(std::move(outs)), columns_(std::move(columns)) {
  if (columns_.size() > kMaxBits || totalOutputBits() > kMaxBits)
    throw Error("layout: inputs of " + std::to_string(columns_.size()) + " bits and outputs of " +
                std::to_string(totalOutputBits()) + "; at most 63 are possible");
}

LinearLayout::LinearLayout(const std::vector<InputBases> &inputs, const std::vector<Extent> &outputs)
    : outs_(axes(outputs, "output")) {
  std::vector<Extent> sizes;
  for (const InputBases &input : inputs) {
    if (input.bases.size() > 31)
      throw Error("layout: input dimension " + name(input.dim) + " has " + std::to_string(input.bases.size()) +
                  " bases; at most 31 are possible");
    sizes.push_back({input.dim, uint32_t(1) << input.bases.size()});
  }
  ins_ = axes(sizes, "input");
  for (const InputBases &input : inputs)
    for (const Coordinates &basis : input.bases) {
      if (basis.size() != outs_.size())
        throw Error("layout: basis " + layout::toText(basis) + " of " + name(input.dim) + " has " +
                    std::to_string(basis.size()) + " coordinates; expected " + std::to_string(outs_.size()) + " (" +
                    describe(outs_) + ")");
      columns_.push_back(packOutput(basis));
    }
}

LinearLayout LinearLayout::identity(uint32_t size, Dim in, Dim out) { return strided(size, 1, in, out); }

LinearLayout LinearLayout::zeros(uint32_t size, Dim in, Dim out, uint32_t outSize) {
  Axes ins = axes({{in, size}}, "input");
  return LinearLayout(ins, axes({{out, outSize}}, "output"), std::vector<uint64_t>(ins[0].bits, 0));
}

LinearLayout LinearLayout::strided(uint32_t size, uint32_t stride, Dim in, Dim out) {
  if (!std::has_single_bit(stride) || uint64_t(size) * stride > uint64_t(1) << 31)
    throw Error("layout: size " + std::to_string(size) + " with stride " + std::to_string(stride) +
                "; the stride must be a power of two and their product at most 2^31");
  Axes ins = axes({{in, size}}, "input");
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < ins[0].bits; ++i)
    columns.push_back(uint64_t(stride) << i);
  return LinearLayout(ins, axes({{out, size * stride}}, "output"), columns);
}

// Evaluation and properties.

Coordinates LinearLayout::apply(std::initializer_list<std::pair<Dim, uint32_t>> input) const {
  Coordinates values(ins_.size(), 0);
  for (const auto &[dim, value] : input) {
    auto at = std::find_if(ins_.begin(), ins_.end(), [d = dim](const Axis &axis) { return axis.dim == d; });
    if (at == ins_.end() && value != 0)
      throw Error("layout: " + name(dim) + " is " + std::to_string(value) + " but the inputs are " + describe(ins_));
    if (at != ins_.end())
      values[static_cast<size_t>(at - ins_.begin())] = value;
  }
  return unpackOutput(applyFlat(packInput(values)));
}

uint64_t LinearLayout::flatBasis(Dim in, unsigned bit) const {
  if (bit >= inputBits(in))
    throw Error("layout: bit " + std::to_string(bit) + " of " + name(in) + " asked for, which has " +
                std::to_string(inputBits(in)));
  return columns_[position(ins_, in) + bit];
}

std::vector<uint64_t> LinearLayout::flatBases(Dim in) const {
  auto first = columns_.begin() + position(ins_, in);
  return {first, first + inputBits(in)};
}

std::vector<InputBases> LinearLayout::bases() const {
  std::vector<InputBases> result;
  for (const Axis &axis : ins_) {
    result.push_back({axis.dim, {}});
    for (uint64_t flat : flatBases(axis.dim))
      result.back().bases.push_back(unpackOutput(flat));
  }
  return result;
}

uint32_t LinearLayout::freeVariables(Dim in) const {
  uint64_t mask = matrix().dependentColumns() >> position(ins_, in);
  return static_cast<uint32_t>(mask & ((uint64_t(1) << inputBits(in)) - 1));
}

uint32_t LinearLayout::contiguousPerRegister(const LinearLayout &memory) const {
  LinearLayout offsets = invertAndCompose(memory);
  unsigned start = position(offsets.ins_, kRegister), bits = offsets.inputBits(kRegister), width = 0;
  // Each further register bit that maps to the next offset bit doubles the width, if no input outside the vector maps
  // to that offset bit.
  for (; width < bits; ++width)
    for (unsigned i = 0; i < offsets.columns_.size(); ++i) {
      bool own = i == start + width;
      bool inside = i >= start && i < start + width;
      uint64_t column = offsets.columns_[i];
      if (own ? column != uint64_t(1) << width : !inside && column >> width & 1)
        return uint32_t(1) << width;
    }
  return uint32_t(1) << width;
}

} // namespace tegula::layout
