// Type rules of constants, changes of shape, casts, accesses and atomics.
#include "backends/cpu/bytecode/TypeRules.h"

#include <algorithm>

namespace tegula::cpu {
namespace {

int64_t elements(const TileShape &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

/// Returns `shape` with one more axis of extent 2 at the end: the result of Join, the operand of Split.
TileShape pairsOf(TileShape shape) {
  shape.push_back(2);
  return shape;
}

bool isFloatAtomic(AtomicKind kind) {
  return kind == AtomicKind::FAdd || kind == AtomicKind::FMin || kind == AtomicKind::FMax;
}

void checkAtomic(int64_t attribute, ElementKind element) {
  const auto kind = static_cast<AtomicKind>(attribute);
  TypeRules::require(element != ElementKind::Pointer, "an atomic on pointers");
  if (kind != AtomicKind::Exchange)
    TypeRules::require(isFloatAtomic(kind) == isFloat(element),
                       "the atomic's kind does not fit " + std::string(name(element)));
}

} // namespace

void TypeRules::constants() const {
  plain(out());
  switch (i_.opcode) {
  case Opcode::ConstInt:
    require(isInteger(out().element) || out().element == ElementKind::Pointer, "an integer constant of a float type");
    break;
  case Opcode::ConstFloat: floating(out()); break;
  case Opcode::ConstDense: {
    const int64_t bytes = elements(out().shape) * byteSize(out().element);
    const auto size = static_cast<int64_t>(m_.data.size());
    require(out().element != ElementKind::Pointer, "constant pointers");
    require(attribute(0) == bytes, std::to_string(attribute(0)) + " bytes of data, expected " + std::to_string(bytes));
    require(attribute(1) >= 0 && attribute(1) <= size && bytes <= size - attribute(1),
            "data outside the module's " + std::to_string(size) + " bytes");
    if (out().element == ElementKind::I1)
      for (int64_t k = 0; k < bytes; ++k)
        require(m_.data[static_cast<size_t>(attribute(1) + k)] <= 1, "an i1 that is neither 0 nor 1");
    break;
  }
  case Opcode::MakeRange: {
    require(out().shape.size() == 1 && isInteger(out().element) && out().element != ElementKind::I1,
            "a range that is not a row of integers");
    const unsigned bits = byteSize(out().element) * 8;
    const int64_t limit = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
    require(attribute(0) >= -limit - 1 && attribute(0) <= limit - (out().shape[0] - 1), "a range beyond its type");
    break;
  }
  default: // ProgramId, NumPrograms
    require(out().shape.empty() && out().element == ElementKind::I32, "a program id that is not an i32 scalar");
    attributeBelow(0, 3);
  }
}

void TypeRules::shapes() const {
  const TileShape &x = in(0).shape, &r = out().shape;
  if (i_.opcode != Opcode::Move)
    plain(in(0));
  sameElement(in(0), out());
  require(in(0).pointee == out().pointee ||
              (in(0).element != ElementKind::Pointer && in(0).element != ElementKind::Descriptor),
          "pointees differ");
  switch (i_.opcode) {
  case Opcode::Move: sameShape(in(0), out()); break;
  case Opcode::Splat: scalar(in(0)); break;
  case Opcode::ExpandDims: {
    attributeBelow(0, static_cast<int64_t>(r.size()));
    TileShape expected = x;
    require(r.size() == x.size() + 1, "expected one more axis");
    expected.insert(expected.begin() + attribute(0), 1);
    require(expected == r, "the result's shape is not the operand's with an axis of extent 1");
    break;
  }
  case Opcode::Broadcast:
    require(r.size() == x.size(), "ranks differ");
    for (size_t d = 0; d < r.size(); ++d)
      require(x[d] == r[d] || x[d] == 1,
              "an axis of extent " + std::to_string(x[d]) + " does not broadcast to " + std::to_string(r[d]));
    break;
  case Opcode::Reshape: require(elements(x) == elements(r), "element counts differ"); break;
  case Opcode::Transpose: {
    require(r.size() == x.size(), "ranks differ");
    std::vector<bool> seen(x.size());
    for (unsigned d = 0; d < r.size(); ++d) {
      axis(d, in(0));
      const auto from = static_cast<size_t>(attribute(d));
      require(!seen[from], "an axis twice");
      seen[from] = true;
      require(r[d] == x[from], "the result's shape is not the operand's in that order");
    }
    break;
  }
  case Opcode::Join:
    same(in(0), in(1));
    require(pairsOf(x) == r, "the result's shape is not the operands' with a last axis of extent 2");
    break;
  case Opcode::Split:
    same(out(0), out(1));
    require(pairsOf(r) == x, "the operand's last axis has not extent 2, or the results' shapes are not the rest");
    break;
  default: // Concat
    sameElement(in(0), in(1));
    require(x.size() == 1 && in(1).shape.size() == 1 && r == TileShape{x[0] + in(1).shape[0]},
            "shapes of a concatenation");
  }
}

void TypeRules::casts() const {
  sameShape(in(0), out());
  const ElementKind from = in(0).element, to = out().element;
  plain(in(0));
  plain(out());
  switch (i_.opcode) {
  case Opcode::ExtS:
  case Opcode::ExtU:
  case Opcode::TruncI:
    integer(in(0));
    integer(out());
    require(from == to || (from < to) == (i_.opcode != Opcode::TruncI), "widths in the wrong order");
    break;
  case Opcode::SIToF:
  case Opcode::UIToF:
    integer(in(0));
    floating(out());
    break;
  case Opcode::FToSI:
  case Opcode::FToUI:
    floating(in(0));
    integer(out());
    break;
  case Opcode::ConvertF:
    floating(in(0));
    floating(out());
    attributeBelow(0, 2);
    break;
  case Opcode::PtrToInt:
    pointer(in(0));
    integer(out());
    break;
  case Opcode::IntToPtr:
    integer(in(0));
    require(from != ElementKind::I1, "a pointer from one bit");
    pointer(out());
    break;
  case Opcode::PtrCast:
    pointer(in(0));
    pointer(out());
    break;
  default: // Bitcast
    require(byteSize(from) == byteSize(to), "widths differ");
  }
}

void TypeRules::memory() const {
  if (i_.opcode == Opcode::AddPtr) {
    pointer(in(0));
    integer(in(1));
    require(in(1).element != ElementKind::I1, "an offset of one bit");
    sameShape(in(0), in(1));
    same(in(0), out());
    require(in(0).pointee == out().pointee, "pointees differ");
    return;
  }
  const bool load = i_.opcode == Opcode::Load;
  pointsTo(in(0), load ? out() : in(1));
  const unsigned maskAt = load ? 1 : 2;
  if (count() > maskAt) {
    mask(in(maskAt));
    sameShape(in(0), in(maskAt));
  }
  if (load && count() > 2)
    same(in(2), out());
}

void TypeRules::atomics() const {
  pointsTo(in(0), in(1));
  if (hasOut())
    same(in(1), out());
  if (i_.opcode == Opcode::AtomicCas) {
    same(in(1), in(2));
    require(in(1).element != ElementKind::Pointer, "an atomic on pointers");
    attributeBelow(0, 4);
    attributeBelow(1, 3);
    return;
  }
  attributeBelow(0, 12);
  attributeBelow(1, 4);
  attributeBelow(2, 3);
  checkAtomic(attribute(0), in(1).element);
  if (count() > 2) {
    mask(in(2));
    sameShape(in(0), in(2));
  }
}

} // namespace tegula::cpu
