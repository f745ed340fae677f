// Generates kernels from a seed, bottom up: each statement takes operands from existing values.
#include "tests/fuzz/Model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tegula::fuzz {

namespace {

constexpr size_t kMostAxes = 4;
constexpr DType kAllTypes[] = {DType::I8,  DType::I16, DType::I32, DType::I64,  DType::U8,  DType::U16,
                               DType::U32, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F32};

class Generator {
public:
  explicit Generator(uint64_t seed) : r_(seed) {}

  Model run() {
    plan();
    Block body;
    current_ = &body;
    for (int64_t i = 0; i < int64_t(m_.parameters.size()); ++i)
      add({Op::Parameter, {DType::I32, {}}, {}, {i}, {}});
    add({Op::Program, {DType::I32, {}}, {}, {}, {}});
    for (int64_t i = r_.between(1, 3); i > 0; --i)
      load({r_.pick(m_.inputs), r_.pick(shapes_)}, true);
    steps(r_.between(4, 16));
    storeAll();
    m_.body = std::move(body);
    prune(m_);
    return std::move(m_);
  }

private:
  void plan() {
    products_ = r_.oneIn(5);
    for (int i = 0; i < kSymbols; ++i) {
      m_.least[i] = products_ ? 4 : 0;
      m_.extents[i] = products_ ? (r_.oneIn(4) ? 5 : 4) : int(r_.between(0, i == 2 ? 3 : 6));
    }
    m_.warps = 1 << r_.below(4);
    Dim symbols[kSymbols];
    for (int i = 0; i < kSymbols; ++i)
      symbols[i].powers[i] = 1;
    auto [a, b, c] = symbols;
    shapes_ = {{a}, {b}, {a, b}, {b, a}};
    if (products_)
      shapes_.insert(shapes_.end(), {{a, c}, {c, b}});
    else
      shapes_.insert(shapes_.end(), {{a, b}, {c, a, b}, {b, a, c}});
    std::erase_if(shapes_, [&](const Shape &shape) { return m_.log2(shape) > mostBits() - 1; });
    m_.grid = {r_.oneIn(2) ? 1 : r_.between(2, 5), r_.oneIn(4) ? 2 : 1};
    m_.data = r_.engine();
    m_.parameters = {r_.pick(std::array<int64_t, 5>{1, 3, 16, 20, 64}), r_.between(0, 9)};
    m_.inputs = {DType::I32, DType::F32};
    for (int64_t i = r_.between(1, 3); i > 0; --i)
      m_.inputs.push_back(r_.pick(kAllTypes));
    if (r_.oneIn(8))
      m_.inputs.push_back(DType::F64);
  }

  // Building blocks.
  /// Upper limit of log2 of a tile's elements: each element that a thread holds is separate code, which drivers compile
  /// slowly.
  int mostBits() const { return std::max(products_ ? 10 : 7, 8 + int(std::log2(m_.warps))); }
  const Type &type(int id) const { return m_.nodes[id].type; }
  bool fits(const Shape &shape) const { return m_.log2(shape) <= mostBits() && shape.size() <= kMostAxes; }
  int add(Node node) {
    int id = int(m_.nodes.size());
    m_.nodes.push_back(std::move(node));
    current_->nodes.push_back(id);
    scope_.push_back(id);
    return id;
  }
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

  int need(const Type &wanted, int depth = 0) {
    if (!r_.oneIn(8)) {
      int id = find([&](const Type &t) { return t == wanted; });
      if (id >= 0)
        return id;
    }
    if (depth > 3)
      return simple(wanted);
    if (wanted.element == DType::I1) {
      if (r_.oneIn(10))
        return simple(wanted);
      int a = find([&](const Type &t) { return t.shape == wanted.shape && t.element != DType::I1; });
      Type operand = a >= 0 ? type(a) : Type{DType::I32, wanted.shape};
      if (a < 0)
        a = need(operand, depth + 1);
      int b = other(a, operand, depth + 1);
      return add({Op::Compare, wanted, {a, b}, {r_.below(6)}, {}});
    }
    if (!r_.oneIn(3)) {
      int id = find([&](const Type &t) { return t.shape == wanted.shape && t.element != wanted.element; });
      if (id >= 0)
        return add({Op::Cast, wanted, {id}, {}, {}});
    }
    if (!wanted.shape.empty() && r_.oneIn(2)) {
      int id = broadcast(wanted, depth);
      if (id >= 0)
        return id;
    }
    if (!pure_ && std::find(m_.inputs.begin(), m_.inputs.end(), wanted.element) != m_.inputs.end() && !r_.oneIn(6))
      return load(wanted, depth > 1);
    return simple(wanted);
  }
  /// A second operand that is not the first one.
  int other(int first, const Type &wanted, int depth) {
    int id = find([&](const Type &t) { return t == wanted && &t != &m_.nodes[first].type; });
    if (id >= 0 && !r_.oneIn(6))
      return id;
    if (!pure_ && std::find(m_.inputs.begin(), m_.inputs.end(), wanted.element) != m_.inputs.end() && r_.oneIn(2))
      return load(wanted, true);
    id = need(wanted, depth + 1);
    return id == first ? simple(wanted) : id;
  }
  int simple(const Type &wanted) {
    if (wanted.element != DType::I1 && !wanted.shape.empty() && !r_.oneIn(3))
      return add({Op::Iota, wanted, {}, {r_.below(int64_t(wanted.shape.size()))}, {}});
    return add({Op::Full, wanted, {}, {r_.between(-9, 20)}, {}});
  }
  int broadcast(const Type &wanted, int depth) {
    if (wanted.shape.size() < 2 || r_.oneIn(4))
      return add({Op::Broadcast, wanted, {need({wanted.element, {}}, depth + 1)}, {}, {}});
    int64_t axis = r_.below(int64_t(wanted.shape.size()));
    Shape small = wanted.shape, flat = wanted.shape;
    small.erase(small.begin() + axis);
    flat[axis] = Dim{};
    int x = need({wanted.element, small}, depth + 1);
    int wide = add({Op::Expand, {wanted.element, flat}, {x}, {axis}, {}});
    return add({Op::Broadcast, wanted, {wide}, {}, {}});
  }
  int64_t inputOf(DType element) {
    std::vector<int64_t> found;
    for (size_t i = 0; i < m_.inputs.size(); ++i)
      if (m_.inputs[i] == element)
        found.push_back(int64_t(i));
    return r_.pick(found);
  }
  static int64_t permutations(size_t axes) { return axes < 2 ? 1 : int64_t(axes) * permutations(axes - 1); }

  int load(const Type &wanted, bool plain) {
    Access a;
    a.buffer = inputOf(wanted.element);
    int64_t axes = int64_t(wanted.shape.size());
    std::vector<int> in;
    if (!plain && r_.oneIn(5)) {
      in.push_back(need({anyInteger(), wanted.shape}, 2));
      if (r_.oneIn(2))
        in.push_back(need({DType::I1, wanted.shape}, 2));
      if (in.size() == 2 && r_.oneIn(2))
        in.push_back(need(wanted, 3));
      return add({Op::LoadAt, wanted, in, {a.buffer}, {}});
    }
    a.order = r_.oneIn(2) ? 0 : r_.below(permutations(wanted.shape.size()));
    a.gap = r_.oneIn(5) ? r_.between(2, 3) : 1;
    a.flat = axes && r_.oneIn(8) ? 1 << r_.below(axes) : 0;
    a.reversed = axes && r_.oneIn(8) ? 1 << r_.below(axes) : 0;
    a.offset = r_.oneIn(4) ? r_.between(1, 16) : 0;
    a.program = r_.oneIn(2);
    a.mask = r_.oneIn(2) ? r_.between(1, plain ? 2 : 3) : 0;
    if (a.mask == 3)
      in.push_back(need({DType::I1, wanted.shape}, 2));
    a.other = r_.below(plain ? 2 : 3);
    a.literal = r_.between(-5, 9);
    if (a.other == 2 && a.mask)
      in.push_back(need(wanted, 3));
    else if (a.other == 2)
      a.other = 0;
    return add({Op::Load,
                wanted,
                in,
                {a.buffer, a.order, a.gap, a.flat, a.reversed, a.offset, a.program, a.mask, a.other, a.literal},
                {}});
  }

  void steps(int64_t count) {
    for (; count > 0; --count)
      step();
  }
  void step() {
    int64_t kind = r_.below(100);
    if (kind < 34)
      elementwise();
    else if (kind < 66)
      shapeOrMove();
    else if (kind < 76)
      reduce();
    else if (kind < 82)
      scan();
    else if (kind < 86 && products_)
      dot();
    else if (kind < 87)
      add({Op::Cast, {r_.pick(kAllTypes), {}}, {need({DType::I32, {}})}, {}, {}});
    else if (kind < 89)
      call();
    else if (kind < 92 && !pure_)
      load({r_.pick(m_.inputs), r_.pick(shapes_)}, false);
    else if (kind < 98 && !pure_ && depth_ < 2)
      region();
    else if (!pure_)
      atomicOrStore();
  }

  void elementwise() {
    int x = number();
    Type t = type(x);
    switch (r_.below(10)) {
    case 0: {
      int64_t kind =
          isFloat(t.element) ? r_.pick(std::array<int64_t, 4>{0, 2, 3, 4}) : r_.below(isUnsigned(t.element) ? 2 : 3);
      if (isUnsigned(t.element))
        kind = 1;
      add({Op::Unary, t, {x}, {kind}, {}});
      return;
    }
    case 1:
    case 2:
    case 3: add({Op::Binary, t, {x, other(x, t, 0)}, {binaryKind(t.element)}, {}}); return;
    case 4:
    case 5: {
      int64_t kind = binaryKind(t.element);
      add({Op::Literal,
           t,
           {x},
           {kind, isUnsigned(t.element) ? r_.between(0, 100) : r_.between(-7, 60), r_.oneIn(3)},
           {}});
      return;
    }
    case 6: add({Op::Compare, {DType::I1, t.shape}, {x, other(x, t, 0)}, {r_.below(6)}, {}}); return;
    case 7: add({Op::Where, t, {need({DType::I1, t.shape}), x, other(x, t, 0)}, {}, {}}); return;
    case 8: add({Op::Cast, {r_.oneIn(8) ? DType::I1 : r_.pick(kAllTypes), t.shape}, {x}, {}, {}}); return;
    default: break;
    }
    if (t.element == DType::F32 || t.element == DType::F64) {
      add({Op::Fma, t, {x, need(t), need(t)}, {}, {}});
    } else if (isInteger(t.element) && r_.oneIn(2)) {
      int y = need({anyInteger(), t.shape});
      add({Op::Promote, {anyInteger(), t.shape}, {x, y}, {r_.below(6)}, {}});
    } else if (isInteger(t.element)) {
      DType other = isUnsigned(t.element) ? DType(int(t.element) - 4) : DType(int(t.element) + 4);
      add({Op::Bits, {other, t.shape}, {x}, {}, {}});
    } else {
      int c = need({DType::I1, t.shape});
      add({Op::Binary, {DType::I1, t.shape}, {c, need({DType::I1, t.shape})}, {r_.between(kAnd, kXor)}, {}});
    }
  }
  int64_t binaryKind(DType element) {
    if (isFloat(element))
      return r_.pick(std::array<int64_t, 5>{kAdd, kSub, kMul, kMin, kMax});
    return r_.below(12);
  }

  void shapeOrMove() {
    int x = r_.oneIn(8) ? find([](const Type &t) { return !t.shape.empty(); }) : tile();
    if (x < 0)
      return;
    Type t = type(x);
    int64_t axes = int64_t(t.shape.size()), axis = r_.below(axes);
    Type next = t;
    switch (r_.below(12)) {
    case 0:
    case 1:
      next.shape = regrouped(t.shape);
      add({Op::Reshape, next, {x}, {}, {}});
      return;
    case 2:
    case 3: {
      std::vector<int64_t> order(t.shape.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), r_.engine);
      for (size_t i = 0; i < order.size(); ++i)
        next.shape[i] = t.shape[order[i]];
      add({Op::Permute, next, {x}, order, {}});
      return;
    }
    case 4:
      next.shape.push_back(Dim{1, {}});
      if (fits(next.shape))
        add({Op::Join, next, {x, other(x, t, 0)}, {}, {}});
      return;
    case 5: split(); return;
    case 6:
      next.shape[0].bits += 1;
      if (fits(next.shape) && t.element != DType::I1)
        add({Op::Cat, next, {x, need(t)}, {}, {}});
      return;
    case 7:
      next.shape.back().bits += 1;
      if (fits(next.shape))
        add({Op::Interleave, next, {x, need(t)}, {}, {}});
      return;
    case 8: {
      int64_t where = r_.between(0, axes);
      next.shape.insert(next.shape.begin() + where, Dim{});
      if (!fits(next.shape))
        return;
      int wide = add({Op::Expand, next, {x}, {where}, {}});
      next.shape[where] = r_.oneIn(2) ? Dim{int(r_.between(1, 3)), {}} : r_.pick(r_.pick(shapes_));
      if (fits(next.shape))
        add({Op::Broadcast, next, {wide}, {}, {}});
      return;
    }
    case 9: add({Op::Flip, t, {x}, {axis}, {}}); return;
    case 10:
      if (t.element != DType::I1)
        add({r_.oneIn(2) ? Op::Sort : Op::Flip, t, {x}, {r_.oneIn(2) ? axes - 1 : 0}, {}});
      return;
    default:
      if (r_.oneIn(4)) {
        int flat = find([](const Type &u) { return isInteger(u.element) && u.shape.size() == 1; });
        if (flat >= 0)
          add({Op::Histogram, {DType::I32, {Dim{int(r_.between(1, 6)), {}}}}, {flat}, {}, {}});
        return;
      }
      if (t.element == DType::I1)
        return;
      if (r_.oneIn(2))
        next.shape[axis] = r_.oneIn(2) ? Dim{int(r_.between(0, 5)), {}} : r_.pick(r_.pick(shapes_));
      if (fits(next.shape))
        add({Op::Gather, next, {x, need({r_.oneIn(2) ? DType::I32 : anyInteger(), next.shape})}, {axis}, {}});
    }
  }
  void split() {
    Dim two{1, {}};
    int x = find([&](const Type &t) { return !t.shape.empty() && t.shape.back() == two; });
    if (x < 0) { // regroups an axis that has a factor of two
      x = find([](const Type &t) {
        return std::any_of(t.shape.begin(), t.shape.end(), [](const Dim &dim) { return dim.bits > 0; });
      });
      if (x < 0)
        return;
      Type t = type(x);
      std::find_if(t.shape.begin(), t.shape.end(), [](const Dim &dim) { return dim.bits > 0; })->bits -= 1;
      t.shape.push_back(two);
      if (!fits(t.shape))
        return;
      x = add({Op::Reshape, t, {x}, {}, {}});
    }
    Type half = type(x);
    half.shape.pop_back();
    add({Op::Split, half, {x}, {r_.below(2)}, {}});
  }
  Shape regrouped(const Shape &shape) {
    std::vector<Dim> factors;
    for (const Dim &dim : shape) {
      for (int i = 0; i < dim.bits; ++i)
        factors.push_back(Dim{1, {}});
      for (int s = 0; s < kSymbols; ++s)
        for (int i = 0; i < dim.powers[s]; ++i) {
          Dim factor;
          factor.powers[s] = 1;
          factors.push_back(factor);
        }
    }
    std::shuffle(factors.begin(), factors.end(), r_.engine);
    Shape result(size_t(r_.between(1, 3)));
    for (const Dim &factor : factors) {
      Dim &into = result[size_t(r_.below(int64_t(result.size())))];
      into.bits += factor.bits;
      for (int s = 0; s < kSymbols; ++s)
        into.powers[s] += factor.powers[s];
    }
    return result;
  }

  void reduce() {
    int64_t kind = r_.below(8);
    int x = kind == 3 || kind >= 6 ? integerTile() : tile();
    Type t = type(x);
    int64_t axis = r_.oneIn(5) ? -1 : r_.below(int64_t(t.shape.size()));
    bool index = kind == 4 || kind == 5, keep = !index && axis >= 0 && r_.oneIn(4);
    if (index && axis < 0)
      axis = 0;
    Type result{index ? DType::I32 : t.element, {}};
    if (axis >= 0) {
      result.shape = t.shape;
      if (keep)
        result.shape[axis] = Dim{};
      else
        result.shape.erase(result.shape.begin() + axis);
    }
    int id = add({Op::Reduce, result, {x}, {kind, axis, keep}, {}});
    if (axis < 0 || index || t.shape.size() < 2 || r_.oneIn(2))
      return;
    // Back to the original shape.
    Type flat = t;
    flat.shape[axis] = Dim{};
    if (!keep)
      id = add({Op::Expand, flat, {id}, {axis}, {}});
    add({Op::Broadcast, t, {id}, {}, {}});
  }
  void scan() {
    int64_t kind = r_.below(5);
    int x = kind >= 2 ? integerTile() : tile();
    Type t = type(x);
    add({Op::Scan, t, {x}, {kind, r_.below(int64_t(t.shape.size())), r_.oneIn(3)}, {}});
  }
  void dot() {
    Dim s[kSymbols];
    for (int i = 0; i < kSymbols; ++i)
      s[i].powers[i] = 1;
    int64_t kind = r_.below(4);
    Type result{kind == 2 ? DType::I32 : DType::F32, {s[0], s[1]}};
    DType left = r_.oneIn(2) ? DType::F32 : r_.pick(m_.inputs), right = r_.pick(m_.inputs);
    int inner = r_.oneIn(4) ? 0 : 2;
    std::vector<int> in{need({left, {s[0], s[inner]}}), need({right, {s[inner], s[1]}})};
    if (r_.oneIn(2))
      in.push_back(need(result));
    add({Op::Dot, result, in, {kind}, {}});
  }

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
  void call() {
    if (depth_ > 1)
      return;
    std::vector<int> in{number()};
    for (int64_t i = r_.below(3); i > 0; --i)
      in.push_back(number());
    int id = int(m_.nodes.size());
    m_.nodes.push_back({Op::Call, {}, in, {}, {}});
    std::vector<int> outside;
    outside.swap(scope_);
    bool before = std::exchange(pure_, true);
    Block block = nested([&](Block &inner) {
      for (size_t i = 0; i < in.size(); ++i)
        add({Op::Argument, type(in[i]), {id}, {int64_t(i)}, {}});
      steps(r_.between(1, 4));
      inner.yields = {scope_.back()};
    });
    pure_ = before;
    scope_.swap(outside);
    m_.nodes[id].type = type(block.yields[0]);
    m_.nodes[id].blocks.push_back(std::move(block));
    current_->nodes.push_back(id);
    scope_.push_back(id);
  }
  void region() {
    Op op = r_.oneIn(3) ? Op::If : r_.oneIn(4) ? Op::While : Op::For;
    std::vector<int> in;
    std::vector<int64_t> n;
    bool first = true;
    if (op == Op::If) {
      in.push_back(need({DType::I1, {}}));
    } else {
      n.push_back(r_.pick(std::array<int64_t, 3>{1, 3, 3}));
      if (op == Op::For)
        n.insert(n.end(), {r_.oneIn(2), r_.below(4)});
      first = op == Op::While || n[1];
      if (first)
        in.push_back(need({DType::I32, {}}));
    }
    int64_t carried = r_.between(1, 3);
    std::vector<Type> types;
    for (int64_t i = 0; i < carried; ++i) {
      in.push_back(number());
      types.push_back(type(in.back()));
    }
    int id = int(m_.nodes.size());
    m_.nodes.push_back({op, {}, in, n, {}});
    std::vector<Block> blocks;
    for (int i = 0; i < (op == Op::If ? 2 : 1); ++i)
      blocks.push_back(nested([&](Block &inner) { fillRegion(inner, op, id, types); }));
    m_.nodes[id].blocks = std::move(blocks);
    current_->nodes.push_back(id);
    for (int64_t i = 0; i < carried; ++i)
      add({Op::Result, types[i], {id}, {i}, {}});
  }
  void fillRegion(Block &inner, Op op, int id, const std::vector<Type> &types) {
    int outerLoop = std::exchange(loop_, op == Op::For && depth_ == 1 ? id : -2);
    if (op == Op::If && outerLoop == -1)
      loop_ = -1;
    if (op != Op::If) {
      for (size_t i = 0; i < types.size(); ++i)
        add({Op::Argument, types[i], {id}, {int64_t(i)}, {}});
      add({Op::Index, {DType::I32, {}}, {id}, {}, {}});
      if (r_.oneIn(2)) {
        Type t{r_.pick(m_.inputs), r_.pick(shapes_)};
        add({Op::LoadStream,
             t,
             {id},
             {inputOf(t.element), r_.below(permutations(t.shape.size())), r_.between(1, 2),
              r_.pick(std::array<int64_t, 4>{1, 7, 16, 64})},
             {}});
      }
    }
    steps(r_.between(1, 6));
    // The value that the block computed, else a step from the value before.
    for (size_t i = 0; i < types.size(); ++i) {
      std::vector<int> made;
      for (int n : inner.nodes)
        if (type(n) == types[i] && m_.nodes[n].op != Op::Argument && m_.nodes[n].op != Op::Store &&
            m_.nodes[n].op != Op::Atomic && std::find(scope_.begin(), scope_.end(), n) != scope_.end())
          made.push_back(n);
      if (!made.empty() && !r_.oneIn(8)) {
        inner.yields.push_back(r_.pick(made));
        continue;
      }
      int x = need(types[i]);
      inner.yields.push_back(
          r_.oneIn(6) ? x
                      : add({Op::Binary, types[i], {x, other(x, types[i], 1)}, {binaryKind(types[i].element)}, {}}));
    }
    loop_ = outerLoop;
  }

  void atomicOrStore() {
    if (r_.oneIn(2)) {
      if (loop_ != -2)
        store(number());
      return;
    }
    int64_t kind = r_.below(6);
    DType element = r_.pick(std::array<DType, 4>{DType::I32, DType::I32, DType::U32, DType::I64});
    int index = r_.oneIn(4) ? need({DType::I32, {}}) : integerTile();
    Shape shape = type(index).shape;
    if (kind == 0 && r_.oneIn(3))
      element = DType::F32;
    std::vector<int> in{index, need({element, shape})};
    if (r_.oneIn(2))
      in.push_back(need({DType::I1, shape}));
    effect({Op::Atomic, {}, in, {kind}, {}});
  }
  void store(int value) {
    const Type t = type(value);
    std::vector<int> in{value};
    if (r_.oneIn(3))
      in.push_back(need({DType::I1, t.shape}));
    int64_t order = r_.oneIn(2) ? 0 : r_.below(permutations(t.shape.size()));
    effect({Op::Store, {}, in, {order, t.shape.size() && r_.oneIn(8) ? 1 : 0, loop_ >= 0 ? loop_ : -1}, {}});
  }
  void storeAll() {
    std::vector<bool> used(m_.nodes.size());
    for (const Node &node : m_.nodes)
      for (int id : node.in)
        used[id] = true;
    std::vector<int> unused;
    for (int id : scope_)
      if (!used[id] && m_.nodes[id].op != Op::Parameter && m_.nodes[id].op != Op::Program)
        unused.push_back(id);
    std::shuffle(unused.begin(), unused.end(), r_.engine);
    for (size_t i = 0; i < std::min<size_t>(unused.size(), 5); ++i)
      store(unused[i]);
    if (unused.empty())
      store(tile());
  }

  Random r_;
  Model m_;
  std::vector<Shape> shapes_;
  std::vector<int> scope_;
  Block *current_ = nullptr;
  bool products_ = false, pure_ = false;
  int depth_ = 0;
  int loop_ = -1; // the loop whose variable spreads stores; -1: outside of loops; -2: stores are not allowed here
};

} // namespace

Model generate(uint64_t seed) { return Generator(seed).run(); }

} // namespace tegula::fuzz
