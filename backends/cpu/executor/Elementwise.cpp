// Runs row kernels over strided tiles. The axes are traversed in row-major order if each operand's step along the last
// axis is 0 or 1; otherwise in the memory order of the first operand whose step is another one, such as a transposed
// tile. Operands whose innermost step in this order is not 0 or 1 are copied; an operand's storage is reused for the
// result if possible; adjacent axes are merged, so that rows are long.
#include "backends/cpu/executor/Machine.h"

#include <algorithm>
#include <cstring>

namespace tegula::cpu {

namespace {

/// The number of elements that are converted at a time, so that the conversion buffers stay in the first-level cache.
constexpr size_t kPiece = 512;
/// If rows have fewer elements, calling the kernel for each row costs more than the elements do; copying the operands,
/// so that axes can be merged to longer rows, is then cheaper.
constexpr int64_t kShortRow = 16;

using Order = std::array<unsigned, kMaxRank>;

Order rowMajorOrder() {
  Order order;
  for (unsigned d = 0; d < kMaxRank; ++d)
    order[d] = d;
  return order;
}

/// The axes sorted by decreasing step: outermost first.
Order orderOf(const Value &v) {
  Order order = rowMajorOrder();
  auto distance = [&](unsigned d) { return v.step[d] == 0 ? INT64_MAX : std::abs(v.step[d]); };
  std::sort(order.begin(), order.begin() + v.shape.rank,
            [&](unsigned a, unsigned b) { return distance(a) != distance(b) ? distance(a) > distance(b) : a < b; });
  return order;
}

/// The step along the innermost axis whose extent is above 1.
int64_t innerStep(const Value &v, const Shape &shape, const Order &order) {
  for (unsigned i = shape.rank; i-- > 0;)
    if (shape.extent[order[i]] > 1)
      return v.step[order[i]];
  return 0;
}

bool fitsRows(const Value &v, const Shape &shape, const Order &order) {
  const int64_t step = innerStep(v, shape, order);
  return step == 0 || step == 1;
}

/// The strides of up to four operands (operand 0 is the result) that are traversed together. Axes of extent 1 are
/// dropped, adjacent axes merged.
struct Walk {
  static constexpr unsigned kOperands = 4;
  unsigned rank = 0;
  Extents extent{};
  std::array<Extents, kOperands> step{}; // bytes

  void add(int64_t n, const std::array<int64_t, kOperands> &steps) {
    if (n == 1)
      return;
    bool merges = rank > 0;
    for (unsigned k = 0; k < kOperands && merges; ++k)
      merges = step[k][rank - 1] == steps[k] * n;
    const unsigned at = merges ? rank - 1 : rank++;
    extent[at] = merges ? extent[at] * n : n;
    for (unsigned k = 0; k < kOperands; ++k)
      step[k][at] = steps[k];
  }
};

bool sameElements(const Value &v, int64_t count, unsigned bytes) {
  // True if the tile is dense in some axis order: no step is 0, and each axis's step is the product of the extents of
  // the axes inside it. Each element of the block then belongs to the tile exactly once.
  if (v.form != Value::Form::Strided || !v.block || byteSize(v.element) != bytes)
    return false;
  const Order order = orderOf(v);
  int64_t expected = 1;
  for (unsigned i = v.shape.rank; i-- > 0;) {
    if (v.shape.extent[order[i]] == 1)
      continue;
    if (v.step[order[i]] != expected)
      return false;
    expected *= v.shape.extent[order[i]];
  }
  return expected == count;
}

} // namespace

const Shape &commonShape(std::span<const Operand> operands) {
  const Shape *shape = &operands[0]->shape;
  for (const Operand &o : operands)
    if (o->shape.rank > shape->rank)
      shape = &o->shape;
  return *shape;
}

void RowOperation::run(void *out, const void *const *in, unsigned inputs, size_t count, unsigned uniform) const {
  if (!before[0] && !before[1] && !before[2] && !after[0])
    return kernel(out, in, count, uniform);
  alignas(64) std::byte converted[3][kPiece * 8];
  alignas(64) std::byte stages[2][kPiece * 8];
  const void *arguments[3];
  for (unsigned k = 0; k < inputs; ++k) {
    arguments[k] = in[k];
    if (before[k] && (uniform >> k & 1)) {
      before[k](converted[k], &in[k], 1, 0);
      arguments[k] = converted[k];
    }
  }
  for (size_t begin = 0; begin < count; begin += kPiece) {
    const size_t n = std::min(kPiece, count - begin);
    for (unsigned k = 0; k < inputs; ++k) {
      if (uniform >> k & 1)
        continue;
      const void *piece = static_cast<const std::byte *>(in[k]) + begin * inputBytes[k];
      if (before[k])
        before[k](converted[k], &piece, n, 0);
      arguments[k] = before[k] ? converted[k] : piece;
    }
    void *target = static_cast<std::byte *>(out) + begin * outputBytes;
    kernel(after[0] ? stages[0] : target, arguments, n, uniform);
    if (after[0]) {
      const void *from = stages[0];
      after[0](after[1] ? stages[1] : target, &from, n, 0);
    }
    if (after[0] && after[1]) {
      const void *from = stages[1];
      after[1](target, &from, n, 0);
    }
  }
}

Value Machine::elementwise(const RowOperation &operation, ElementKind resultKind, std::span<Operand> operands) {
  const Shape full = commonShape(operands);
  const auto inputs = static_cast<unsigned>(operands.size());
  std::array<Value, 3> in;
  bool allUniform = true;
  for (unsigned k = 0; k < inputs; ++k) {
    in[k] = operands[k]->form == Value::Form::Strided ? operands[k].take() : toStrided(*operands[k]);
    allUniform &= in[k].isUniform();
  }
  if (allUniform) {
    const void *pointers[3] = {in[0].elements(), in[1].elements(), in[2].elements()};
    uint64_t bits = 0;
    operation.run(&bits, pointers, inputs, 1, 0);
    return Value::uniformBits(resultKind, full, bits);
  }

  // The shape that is computed: axes along which no operand varies get extent 1, and the result has step 0 along these
  // axes.
  Shape shape = full;
  for (unsigned d = 0; d < full.rank; ++d) {
    bool varies = false;
    for (unsigned k = 0; k < inputs; ++k)
      varies |= in[k].step[d] != 0;
    if (!varies)
      shape.extent[d] = 1;
  }
  for (unsigned k = 0; k < inputs; ++k)
    if (in[k].shape.rank == full.rank)
      in[k].shape = shape;

  Order order = rowMajorOrder();
  for (unsigned k = 0; k < inputs; ++k)
    if (!fitsRows(in[k], shape, order)) {
      order = orderOf(in[k]);
      break;
    }
  const std::span<const unsigned> axes(order.data(), shape.rank);
  for (unsigned k = 0; k < inputs; ++k)
    if (!fitsRows(in[k], shape, order))
      in[k] = copyInOrder(in[k], axes);

  const unsigned outputBytes = byteSize(resultKind);
  const int64_t count = shape.count();
  Value out;
  for (unsigned k = 0; k < inputs && out.form == Value::Form::Empty; ++k)
    if (in[k].block.unique() && in[k].shape.rank == shape.rank && sameElements(in[k], count, outputBytes)) {
      out = in[k]; // shared with `in`: the kernel reads each element before it writes it
      out.element = resultKind;
    }
  if (out.form == Value::Form::Empty)
    out = Value::denseInOrder(resultKind, shape, axes);

  auto plan = [&] {
    Walk walk;
    for (unsigned i = 0; i < shape.rank; ++i) {
      const unsigned d = order[i];
      std::array<int64_t, Walk::kOperands> steps{};
      steps[0] = out.step[d] * static_cast<int64_t>(outputBytes);
      for (unsigned k = 0; k < inputs; ++k)
        steps[k + 1] = d < in[k].shape.rank ? in[k].step[d] * static_cast<int64_t>(byteSize(in[k].element)) : 0;
      walk.add(shape.extent[d], steps);
    }
    return walk;
  };
  Walk walk = plan();
  const bool outFits = walk.rank == 0 || walk.step[0][walk.rank - 1] == static_cast<int64_t>(outputBytes);
  if (!outFits || (walk.rank > 1 && walk.extent[walk.rank - 1] < kShortRow)) {
    order = rowMajorOrder();
    for (unsigned k = 0; k < inputs; ++k)
      if (!in[k].isUniform()) {
        Value spread = in[k];
        in[k] = toRowMajor(spread);
      }
    out = Value::dense(resultKind, shape);
    walk = plan();
  }

  const unsigned last = walk.rank ? walk.rank - 1 : 0;
  const auto rowCount = static_cast<size_t>(walk.rank ? walk.extent[last] : 1);
  unsigned uniform = 0;
  for (unsigned k = 0; k < inputs; ++k)
    if (walk.step[k + 1][last] == 0)
      uniform |= 1u << k;
  Shape outer;
  outer.rank = last + 1;
  outer.extent = walk.extent;
  forEachRow(outer, [&](const Extents &index) {
    std::byte *target = out.mutableElements();
    const void *rows[3] = {};
    for (unsigned d = 0; d < last; ++d)
      target += index[d] * walk.step[0][d];
    for (unsigned k = 0; k < inputs; ++k) {
      const std::byte *row = in[k].elements();
      for (unsigned d = 0; d < last; ++d)
        row += index[d] * walk.step[k + 1][d];
      rows[k] = row;
    }
    operation.run(target, rows, inputs, rowCount, uniform);
  });
  out.shape = full;
  return out;
}

} // namespace tegula::cpu
