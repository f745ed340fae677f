// Makes a failing kernel smaller by single changes; a change is kept if the kernel still fails in the same way.
#include "tests/fuzz/Execute.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace tegula::fuzz {

namespace {

bool isRegion(Op op) { return op == Op::For || op == Op::While || op == Op::If || op == Op::Call; }

void substitute(Model &model, const std::map<int, int> &by) {
  auto follow = [&](int &id) {
    for (auto it = by.find(id); it != by.end() && it->second != id; it = by.find(id))
      id = it->second;
  };
  for (Node &node : model.nodes) {
    for (int &id : node.in)
      follow(id);
    for (Block &block : node.blocks)
      for (int &id : block.yields)
        follow(id);
  }
}

void collect(const Model &model, const Block &block, std::vector<int> &ids) {
  for (int id : block.nodes) {
    ids.push_back(id);
    for (const Block &inner : model.nodes[id].blocks)
      collect(model, inner, ids);
  }
}
std::vector<int> present(const Model &model) {
  std::vector<int> ids;
  collect(model, model.body, ids);
  return ids;
}

/// The block that contains `id`, and the index in it.
std::pair<Block *, size_t> placeOf(Model &model, Block &block, int id) {
  for (size_t i = 0; i < block.nodes.size(); ++i) {
    if (block.nodes[i] == id)
      return {&block, i};
    for (Block &inner : model.nodes[block.nodes[i]].blocks)
      if (auto found = placeOf(model, inner, id); found.first)
        return found;
  }
  return {nullptr, 0};
}

size_t firstCarried(const Node &region) {
  return region.op == Op::Call ? 0 : region.op == Op::For ? size_t(region.n[1] != 0) : 1;
}

/// Replaces a region by one of its blocks, as if it ran once.
bool hoist(Model &model, int id, size_t which) {
  Node region = model.nodes[id];
  if (which >= region.blocks.size())
    return false;
  std::map<int, int> by;
  const Block &inner = region.blocks[which];
  size_t first = firstCarried(region);
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    Node &node = model.nodes[i];
    if (node.op == Op::Store && node.n[2] == id)
      node.n[2] = -1;
    if (node.in.empty() || node.in[0] != id)
      continue;
    if (node.op == Op::Argument)
      by[int(i)] = region.in[first + size_t(node.n[0])];
    else if (node.op == Op::Result)
      by[int(i)] = inner.yields[size_t(node.n[0])];
    else if (node.op == Op::Index)
      node = {Op::Full, node.type, {}, {0}, {}};
    else if (node.op == Op::LoadStream)
      node = {Op::Load, node.type, {}, {node.n[0], node.n[1], node.n[2], 0, 0, 0, 0, 0, 0, 0}, {}};
  }
  if (region.op == Op::Call)
    by[id] = inner.yields[0];
  auto [block, at] = placeOf(model, model.body, id);
  if (!block)
    return false;
  std::vector<int> nodes = inner.nodes;
  std::erase_if(nodes, [&](int n) { return by.count(n) != 0; });
  model.nodes[id].blocks.clear();
  block->nodes.erase(block->nodes.begin() + long(at));
  block->nodes.insert(block->nodes.begin() + long(at), nodes.begin(), nodes.end());
  substitute(model, by);
  return true;
}

/// Removes one of a region's carried values: before and inside, uses get its initial value.
bool dropCarried(Model &model, int id, size_t which) {
  Node &region = model.nodes[id];
  size_t first = firstCarried(region);
  if (region.op == Op::Call || first + which >= region.in.size())
    return false;
  std::map<int, int> by;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    Node &node = model.nodes[i];
    if ((node.op != Op::Argument && node.op != Op::Result) || node.in[0] != id)
      continue;
    if (size_t(node.n[0]) == which) {
      by[int(i)] = region.in[first + which];
      node = {Op::Full, node.type, {}, {0}, {}};
    } else if (size_t(node.n[0]) > which)
      node.n[0] -= 1;
  }
  region.in.erase(region.in.begin() + long(first + which));
  for (Block &block : region.blocks)
    block.yields.erase(block.yields.begin() + long(which));
  auto erase = [&](auto &self, Block &block) -> void {
    std::erase_if(block.nodes, [&](int n) { return by.count(n) != 0; });
    for (int n : block.nodes)
      for (Block &inner : model.nodes[n].blocks)
        self(self, inner);
  };
  erase(erase, model.body);
  substitute(model, by);
  return true;
}

class Shrinker {
public:
  Shrinker(Model model, const Outcome &failure, const Trial &trial, double seconds)
      : best_(std::move(model)), failure_(failure), trial_(trial),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  Model run() {
    for (bool better = true; better && !late();) {
      better = launch();
      better |= effects();
      better |= regions();
      better |= extents();
      better |= nodes();
    }
    return std::move(best_);
  }

private:
  using Clock = std::chrono::steady_clock;
  bool late() const { return Clock::now() > end_; }

  bool attempt(const std::function<bool(Model &)> &change) {
    if (late())
      return false;
    Model smaller = best_;
    if (!change(smaller))
      return false;
    prune(smaller);
    if (!trial_(smaller).sameAs(failure_))
      return false;
    best_ = std::move(smaller);
    return true;
  }

  bool launch() {
    bool better = false;
    for (int warps = 1; warps < best_.warps; warps *= 2)
      better |= attempt([&](Model &m) { return std::exchange(m.warps, warps) != warps; });
    for (size_t i : {0, 1})
      better |= attempt([&](Model &m) { return std::exchange(m.grid[i], 1) != 1; });
    return better;
  }
  bool extents() {
    bool better = false;
    for (size_t i = 0; i < kSymbols; ++i) {
      better |= attempt([&](Model &m) { return std::exchange(m.extents[i], m.least[i]) != m.least[i]; });
      while (attempt([&](Model &m) { return m.extents[i]-- > m.least[i]; }))
        better = true;
    }
    return better;
  }
  bool effects() {
    bool better = false;
    for (int id : present(best_)) {
      Op op = best_.nodes[id].op;
      if (op == Op::Store || op == Op::Atomic)
        better |= attempt([&](Model &m) {
          auto [block, at] = placeOf(m, m.body, id);
          if (block)
            block->nodes.erase(block->nodes.begin() + long(at));
          return block != nullptr;
        });
    }
    return better;
  }
  bool regions() {
    bool better = false;
    for (int id : present(best_)) {
      if (!isRegion(best_.nodes[id].op))
        continue;
      if (attempt([&](Model &m) { return hoist(m, id, 0); }) || attempt([&](Model &m) { return hoist(m, id, 1); })) {
        better = true;
        continue;
      }
      for (size_t i = best_.nodes[id].in.size(); i-- > 0;)
        better |= attempt([&](Model &m) { return dropCarried(m, id, i); });
      if (best_.nodes[id].op == Op::For || best_.nodes[id].op == Op::While) {
        better |= attempt([&](Model &m) { return std::exchange(m.nodes[id].n[2], 0) != 0; });
        better |= attempt([&](Model &m) { return std::exchange(m.nodes[id].n[0], 1) != 1; });
      }
    }
    return better;
  }

  bool nodes() {
    bool better = false;
    std::vector<int> ids = present(best_);
    for (size_t i = ids.size(); i-- > 0;)
      better |= node(ids[i]);
    return better;
  }
  bool node(int id) {
    const Node node = best_.nodes[id];
    if (isRegion(node.op) || node.op == Op::Program || node.op == Op::Parameter)
      return false;
    if (node.op == Op::Store || node.op == Op::Atomic)
      return effect(id, node.op == Op::Store ? 1 : 2);
    if (node.op == Op::Load)
      return load(id);
    // Replaces the node by an operand of the same type.
    for (int operand : node.in)
      if (operand != id && best_.nodes[operand].type == node.type && !isRegion(best_.nodes[operand].op) &&
          attempt([&](Model &m) {
            substitute(m, {{id, operand}});
            return true;
          }))
        return true;
    if (node.op == Op::Full || node.op == Op::Argument || node.op == Op::Index)
      return false;
    for (size_t input = 0; input < best_.inputs.size(); ++input)
      if (best_.inputs[input] == node.type.element && attempt([&](Model &m) {
            m.nodes[id] = {Op::Load, node.type, {}, {int64_t(input), 0, 1, 0, 0, 0, 0, 0, 0, 0}, {}};
            return true;
          }))
        return true;
    return attempt([&](Model &m) {
      m.nodes[id] = {Op::Full, node.type, {}, {3}, {}};
      return true;
    });
  }
  bool effect(int id, size_t operands) {
    bool better = attempt([&](Model &m) {
      bool masked = m.nodes[id].in.size() > operands;
      m.nodes[id].in.resize(operands);
      return masked;
    });
    if (operands == 2)
      return better;
    better |= attempt([&](Model &m) { return std::exchange(m.nodes[id].n[0], 0) != 0; });
    better |= attempt([&](Model &m) { return std::exchange(m.nodes[id].n[1], 0) != 0; });
    // An operand of the value may show the failure already.
    for (int operand : std::vector<int>(best_.nodes[best_.nodes[id].in[0]].in)) {
      const Node &candidate = best_.nodes[operand];
      if (best_.nodes[id].in.size() == 1 && !isRegion(candidate.op) &&
          best_.nodes[best_.nodes[id].in[0]].op != Op::Argument && attempt([&](Model &m) {
            m.nodes[id].in[0] = operand;
            m.nodes[id].n = {0, 0, m.nodes[id].n[2]};
            return true;
          }))
        return true;
    }
    return better;
  }
  bool load(int id) {
    bool better = attempt([&](Model &m) {
      Node &node = m.nodes[id];
      bool masked = node.n[7] != 0;
      node.in.clear();
      node.n[7] = node.n[8] = 0;
      return masked;
    });
    for (size_t i : {1, 3, 4, 5, 6})
      better |= attempt([&](Model &m) { return std::exchange(m.nodes[id].n[i], 0) != 0; });
    better |= attempt([&](Model &m) { return std::exchange(m.nodes[id].n[2], 1) != 1; });
    return better;
  }

  Model best_;
  const Outcome &failure_;
  const Trial &trial_;
  Clock::time_point end_;
};

} // namespace

Model shrink(Model model, const Outcome &failure, const Trial &trial, double seconds) {
  return Shrinker(std::move(model), failure, trial, seconds).run();
}

} // namespace tegula::fuzz
