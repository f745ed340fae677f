// Makes a kernel from a seed, bottom up: each statement takes operands from existing values.
#pragma once

#include "tests/fuzz/Model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tegula::fuzz {

constexpr size_t kMostAxes = 4;
constexpr DType kAllTypes[] = {DType::I8,     DType::I16,    DType::I32,        DType::I64,
                               DType::U8,     DType::U16,    DType::U32,        DType::U64,
                               DType::F16,    DType::BF16,   DType::F32,        DType::F32,
                               DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};

class Generator {
public:
  explicit Generator(uint64_t seed) : r_(seed) {}

  Model run();

private:
  void plan();

  // Building blocks.
  /// Upper limit of log2 of a tile's elements: each element that a thread holds is separate code, which drivers compile
  /// slowly.
  int mostBits() const { return std::max(products_ ? 10 : 7, 8 + int(std::log2(m_.warps))); }
  const Type &type(int id) const { return m_.nodes[id].type; }
  bool fits(const Shape &shape) const { return m_.log2(shape) <= mostBits() && shape.size() <= kMostAxes; }
  int add(Node node);
  int effect(Node node) {
    int id = add(std::move(node));
    scope_.pop_back();
    return id;
  }
  template <class Wanted> int find(Wanted wanted) {
    std::vector<int> found;
    for (int id : scope_)
      if (wanted(type(id)))
        found.push_back(id);
    if (found.empty())
      return -1;
    // Prefers later values, so that chains of operations grow.
    size_t low = r_.oneIn(2) ? found.size() / 2 : 0;
    return found[size_t(r_.between(int64_t(low), int64_t(found.size()) - 1))];
  }
  int number() { // any value that is not boolean
    int id = find([](const Type &t) { return t.element != DType::I1; });
    return id >= 0 ? id : need({DType::I32, r_.pick(shapes_)});
  }
  int tile() {
    int id = find([](const Type &t) { return t.element != DType::I1 && !t.shape.empty(); });
    return id >= 0 ? id : need({DType::I32, r_.pick(shapes_)});
  }
  int integerTile() {
    int id = find([](const Type &t) { return isInteger(t.element) && !t.shape.empty(); });
    return id >= 0 ? id : need({DType::I32, r_.pick(shapes_)});
  }
  DType anyInteger() { return kAllTypes[r_.below(8)]; }

  int need(const Type &wanted, int depth = 0);
  /// A second operand that is not the first one.
  int other(int first, const Type &wanted, int depth);
  int simple(const Type &wanted) {
    if (wanted.element != DType::I1 && !wanted.shape.empty() && !r_.oneIn(3))
      return add({Op::Iota, wanted, {}, {r_.below(int64_t(wanted.shape.size()))}, {}});
    return add({Op::Full, wanted, {}, {r_.between(-9, 20)}, {}});
  }
  int broadcast(const Type &wanted, int depth);
  int64_t inputOf(DType element);
  static int64_t permutations(size_t axes) { return axes < 2 ? 1 : int64_t(axes) * permutations(axes - 1); }

  int load(const Type &wanted, bool plain);

  void steps(int64_t count);
  void step();

  void elementwise();
  int64_t binaryKind(DType element) {
    if (isFloat(element))
      return r_.pick(std::array<int64_t, 5>{kAdd, kSub, kMul, kMin, kMax});
    return r_.below(12);
  }

  void shapeOrMove();
  void split();
  Shape regrouped(const Shape &shape);

  void reduce();
  void scan();
  void dot();

  // Emits a part of the kernel into a block of its own; while `make` fills it, the block's values are in scope.
  template <class Make> Block nested(Make make) {
    Block block, *before = current_;
    size_t mark = scope_.size();
    current_ = &block;
    ++depth_;
    make(block);
    --depth_;
    current_ = before;
    scope_.resize(mark);
    return block;
  }
  void call();
  void region();
  void fillRegion(Block &inner, Op op, int id, const std::vector<Type> &types);

  void atomicOrStore();
  void store(int value);
  void storeAll();

  Random r_;
  Model m_;
  std::vector<Shape> shapes_;
  std::vector<int> scope_;
  Block *current_ = nullptr;
  bool products_ = false, pure_ = false;
  int depth_ = 0;
  int loop_ = -1; // the loop whose variable spreads stores; -1: outside of loops; -2: stores are not allowed here
};

} // namespace tegula::fuzz
