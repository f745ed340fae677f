// Type rules of descriptors, products, whole-tile operations, elementwise operations and control flow.
#include "backends/cpu/bytecode/TypeRules.h"

#include <algorithm>

namespace tegula::cpu {
namespace {

TileShape withoutUnits(const TileShape &shape) {
  TileShape r;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(r), [](int64_t n) { return n != 1; });
  return r;
}

} // namespace

void TypeRules::descriptors() const {
  if (i_.opcode == Opcode::MakeDescriptor) {
    descriptor(out());
    const size_t rank = out().shape.size();
    scalar(in(0));
    pointer(in(0));
    require(in(0).pointee == out().pointee, "pointees differ");
    require(count() == 1 + 2 * rank,
            "a descriptor of rank " + std::to_string(rank) + " with " + std::to_string(count()) + " operands");
    for (unsigned k = 1; k < count(); ++k)
      scalarInteger(in(k));
    attributeBelow(0, 2);
    return;
  }
  const TileType &d = in(0);
  descriptor(d);
  if (i_.opcode == Opcode::DescPart) {
    const ElementKind parts[] = {ElementKind::Pointer, ElementKind::I64, ElementKind::I64, ElementKind::I1};
    attributeBelow(0, 4);
    const bool hasAxis = attribute(0) == 1 || attribute(0) == 2;
    attributeBelow(1, hasAxis ? static_cast<int64_t>(d.shape.size()) : 1);
    scalar(out());
    require(out().element == parts[attribute(0)], "a descriptor's part of another type");
    require(attribute(0) != 0 || out().pointee == d.pointee, "pointees differ");
    return;
  }
  if (i_.opcode == Opcode::DescGather || i_.opcode == Opcode::DescScatter) {
    const bool gather = i_.opcode == Opcode::DescGather;
    const TileType &value = gather ? out() : in(1);
    const TileType &rows = in(gather ? 1 : 2);
    require(d.shape.size() == 2 && value.shape.size() == 2 && value.shape[1] == d.shape[1],
            "gathers and scatters need a descriptor of rank 2 with rows as long as the tile's");
    require(value.element == d.pointee, "element types differ");
    require(rows.element == ElementKind::I32 && rows.shape == TileShape{value.shape[0]},
            "row indices are not one i32 for each row");
    scalarInteger(in(gather ? 2 : 3));
    return;
  }
  const bool load = i_.opcode == Opcode::DescLoad;
  const TileType &value = load ? out() : in(1);
  const unsigned firstOffset = load ? 1 : 2;
  require(value.element == d.pointee, "element types differ");
  require(withoutUnits(value.shape) == withoutUnits(d.shape), "the tile's shape is not the descriptor's block");
  require(count() == firstOffset + d.shape.size(), "as many offsets as axes are expected");
  for (unsigned k = firstOffset; k < count(); ++k) {
    scalarInteger(in(k));
    require(in(k).element == ElementKind::I32, "descriptor offsets are i32");
  }
  if (i_.opcode == Opcode::DescAtomic) {
    attributeBelow(0, 12);
    checkAtomic(attribute(0), d.pointee);
  }
}

void TypeRules::dot() const {
  const TileShape &a = in(0).shape, &b = in(1).shape, &c = in(2).shape;
  const size_t rank = a.size();
  same(in(2), out());
  require((rank == 2 || rank == 3) && b.size() == rank && c.size() == rank, "dot takes tiles of rank 2 or 3");
  require(a[rank - 1] == b[rank - 2] && a[rank - 2] == c[rank - 2] && b[rank - 1] == c[rank - 1] &&
              (rank == 2 || (a[0] == b[0] && a[0] == c[0])),
          "the shapes of a dot do not fit");
  attributeBelow(0, 5);
  if (isInteger(in(2).element)) {
    require(in(2).element == ElementKind::I32, "integers are accumulated in i32");
    require(in(0).element == ElementKind::I8 && in(1).element == ElementKind::I8, "integer dots take i8");
    return;
  }
  floating(in(0));
  floating(in(1));
  floating(in(2));
  require(in(0).element != ElementKind::F64 || in(2).element == ElementKind::F64, "f64 is accumulated in f64");
  require(in(1).element != ElementKind::F64 || in(2).element == ElementKind::F64, "f64 is accumulated in f64");
}

void TypeRules::tiles() const {
  for (unsigned k = 0; k < count(); ++k)
    plain(in(k));
  switch (i_.opcode) {
  case Opcode::Reduce:
  case Opcode::Scan: {
    require(i_.resultCount == count(), "as many results as operands are expected");
    axis(0, in(0));
    attributeBelow(1, static_cast<int64_t>(m_.functions.size()));
    TileShape expected = in(0).shape;
    if (i_.opcode == Opcode::Reduce)
      expected.erase(expected.begin() + attribute(0));
    else
      attributeBelow(2, 2);
    for (unsigned k = 0; k < count(); ++k) {
      sameShape(in(0), in(k));
      sameElement(in(k), out(k));
      require(in(k).element != ElementKind::Pointer, "pointers cannot be reduced or scanned");
      require(out(k).shape == expected, "the result's shape does not follow from the operand's");
    }
    break;
  }
  case Opcode::MapElements:
    attributeBelow(0, static_cast<int64_t>(m_.functions.size()));
    for (unsigned k = 1; k < count(); ++k)
      sameShape(in(0), in(k));
    for (unsigned k = 0; k < i_.resultCount; ++k) {
      plain(out(k));
      sameShape(in(0), out(k));
      require(out(k).element != ElementKind::Pointer, "a map that makes pointers");
    }
    break;
  case Opcode::Gather:
    axis(0, in(0));
    integer(in(1));
    sameElement(in(0), out());
    sameShape(in(1), out());
    require(in(1).shape.size() == in(0).shape.size() && in(1).element != ElementKind::I1, "indices have another rank");
    for (size_t d = 0; d < in(0).shape.size(); ++d)
      require(static_cast<int64_t>(d) == attribute(0) || in(0).shape[d] == in(1).shape[d],
              "extents differ along another axis");
    break;
  case Opcode::Histogram:
    integer(in(0));
    require(in(0).element != ElementKind::I1 && out().element == ElementKind::I32 && out().shape.size() == 1,
            "a histogram is a row of i32");
    if (count() > 1) {
      mask(in(1));
      sameShape(in(0), in(1));
    }
    break;
  case Opcode::Sort:
    same(in(0), out());
    require(!in(0).shape.empty() && in(0).element != ElementKind::Pointer, "sort takes a tile of numbers");
    attributeBelow(0, 2);
    attributeBelow(1, 2);
    break;
  default: dot();
  }
}

void TypeRules::elementwise() const {
  for (unsigned k = 0; k < count(); ++k)
    sameShape(in(k), out());
  if (i_.opcode == Opcode::Select) {
    mask(in(0));
    plain(out());
    sameElement(in(1), out());
    sameElement(in(2), out());
    return;
  }
  if (i_.opcode == Opcode::CmpI || i_.opcode == Opcode::CmpF) {
    const bool ints = i_.opcode == Opcode::CmpI;
    attributeBelow(0, ints ? 10 : 14);
    sameElement(in(0), in(1));
    mask(out());
    require(ints ? isInteger(in(0).element) || in(0).element == ElementKind::Pointer : isFloat(in(0).element),
            "operands of the wrong kind");
    return;
  }
  if (i_.opcode == Opcode::Function) {
    attributeBelow(0, kFunctionCount);
    const auto kind = static_cast<FunctionKind>(attribute(0));
    require(count() == (kind == FunctionKind::Hypot     ? 2u
                        : kind >= FunctionKind::FmaDown ? 3u
                                                        : 1u),
            "a function of another number of arguments");
  }
  for (unsigned k = 0; k < count(); ++k)
    sameElement(in(k), out());
  if (isIntBinary(i_.opcode) || i_.opcode == Opcode::AbsI)
    integer(out());
  else
    floating(out());
}

void TypeRules::control() const {
  switch (i_.opcode) {
  case Opcode::Print:
    string(0);
    for (unsigned k = 0; k < count(); ++k)
      plain(in(k));
    break;
  case Opcode::Assert:
    string(0);
    mask(in(0));
    break;
  case Opcode::Assume: mask(in(0)); break;
  case Opcode::Jump: target(0); break;
  case Opcode::BranchIfFalse:
    target(0);
    mask(in(0));
    scalar(in(0));
    break;
  case Opcode::ForTest:
    target(0);
    for (unsigned k = 0; k < 3; ++k) {
      scalarInteger(in(k));
      sameElement(in(0), in(k));
    }
    break;
  case Opcode::Return:
    for (unsigned k = 0; k < count(); ++k)
      plain(in(k));
    break;
  default: // Barrier
    break;
  }
}

} // namespace tegula::cpu
