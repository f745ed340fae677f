// The text form and the table of bases.
//
//   layout  := [input (';' input)*] ['->' outputs]
//   input   := DIM ':' basis*              basis := '(' n (',' n)* ')'
//   outputs := '[' n (',' n)* ']'          sizes of dim0, dim1, ...
//            | (DIM '[' n ']')+            any other outputs
#include "core/layout/LinearLayout.h"
#include "core/layout/TextCursor.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {

std::string toText(const Coordinates &values) {
  std::string out;
  for (uint32_t value : values)
    out += (out.empty() ? "" : ",") + std::to_string(value);
  return "(" + out + ")";
}

namespace {

bool isPlainTensor(const std::vector<Extent> &outputs) {
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (outputs[i].dim != tensorDim(i))
      return false;
  return true;
}

/// The output sizes that the bases alone imply.
std::vector<uint32_t> spanned(const std::vector<InputBases> &inputs, size_t outputs) {
  std::vector<uint32_t> sizes(outputs, 1);
  for (const InputBases &input : inputs)
    for (const Coordinates &basis : input.bases)
      for (size_t i = 0; i < outputs; ++i)
        sizes[i] = std::max(sizes[i], std::bit_ceil(basis[i] + 1));
  return sizes;
}

class Reader {
public:
  explicit Reader(std::string_view text) : cursor_(text, "layout") {}

  LinearLayout read() {
    bool arrow = false;
    while (!cursor_.atEnd() && !arrow) {
      arrow_ = cursor_.position();
      arrow = cursor_.take("->");
      arrow ? readOutputs() : readInput();
    }
    if (!cursor_.atEnd())
      cursor_.failExpected("the end");
    size_t rank = inputs_.empty() || !rank_ ? outputs_.size() : *rank_;
    if (outputs_.empty())
      outputs_ = tensorExtents(spanned(inputs_, rank));
    if (rank_ && outputs_.size() != *rank_)
      cursor_.fail("the bases have " + std::to_string(*rank_) + " coordinates but " + std::to_string(outputs_.size()) +
                       " outputs are given",
                   arrow_);
    checkSizes();
    return LinearLayout(inputs_, outputs_);
  }

private:
  void readInput() {
    size_t start = (cursor_.skipSpaces(), cursor_.position());
    std::string word = cursor_.identifier();
    std::optional<Dim> dim = parseDim(word);
    if (word.empty())
      cursor_.failExpected("register, lane, warp, block, offset or '->'");
    if (!dim)
      cursor_.fail("unknown dimension '" + word + "'; expected register, lane, warp, block or offset", start);
    for (const InputBases &input : inputs_)
      if (input.dim == *dim)
        cursor_.fail("dimension " + word + " occurs twice", start);
    cursor_.expect(':');
    inputs_.push_back({*dim, {}});
    while (cursor_.peek() == '(')
      readBasis(inputs_.back().bases);
    if (!cursor_.take(';') && !cursor_.atEnd() && cursor_.peek() != '-')
      cursor_.failExpected("'(', ';' or '->'");
  }

  void readBasis(std::vector<Coordinates> &bases) {
    size_t start = cursor_.position();
    Coordinates basis = cursor_.numbers('(', ')');
    if (rank_ && basis.size() != *rank_)
      cursor_.fail("this basis has " + std::to_string(basis.size()) + " coordinates; those before have " +
                       std::to_string(*rank_),
                   start);
    for (uint32_t value : basis)
      if (value >> 31)
        cursor_.fail("a coordinate must be below 2^31", start);
    if (basis.size() > kMaxTensorRank)
      cursor_.fail("this basis has " + std::to_string(basis.size()) + " coordinates; at most 16 are possible", start);
    if (bases.size() == 31)
      cursor_.fail("a dimension can have at most 31 bases", start);
    rank_ = basis.size();
    bases.push_back(std::move(basis));
    bits_ += 1;
    if (bits_ > 63)
      cursor_.fail("a layout can have at most 63 bases", start);
  }

  void readOutputs() {
    if (cursor_.peek() == '[') {
      outputs_ = tensorExtents(sizes());
      return;
    }
    while (!cursor_.atEnd()) {
      size_t start = cursor_.position();
      std::string word = cursor_.identifier();
      std::optional<Dim> dim = parseDim(word);
      if (!dim)
        cursor_.fail("expected sizes such as [16,8], or outputs such as offset[64]", start);
      std::vector<uint32_t> size = sizes();
      if (size.size() != 1)
        cursor_.fail("expected one size for output " + word, start);
      outputs_.push_back({*dim, size[0]});
    }
  }

  std::vector<uint32_t> sizes() {
    size_t start = cursor_.position();
    std::vector<uint32_t> result = cursor_.numbers('[', ']');
    if (result.size() > kMaxTensorRank)
      cursor_.fail("at most 16 outputs are possible", start);
    for (uint32_t size : result)
      if (!std::has_single_bit(size))
        cursor_.fail("size " + std::to_string(size) + " is no power of two", start);
    return result;
  }

  void checkSizes() {
    std::vector<uint32_t> needed = spanned(inputs_, outputs_.size());
    unsigned bits = 0;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      bits += static_cast<unsigned>(std::countr_zero(outputs_[i].size));
      if (needed[i] > outputs_[i].size)
        cursor_.fail("output " + name(outputs_[i].dim) + " has size " + std::to_string(outputs_[i].size) +
                         " but the bases need " + std::to_string(needed[i]),
                     arrow_);
      for (size_t j = 0; j < i; ++j)
        if (outputs_[j].dim == outputs_[i].dim)
          cursor_.fail("output " + name(outputs_[i].dim) + " occurs twice", arrow_);
    }
    if (bits > 63)
      cursor_.fail("the outputs have " + std::to_string(bits) + " bits; at most 63 are possible", arrow_);
  }

  TextCursor cursor_;
  std::vector<InputBases> inputs_;
  std::vector<Extent> outputs_;
  std::optional<size_t> rank_;
  size_t arrow_ = 0;
  unsigned bits_ = 0;
};

} // namespace

LinearLayout LinearLayout::parse(std::string_view text) { return Reader(text).read(); }

std::string LinearLayout::toText() const {
  std::string out;
  std::vector<InputBases> inputs = bases();
  for (const InputBases &input : inputs) {
    out += (out.empty() ? "" : "; ") + name(input.dim) + ":";
    for (const Coordinates &basis : input.bases)
      out += " " + layout::toText(basis);
  }
  std::vector<Extent> outs = outputs();
  bool plain = isPlainTensor(outs);
  if (plain && totalInputBits() > 0 && spanned(inputs, outs.size()) == shape())
    return out;
  out += out.empty() ? "->" : " ->";
  if (plain && !outs.empty()) {
    std::string sizes;
    for (const Extent &extent : outs)
      sizes += (sizes.empty() ? "" : ",") + std::to_string(extent.size);
    return out + " [" + sizes + "]";
  }
  for (const Extent &extent : outs)
    out += " " + name(extent.dim) + "[" + std::to_string(extent.size) + "]";
  return out;
}

std::string LinearLayout::toTable() const {
  std::string out;
  for (const InputBases &input : bases()) {
    std::string label = name(input.dim);
    if (input.bases.empty())
      out += label + std::string(10 - std::min<size_t>(label.size(), 9), ' ') + "(one)\n";
    for (size_t bit = 0; bit < input.bases.size(); ++bit) {
      std::string value = std::to_string(uint32_t(1) << bit);
      out += label + std::string(16 - std::min<size_t>(label.size() + value.size(), 15), ' ') + value + " -> " +
             layout::toText(input.bases[bit]) + "\n";
      label.clear();
    }
  }
  std::string sizes;
  for (const Extent &extent : outputs())
    sizes += (sizes.empty() ? "" : ", ") + name(extent.dim) + " is " + std::to_string(extent.size);
  return out + "where " + (sizes.empty() ? "there is one value" : sizes) + "\n";
}

} // namespace tegula::layout
