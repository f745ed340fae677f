#include "tests/fuzz/Model.h"

#include <set>

namespace tegula::fuzz {

int Model::log2(const Dim &dim) const {
  int result = dim.bits;
  for (int i = 0; i < kSymbols; ++i)
    result += dim.powers[i] * extents[i];
  return result;
}

int Model::log2(const Shape &shape) const {
  int result = 0;
  for (const Dim &dim : shape)
    result += log2(dim);
  return result;
}

std::string languageName(DType type) {
  switch (type) {
  case DType::I1: return "tl.int1";
  case DType::F16: return "tl.float16";
  case DType::BF16: return "tl.bfloat16";
  case DType::F32: return "tl.float32";
  case DType::F64: return "tl.float64";
  case DType::F8E4M3: return "tl.float8e4nv";
  case DType::F8E5M2: return "tl.float8e5";
  case DType::F8E4M3FNUZ: return "tl.float8e4b8";
  case DType::F8E5M2FNUZ: return "tl.float8e5b16";
  default: return (isUnsigned(type) ? "tl.uint" : "tl.int") + std::to_string(8 * byteSize(type));
  }
}

namespace {

class Pruner {
public:
  explicit Pruner(Model &model) : model_(model) {}

  void run() {
    // Keeps stores and atomic operations with all enclosing regions, and from them all values that they need.
    wantEffects(model_.body);
    while (!work_.empty()) {
      int id = work_.back();
      work_.pop_back();
      for (int operand : model_.nodes[id].in)
        want(operand);
      for (const Block &block : model_.nodes[id].blocks)
        for (int yield : block.yields)
          want(yield);
    }
    sweep(model_.body);
  }

private:
  void want(int id) {
    if (wanted_.insert(id).second)
      work_.push_back(id);
  }
  bool wantEffects(const Block &block) {
    bool any = false;
    for (int id : block.nodes) {
      const Node &node = model_.nodes[id];
      bool effect = node.op == Op::Store || node.op == Op::Atomic;
      for (const Block &inner : node.blocks)
        effect |= wantEffects(inner);
      if (effect)
        want(id);
      any |= effect;
    }
    return any;
  }
  void sweep(Block &block) {
    std::erase_if(block.nodes, [&](int id) { return !wanted_.count(id); });
    for (int id : block.nodes)
      for (Block &inner : model_.nodes[id].blocks)
        sweep(inner);
  }

  Model &model_;
  std::set<int> wanted_;
  std::vector<int> work_;
};

} // namespace

void prune(Model &model) { Pruner(model).run(); }

} // namespace tegula::fuzz
