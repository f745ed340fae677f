// Integer operations on elements in memory; on symbolic tiles against a plain evaluation of the same expressions.
#include "tests/cpu/Harness.h"

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

constexpr Opcode kBinary[] = {Opcode::Add,  Opcode::Sub,  Opcode::Mul,    Opcode::DivS,  Opcode::DivU,
                              Opcode::RemS, Opcode::RemU, Opcode::And,    Opcode::Or,    Opcode::Xor,
                              Opcode::Shl,  Opcode::ShrS, Opcode::ShrU,   Opcode::MinS,  Opcode::MaxS,
                              Opcode::MinU, Opcode::MaxU, Opcode::MulHiS, Opcode::MulHiU};

/// Checks out = op(a, b) on arrays; with `uniformB` (`uniformA`), every element uses the first element of b (a).
void checkBinary(Opcode op, ElementKind kind, bool uniformA, bool uniformB) {
  const int64_t n = 320;
  const unsigned bits = 8 * byteSize(kind);
  Array a(kind, n), b(kind, n), out(kind, n);
  const std::vector<int64_t> va = interestingIntegers(bits, 20, 1), vb = interestingIntegers(bits, 16, 2);
  for (int64_t i = 0; i < n; ++i) {
    a.setBits(i, static_cast<uint64_t>(va[static_cast<size_t>(i) % va.size()]));
    b.setBits(i, static_cast<uint64_t>(vb[static_cast<size_t>(i) / va.size()]));
  }
  if (uniformA)
    a.setBits(0, static_cast<uint64_t>(va[9]));
  if (uniformB)
    b.setBits(0, static_cast<uint64_t>(vb[2]));
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register pa = f.param(pointerTo(kind)), pb = f.param(pointerTo(kind)), po = f.param(pointerTo(kind));
  const Register x = uniformA ? f.splat(f.load(pa), {n}) : f.load(f.rowMajorPointers(pa, {n}));
  const Register y = uniformB ? f.splat(f.load(pb), {n}) : f.load(f.rowMajorPointers(pb, {n}));
  const Register r = f.like(op, {x | kLastUse, y});
  f.store(f.rowMajorPointers(po, {n}), r);
  f.finish();
  run(std::move(m), {}, a, b, out);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t vx = a.integer(uniformA ? 0 : i), vy = b.integer(uniformB ? 0 : i);
    ASSERT_EQ(out.integer(i), referenceInteger(op, vx, vy, bits))
        << name(op) << " " << name(kind) << " " << vx << ", " << vy;
  }
}

TEST(Integer, BinaryOnElements) {
  for (Opcode op : kBinary)
    for (ElementKind kind : kIntegerKinds)
      for (int uniform = 0; uniform < 4; ++uniform)
        checkBinary(op, kind, uniform & 1, uniform & 2);
}

TEST(Integer, CompareAndSelect) {
  for (ElementKind kind : kIntegerKinds)
    for (int p = 0; p < 10; ++p) {
      const int64_t n = 256;
      const unsigned bits = 8 * byteSize(kind);
      Array a(kind, n), b(kind, n), out(kind, n), mask(ElementKind::I8, n);
      const std::vector<int64_t> va = interestingIntegers(bits, 16, 3);
      for (int64_t i = 0; i < n; ++i) {
        a.setBits(i, static_cast<uint64_t>(va[static_cast<size_t>(i) % 16]));
        b.setBits(i, static_cast<uint64_t>(va[static_cast<size_t>(i) / 16]));
      }
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register pa = f.param(pointerTo(kind)), pb = f.param(pointerTo(kind)), po = f.param(pointerTo(kind)),
                     pm = f.param(pointerTo(ElementKind::I8));
      const Register x = f.load(f.rowMajorPointers(pa, {n})), y = f.load(f.rowMajorPointers(pb, {n}));
      const Register c = f.compare(static_cast<IntPredicate>(p), x, y);
      f.store(f.rowMajorPointers(pm, {n}), f.op(Opcode::ExtU, tile(ElementKind::I8, {n}), {c}));
      f.store(f.rowMajorPointers(po, {n}), f.op(Opcode::Select, tile(kind, {n}), {c, x, y}));
      f.finish();
      run(std::move(m), {}, a, b, out, mask);
      for (int64_t i = 0; i < n; ++i) {
        const bool holds = referenceCompare(static_cast<IntPredicate>(p), a.integer(i), b.integer(i), bits);
        ASSERT_EQ(mask.integer(i), holds);
        ASSERT_EQ(out.integer(i), holds ? a.integer(i) : b.integer(i));
      }
    }
}

TEST(Integer, OneBit) {
  for (Opcode op : kBinary) {
    Array a(ElementKind::I1, 4), b(ElementKind::I1, 4), out(ElementKind::I1, 4);
    for (int i = 0; i < 4; ++i) {
      a.setBits(i, i & 1);
      b.setBits(i, i >> 1);
    }
    if (op == Opcode::MulHiS || op == Opcode::MulHiU || op == Opcode::Shl || op == Opcode::ShrS || op == Opcode::ShrU ||
        op == Opcode::DivS || op == Opcode::DivU || op == Opcode::RemS || op == Opcode::RemU)
      continue; // the frontend widens before these
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register pa = f.param(pointerTo(ElementKind::I1)), pb = f.param(pointerTo(ElementKind::I1)),
                   po = f.param(pointerTo(ElementKind::I1));
    f.store(f.rowMajorPointers(po, {4}),
            f.like(op, {f.load(f.rowMajorPointers(pa, {4})), f.load(f.rowMajorPointers(pb, {4}))}));
    f.finish();
    run(std::move(m), {}, a, b, out);
    for (int i = 0; i < 4; ++i) // the signed values of an i1 are 0 and -1
      EXPECT_EQ(out.bits(i), static_cast<uint64_t>(referenceInteger(op, -(i & 1), -(i >> 1), 1) & 1)) << name(op) << i;
  }
}

/// Random expressions over a tile: the executor evaluates them symbolically where possible, the test element by
/// element.
class Expressions {
public:
  Expressions(ElementKind kind, Shape shape, uint32_t seed)
      : kind_(kind), shape_(std::move(shape)), random_(seed), builder_(module_, "k") {
    module_.locations.push_back({});
    module_.file = "kernel.py";
    count_ = 1;
    for (int64_t n : shape_)
      count_ *= n;
    input_ = builder_.param(pointerTo(kind_));
    output_ = builder_.param(pointerTo(kind_));
    masks_ = builder_.param(pointerTo(ElementKind::I8));
    Array stored(kind, static_cast<size_t>(count_));
    data_ = stored;
    for (int64_t i = 0; i < count_; ++i)
      data_.setBits(static_cast<size_t>(i), random_() % 4 ? random_() % 13 : random_());
  }

  void check(int operations) {
    leaves();
    for (int i = 0; i < operations; ++i)
      random_() % 4 == 0 ? addMask() : addNumber();
    for (size_t i = 0; i < numbers_.size(); ++i)
      builder_.store(placed(output_, i, kind_), numbers_[i].reg);
    for (size_t i = 0; i < conditions_.size(); ++i)
      builder_.store(placed(masks_, i, ElementKind::I8),
                     builder_.op(Opcode::ExtU, tile(ElementKind::I8, shape_), {conditions_[i].reg}));
    builder_.finish();
    Array out(kind_, numbers_.size() * static_cast<size_t>(count_)),
        bits(ElementKind::I8, conditions_.size() * static_cast<size_t>(count_));
    const std::string listing = print(module_);
    run(module_, {}, data_, out, bits);
    for (size_t k = 0; k < numbers_.size(); ++k)
      for (size_t i = 0; i < static_cast<size_t>(count_); ++i)
        ASSERT_EQ(out.integer(k * count_ + i), numbers_[k].value[i])
            << "r" << numbers_[k].reg << " element " << i << "\n"
            << listing;
    for (size_t k = 0; k < conditions_.size(); ++k)
      for (size_t i = 0; i < static_cast<size_t>(count_); ++i)
        ASSERT_EQ(bits.integer(k * count_ + i), conditions_[k].value[i])
            << "r" << conditions_[k].reg << " element " << i << "\n"
            << listing;
  }

private:
  struct Node {
    Register reg;
    std::vector<int64_t> value;
  };

  Register placed(Register base, size_t index, ElementKind) {
    const Register offset = builder_.constInt(ElementKind::I64, static_cast<int64_t>(index) * count_);
    return builder_.rowMajorPointers(builder_.addPtr(base, offset), shape_);
  }
  unsigned bits() const { return 8 * byteSize(kind_); }
  const Node &number() { return numbers_[random_() % numbers_.size()]; }
  int64_t axisIndex(int64_t element, size_t axis) const {
    for (size_t d = shape_.size(); d-- > axis + 1;)
      element /= shape_[d];
    return element % shape_[axis];
  }

  void leaves() {
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      const int64_t start = static_cast<int64_t>(random_() % 9) - 4;
      Node n{builder_.along(builder_.range(shape_[axis], start, kind_), axis, shape_), {}};
      for (int64_t i = 0; i < count_; ++i)
        n.value.push_back(start + axisIndex(i, axis));
      numbers_.push_back(n);
    }
    for (int i = 0; i < 4; ++i) {
      const int64_t v = i < 2 ? static_cast<int64_t>(random_() % 17) - 4
                              : interestingIntegers(bits(), 30, random_() % 1000)[random_() % 30];
      numbers_.push_back(
          {builder_.splat(builder_.constInt(kind_, v), shape_), std::vector<int64_t>(static_cast<size_t>(count_), v)});
    }
    Node loaded{builder_.load(builder_.rowMajorPointers(input_, shape_)), {}};
    for (int64_t i = 0; i < count_; ++i)
      loaded.value.push_back(data_.integer(static_cast<size_t>(i)));
    numbers_.push_back(loaded);
    addMask();
  }
  void addNumber() {
    Node n;
    if (random_() % 8 == 0) {
      const Node &c = conditions_[random_() % conditions_.size()], &a = number(), &b = number();
      n.reg = builder_.op(Opcode::Select, tile(kind_, shape_), {c.reg, a.reg, b.reg});
      for (size_t i = 0; i < a.value.size(); ++i)
        n.value.push_back(c.value[i] ? a.value[i] : b.value[i]);
    } else {
      // Mostly additions and multiplications, which stay symbolic.
      const Opcode op = random_() % 2 ? kBinary[random_() % 3] : kBinary[random_() % std::size(kBinary)];
      const Node &a = number(), &b = number();
      n.reg = builder_.like(op, {a.reg, b.reg});
      for (size_t i = 0; i < a.value.size(); ++i)
        n.value.push_back(referenceInteger(op, a.value[i], b.value[i], bits()));
    }
    numbers_.push_back(n);
  }
  void addMask() {
    Node n;
    if (conditions_.size() > 1 && random_() % 2) {
      const Opcode ops[] = {Opcode::And, Opcode::And, Opcode::Or, Opcode::Xor};
      const Opcode op = ops[random_() % 4];
      const Node &a = conditions_[random_() % conditions_.size()], &b = conditions_[random_() % conditions_.size()];
      n.reg = builder_.like(op, {a.reg, b.reg});
      for (size_t i = 0; i < a.value.size(); ++i)
        n.value.push_back(referenceInteger(op, a.value[i], b.value[i], 8));
    } else {
      const auto p = static_cast<IntPredicate>(random_() % 10);
      const Node &a = number(), &b = number();
      n.reg = builder_.compare(p, a.reg, b.reg);
      for (size_t i = 0; i < a.value.size(); ++i)
        n.value.push_back(referenceCompare(p, a.value[i], b.value[i], bits()));
    }
    conditions_.push_back(n);
  }

  ElementKind kind_;
  Shape shape_;
  std::mt19937 random_;
  Module module_;
  FunctionBuilder builder_;
  int64_t count_;
  Register input_, output_, masks_;
  Array data_{ElementKind::I8, 0};
  std::vector<Node> numbers_, conditions_;
};

TEST(Integer, SymbolicTilesEqualTheirElements) {
  const Shape shapes[] = {{}, {1}, {8}, {17}, {4, 6}, {3, 1, 5}, {2, 3, 4, 2}, {32, 32}};
  uint32_t seed = 1;
  for (int round = 0; round < 25; ++round)
    for (const Shape &shape : shapes)
      for (ElementKind kind : kIntegerKinds) {
        if (shape.size() == 2 && shape[0] == 32 && round % 5)
          continue;
        Expressions(kind, shape, seed++).check(24);
        if (HasFatalFailure())
          return;
      }
}

TEST(Integer, RangesNearTheLimitsWrap) {
  // arange(0, 8) + 2^31 - 4 exceeds i32 in the middle of the tile.
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register out = f.param(pointerTo(ElementKind::I64));
  const Register near = f.like(Opcode::Add, {f.range(8), f.constInt(ElementKind::I32, INT32_MAX - 3, {8})});
  f.store(f.rowMajorPointers(out, {8}), f.op(Opcode::ExtS, tile(ElementKind::I64, {8}), {near}));
  f.finish();
  std::vector<int64_t> r(8);
  run(std::move(m), {}, r.data());
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(r[static_cast<size_t>(i)],
              static_cast<int32_t>(static_cast<uint32_t>(INT32_MAX - 3) + static_cast<uint32_t>(i)));
}

TEST(Integer, AbsAndResize) {
  for (ElementKind from : kIntegerKinds)
    for (ElementKind to : kIntegerKinds)
      for (bool symbolic : {false, true}) {
        const int64_t n = 24;
        const unsigned fromBits = 8 * byteSize(from), toBits = 8 * byteSize(to);
        Array in(from, n), s(to, n), u(to, n), absolute(from, n), low(ElementKind::I1, n);
        const std::vector<int64_t> v = interestingIntegers(fromBits, n, 5);
        for (int64_t i = 0; i < n; ++i)
          in.setBits(i, static_cast<uint64_t>(symbolic ? i - 9 : v[static_cast<size_t>(i)]));
        Module m = emptyModule();
        FunctionBuilder f(m, "k");
        const Register pi = f.param(pointerTo(from)), ps = f.param(pointerTo(to)), pu = f.param(pointerTo(to)),
                       pa = f.param(pointerTo(from)), pl = f.param(pointerTo(ElementKind::I1));
        const Register x = symbolic ? f.range(n, -9, from) : f.load(f.rowMajorPointers(pi, {n}));
        const bool narrows = toBits < fromBits;
        f.store(f.rowMajorPointers(ps, {n}), f.op(narrows ? Opcode::TruncI : Opcode::ExtS, tile(to, {n}), {x}));
        f.store(f.rowMajorPointers(pu, {n}), f.op(narrows ? Opcode::TruncI : Opcode::ExtU, tile(to, {n}), {x}));
        f.store(f.rowMajorPointers(pa, {n}), f.like(Opcode::AbsI, {x}));
        f.store(f.rowMajorPointers(pl, {n}), f.op(Opcode::TruncI, tile(ElementKind::I1, {n}), {x}));
        f.finish();
        run(std::move(m), {}, in, s, u, absolute, low);
        for (int64_t i = 0; i < n; ++i) {
          const int64_t x0 = in.integer(i);
          EXPECT_EQ(s.integer(i), wrap(x0, toBits));
          EXPECT_EQ(u.integer(i), wrap(static_cast<int64_t>(in.bits(i)), toBits));
          EXPECT_EQ(absolute.integer(i),
                    wrap(x0 < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x0)) : x0, fromBits));
          EXPECT_EQ(low.bits(i), in.bits(i) & 1);
        }
      }
}

} // namespace
