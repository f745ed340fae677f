#include "backends/cpu/bytecode/Verify.h"

#include "backends/cpu/bytecode/OpcodeInfo.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::cpu {

namespace {

using Shapes = std::vector<int64_t>;

/// One instruction with short names for its parts, and the tests that rules are composed of. A failing test throws the
/// reason.
class Rules {
public:
  Rules(const Module &module, const Function &function, const Instruction &instruction)
      : m_(module), f_(function), i_(instruction) {}

  const TileType &in(unsigned k) const { return f_.type(f_.registersUsed[i_.operands + k] & ~kLastUse); }
  bool hasOut(unsigned k = 0) const { return k < i_.resultCount && f_.registersUsed[i_.results + k] != kNoRegister; }
  const TileType &out(unsigned k = 0) const { return f_.type(f_.registersUsed[i_.results + k]); }
  int64_t attribute(unsigned k) const { return f_.integers[i_.attributes + k]; }
  unsigned count() const { return i_.operandCount; }

  static void require(bool holds, const std::string &reason) {
    if (!holds)
      throw Error(reason);
  }
  void attributeBelow(unsigned k, int64_t limit) const {
    require(attribute(k) >= 0 && attribute(k) < limit, "attribute " + std::to_string(k) + " is " +
                                                           std::to_string(attribute(k)) + ", expected 0 to " +
                                                           std::to_string(limit - 1));
  }
  static void sameShape(const TileType &a, const TileType &b) { require(a.shape == b.shape, "shapes differ"); }
  static void sameElement(const TileType &a, const TileType &b) {
    require(a.element == b.element,
            "element types differ: " + std::string(name(a.element)) + " and " + std::string(name(b.element)));
  }
  static void same(const TileType &a, const TileType &b) {
    sameShape(a, b);
    sameElement(a, b);
  }
  static void plain(const TileType &t) {
    require(t.element != ElementKind::Descriptor, "a descriptor where a tile is expected");
  }
  static void integer(const TileType &t) {
    require(isInteger(t.element), std::string(name(t.element)) + " where an integer is expected");
  }
  static void floating(const TileType &t) {
    require(isFloat(t.element), std::string(name(t.element)) + " where a float is expected");
  }
  static void pointer(const TileType &t) {
    require(t.element == ElementKind::Pointer, std::string(name(t.element)) + " where a pointer is expected");
  }
  static void mask(const TileType &t) {
    require(t.element == ElementKind::I1, std::string(name(t.element)) + " where i1 is expected");
  }
  static void scalar(const TileType &t) { require(t.shape.empty(), "a tile where a scalar is expected"); }
  static void scalarInteger(const TileType &t) {
    scalar(t);
    integer(t);
  }
  static void descriptor(const TileType &t) {
    require(t.element == ElementKind::Descriptor, std::string(name(t.element)) + " where a descriptor is expected");
    require(!t.shape.empty(), "a descriptor without axes");
    require(t.pointee != ElementKind::Pointer, "a descriptor of pointers");
  }
  /// The pointer's pointee is the value's element type.
  static void pointsTo(const TileType &p, const TileType &value) {
    pointer(p);
    sameShape(p, value);
    require(p.pointee == value.element,
            "a pointer to " + std::string(name(p.pointee)) + " with a value of " + std::string(name(value.element)));
  }
  void target(unsigned k) const { attributeBelow(k, static_cast<int64_t>(f_.code.size())); }
  void axis(unsigned k, const TileType &t) const { attributeBelow(k, static_cast<int64_t>(t.shape.size())); }
  void string(unsigned k) const { attributeBelow(k, static_cast<int64_t>(m_.strings.size())); }

  void constants() const;
  void shapes() const;
  void casts() const;
  void memory() const;
  void atomics() const;
  void descriptors() const;
  void tiles() const;
  void dot() const;
  void elementwise() const;
  void control() const;

private:
  const Module &m_;
  const Function &f_;
  const Instruction &i_;
};

int64_t elements(const Shapes &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

void Rules::constants() const {
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

void Rules::shapes() const {
  const Shapes &x = in(0).shape, &r = out().shape;
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
    Shapes expected = x;
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
  case Opcode::Join: {
    same(in(0), in(1));
    Shapes expected = x;
    expected.push_back(2);
    require(expected == r, "the result's shape is not the operands' with a last axis of extent 2");
    break;
  }
  case Opcode::Split: {
    same(out(0), out(1));
    Shapes expected = r;
    expected.push_back(2);
    require(expected == x, "the operand's last axis has not extent 2, or the results' shapes are not the rest");
    break;
  }
  default: // Concat
    sameElement(in(0), in(1));
    require(x.size() == 1 && in(1).shape.size() == 1 && r == Shapes{x[0] + in(1).shape[0]},
            "shapes of a concatenation");
  }
}

void Rules::casts() const {
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

void Rules::memory() const {
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

bool isFloatAtomic(AtomicKind kind) {
  return kind == AtomicKind::FAdd || kind == AtomicKind::FMin || kind == AtomicKind::FMax;
}

void checkAtomic(int64_t attribute, ElementKind element) {
  const auto kind = static_cast<AtomicKind>(attribute);
  Rules::require(element != ElementKind::Pointer, "an atomic on pointers");
  if (kind != AtomicKind::Exchange)
    Rules::require(isFloatAtomic(kind) == isFloat(element),
                   "the atomic's kind does not fit " + std::string(name(element)));
}

void Rules::atomics() const {
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

Shapes withoutUnits(const Shapes &shape) {
  Shapes r;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(r), [](int64_t n) { return n != 1; });
  return r;
}

void Rules::descriptors() const {
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
    require(rows.element == ElementKind::I32 && rows.shape == Shapes{value.shape[0]},
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

void Rules::dot() const {
  const Shapes &a = in(0).shape, &b = in(1).shape, &c = in(2).shape;
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

void Rules::tiles() const {
  for (unsigned k = 0; k < count(); ++k)
    plain(in(k));
  switch (i_.opcode) {
  case Opcode::Reduce:
  case Opcode::Scan: {
    require(i_.resultCount == count(), "as many results as operands are expected");
    axis(0, in(0));
    attributeBelow(1, static_cast<int64_t>(m_.functions.size()));
    Shapes expected = in(0).shape;
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

void Rules::elementwise() const {
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
  for (unsigned k = 0; k < count(); ++k)
    sameElement(in(k), out());
  if (isIntBinary(i_.opcode) || i_.opcode == Opcode::AbsI)
    integer(out());
  else
    floating(out());
}

void Rules::control() const {
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

/// Opcodes that a region function may use. Its registers have scalar types but hold whole tiles when the executor runs
/// it on slices, so only elementwise instructions are valid.
bool isAllowedInRegion(Opcode opcode) {
  switch (opcode) {
  case Opcode::ConstInt:
  case Opcode::ConstFloat:
  case Opcode::ConstDense:
  case Opcode::Move:
  case Opcode::ProgramId:
  case Opcode::NumPrograms:
  case Opcode::Jump:
  case Opcode::BranchIfFalse:
  case Opcode::ForTest:
  case Opcode::Return:
  case Opcode::Assert:
  case Opcode::Assume: return true;
  default: return (opcode >= Opcode::Add && opcode <= Opcode::Bitcast);
  }
}

} // namespace

void verifyTypes(const Module &module, const Function &function, bool isKernel, const Instruction &i) {
  const Rules rules(module, function, i);
  if (!isKernel) {
    Rules::require(isAllowedInRegion(i.opcode), "not possible in a region function");
    for (unsigned k = 0; k < i.resultCount; ++k)
      if (rules.hasOut(k))
        Rules::require(rules.out(k).shape.empty() && rules.out(k).element != ElementKind::Descriptor,
                       "a tile in a region function");
  } else if (i.opcode == Opcode::Return) {
    Rules::require(i.operandCount == 0, "the kernel returns nothing");
  }
  if (i.opcode <= Opcode::ConstDense || i.opcode == Opcode::MakeRange || i.opcode == Opcode::ProgramId ||
      i.opcode == Opcode::NumPrograms)
    return rules.constants();
  if (i.opcode <= Opcode::Concat)
    return rules.shapes();
  if (i.opcode <= Opcode::Select)
    return rules.elementwise();
  if (isCast(i.opcode))
    return rules.casts();
  if (i.opcode <= Opcode::Store)
    return rules.memory();
  if (i.opcode <= Opcode::AtomicCas)
    return rules.atomics();
  if (i.opcode <= Opcode::DescScatter)
    return rules.descriptors();
  if (i.opcode <= Opcode::MapElements)
    return rules.tiles();
  return rules.control();
}

void verifyRegion(const Module &module, const Function &caller, const Instruction &i) {
  const bool map = i.opcode == Opcode::MapElements;
  if (i.opcode != Opcode::Reduce && i.opcode != Opcode::Scan && !map)
    return;
  const Rules rules(module, caller, i);
  const auto index = static_cast<size_t>(rules.attribute(map ? 0 : 1));
  Rules::require(index != 0, "the kernel is not a region function");
  const Function &region = module.functions[index];
  const unsigned perTile = map ? 1 : 2;
  Rules::require(region.params.size() == size_t{perTile} * i.operandCount,
                 "region '" + region.name + "' takes " + std::to_string(region.params.size()) + " elements, expected " +
                     std::to_string(perTile * i.operandCount));
  for (unsigned k = 0; k < region.params.size(); ++k)
    Rules::require(region.type(region.params[k]).element == rules.in(k % i.operandCount).element,
                   "region '" + region.name + "' takes elements of other types");
  for (const Instruction &r : region.code) {
    if (r.opcode != Opcode::Return)
      continue;
    Rules::require(r.operandCount == i.resultCount, "region '" + region.name + "' returns another number of elements");
    for (unsigned k = 0; k < r.operandCount; ++k)
      Rules::require(Rules(module, region, r).in(k).element == rules.out(k).element,
                     "region '" + region.name + "' returns elements of other types");
  }
}

} // namespace tegula::cpu
