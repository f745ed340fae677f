// The statements of a kernel.
#include "tests/fuzz/Generator.h"

namespace tegula::fuzz {

void Generator::step() {
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

void Generator::elementwise() {
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

void Generator::shapeOrMove() {
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

void Generator::split() {
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

Shape Generator::regrouped(const Shape &shape) {
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

void Generator::reduce() {
  int64_t kind = r_.below(std::size(kReduce));
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

void Generator::scan() {
  int64_t kind = r_.below(5);
  int x = kind >= 2 ? integerTile() : tile();
  Type t = type(x);
  add({Op::Scan, t, {x}, {kind, r_.below(int64_t(t.shape.size())), r_.oneIn(3)}, {}});
}

void Generator::dot() {
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

void Generator::call() {
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

void Generator::region() {
  Op op = r_.oneIn(3) ? Op::If : r_.oneIn(4) ? Op::While : Op::For;
  std::vector<int> in;
  std::vector<int64_t> n;
  bool first = true;
  if (op == Op::If) {
    in.push_back(need({DType::I1, {}}));
  } else {
    n.push_back(r_.pick(std::array<int64_t, 3>{1, 3, 3}));
    n.insert(n.end(), {op == Op::While || r_.oneIn(2), r_.below(4)}); // whether the bound is computed; the form
    first = n[1];
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

void Generator::fillRegion(Block &inner, Op op, int id, const std::vector<Type> &types) {
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
        r_.oneIn(6) ? x : add({Op::Binary, types[i], {x, other(x, types[i], 1)}, {binaryKind(types[i].element)}, {}}));
  }
  loop_ = outerLoop;
}

void Generator::atomicOrStore() {
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

void Generator::store(int value) {
  const Type t = type(value);
  std::vector<int> in{value};
  if (r_.oneIn(3))
    in.push_back(need({DType::I1, t.shape}));
  int64_t order = r_.oneIn(2) ? 0 : r_.below(permutations(t.shape.size()));
  effect({Op::Store, {}, in, {order, t.shape.size() && r_.oneIn(8) ? 1 : 0, loop_ >= 0 ? loop_ : -1}, {}});
}

void Generator::storeAll() {
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

} // namespace tegula::fuzz
