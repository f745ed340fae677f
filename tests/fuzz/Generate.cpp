// The plan of a kernel, its inputs, and values of wanted types.
#include "tests/fuzz/Generator.h"

namespace tegula::fuzz {

Model Generator::run() {
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

void Generator::plan() {
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

int Generator::add(Node node) {
  int id = int(m_.nodes.size());
  m_.nodes.push_back(std::move(node));
  current_->nodes.push_back(id);
  scope_.push_back(id);
  return id;
}

int Generator::need(const Type &wanted, int depth) {
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

int Generator::other(int first, const Type &wanted, int depth) {
  int id = find([&](const Type &t) { return t == wanted && &t != &m_.nodes[first].type; });
  if (id >= 0 && !r_.oneIn(6))
    return id;
  if (!pure_ && std::find(m_.inputs.begin(), m_.inputs.end(), wanted.element) != m_.inputs.end() && r_.oneIn(2))
    return load(wanted, true);
  id = need(wanted, depth + 1);
  return id == first ? simple(wanted) : id;
}

int Generator::broadcast(const Type &wanted, int depth) {
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

int64_t Generator::inputOf(DType element) {
  std::vector<int64_t> found;
  for (size_t i = 0; i < m_.inputs.size(); ++i)
    if (m_.inputs[i] == element)
      found.push_back(int64_t(i));
  return r_.pick(found);
}

int Generator::load(const Type &wanted, bool plain) {
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

void Generator::steps(int64_t count) {
  for (; count > 0; --count)
    step();
}

Model generate(uint64_t seed) { return Generator(seed).run(); }

} // namespace tegula::fuzz
