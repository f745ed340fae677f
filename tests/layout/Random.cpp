#include "tests/layout/Random.h"
#include "backends/cuda/instructions/MatrixInstructions.h"
#include "backends/rocm/instructions/MatrixInstructions.h"

#include <algorithm>
#include <bit>

namespace tegula::layout::test {
namespace {

unsigned log2(uint64_t value) { return static_cast<unsigned>(std::countr_zero(value)); }

/// Whether `vector` is the XOR of a subset of `others`; tries all subsets.
bool isSpanned(const std::vector<uint64_t> &others, uint64_t vector) {
  for (uint64_t mask = 0; mask < uint64_t(1) << others.size(); ++mask) {
    uint64_t sum = 0;
    for (size_t i = 0; i < others.size(); ++i)
      sum ^= mask >> i & 1 ? others[i] : 0;
    if (sum == vector)
      return true;
  }
  return false;
}

std::vector<uint64_t> randomBasis(Rng &rng, unsigned bits) {
  std::vector<uint64_t> basis;
  while (basis.size() < bits) {
    uint64_t vector = rng() & ((uint64_t(1) << bits) - 1);
    if (!isSpanned(basis, vector))
      basis.push_back(vector);
  }
  return basis;
}

std::vector<uint64_t> unitBasis(Rng &rng, unsigned bits) {
  std::vector<uint64_t> basis;
  for (unsigned i = 0; i < bits; ++i)
    basis.push_back(uint64_t(1) << i);
  std::shuffle(basis.begin(), basis.end(), rng);
  return basis;
}

/// Distributes columns over registers, lanes and warps; the remaining bits become copies and combinations of columns.
LinearLayout dealt(Rng &rng, const Tensor &tensor, std::vector<uint64_t> columns, bool linearCopies) {
  unsigned bits = static_cast<unsigned>(columns.size());
  std::vector<uint64_t> lanes, warps;
  unsigned copies = chance(rng, 25) ? below(rng, 3) : 0;
  auto deal = [&](std::vector<uint64_t> &to, unsigned count) {
    while (to.size() < count) {
      bool copy = columns.empty() || (copies > 0 && chance(rng, 30));
      if (copy) {
        copies -= copies > 0;
        to.push_back(linearCopies && chance(rng, 40) ? rng() & ((uint64_t(1) << bits) - 1) : 0);
      } else {
        to.push_back(columns.back());
        columns.pop_back();
      }
    }
  };
  deal(lanes, tensor.laneBits);
  deal(warps, tensor.warpBits);
  if (chance(rng, 10))
    columns.insert(columns.begin() + below(rng, static_cast<uint32_t>(columns.size()) + 1),
                   linearCopies ? rng() & ((uint64_t(1) << bits) - 1) : 0);
  std::vector<InputBases> bases = {{kRegister, {}}, {kLane, {}}, {kWarp, {}}};
  const std::vector<uint64_t> *all[] = {&columns, &lanes, &warps};
  LinearLayout numbers({}, tensorExtents(tensor.shape));
  for (size_t i = 0; i < 3; ++i)
    for (uint64_t flat : *all[i])
      bases[i].bases.push_back(numbers.unpackOutput(flat));
  return LinearLayout(bases, tensorExtents(tensor.shape));
}

/// Splits a size of 2^bits over the dimensions of the shape.
std::vector<uint32_t> split(Rng &rng, size_t rank, unsigned bits) {
  std::vector<uint32_t> sizes(rank, 1);
  for (unsigned i = 0; i < bits; ++i)
    sizes[below(rng, static_cast<uint32_t>(rank))] *= 2;
  return sizes;
}

LinearLayout randomBlocked(Rng &rng, const std::vector<uint32_t> &shape, unsigned laneBits, unsigned warpBits) {
  std::vector<unsigned> order(shape.size());
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), rng);
  return blocked({split(rng, shape.size(), below(rng, 4)), split(rng, shape.size(), laneBits),
                  split(rng, shape.size(), warpBits), order, shape});
}

LinearLayout randomSliced(Rng &rng, const Tensor &tensor) {
  std::vector<uint32_t> parent = tensor.shape;
  unsigned dim = below(rng, static_cast<uint32_t>(parent.size()) + 1);
  parent.insert(parent.begin() + dim, uint32_t(1) << below(rng, 4));
  return sliced(randomBlocked(rng, parent, tensor.laneBits, tensor.warpBits), dim);
}

std::optional<LinearLayout> randomTiled(Rng &rng, const Tensor &tensor) {
  if (tensor.shape.size() != 2)
    return std::nullopt;
  auto table = chance(rng, 50) ? cuda::matrixInstructions() : rocm::matrixInstructions();
  const MatrixInstruction &row = table[below(rng, static_cast<uint32_t>(table.size()))];
  const MatrixOperand *operands[] = {&row.a, &row.b, &row.c};
  const LinearLayout &fragment = operands[below(rng, 3)]->layout;
  if (fragment.inputBits(kLane) != tensor.laneBits || fragment.inputBits(kWarp) > tensor.warpBits)
    return std::nullopt;
  unsigned left = tensor.warpBits - fragment.inputBits(kWarp);
  uint32_t room[] = {tensor.shape[0] / fragment.outputSize(kDim0), tensor.shape[1] / fragment.outputSize(kDim1)};
  if (room[0] == 0 || room[1] == 0)
    return std::nullopt;
  TileSpec spec;
  spec.shape = tensor.shape;
  for (unsigned i = 0; i < left; ++i) {
    unsigned dim = below(rng, 3);
    if (dim < 2 && room[dim] > 1) {
      room[dim] /= 2;
      spec.warps.push_back({dim, 2});
    } else {
      spec.warps.push_back({std::nullopt, 2});
    }
  }
  for (unsigned dim : {0u, 1u})
    spec.repeat[dim] = uint32_t(1) << below(rng, log2(room[dim]) + 1);
  if (chance(rng, 50))
    spec.order = {0, 1};
  return tiled(fragment, spec);
}

} // namespace

uint32_t below(Rng &rng, uint32_t bound) { return static_cast<uint32_t>(rng() % bound); }
bool chance(Rng &rng, uint32_t percent) { return rng() % 100 < percent; }

std::vector<Coordinates> enumerate(const LinearLayout &layout) {
  size_t rank = layout.outputs().size();
  std::vector<Coordinates> all = {Coordinates(rank, 0)};
  for (const InputBases &input : layout.bases())
    for (const Coordinates &basis : input.bases)
      for (size_t i = 0, count = all.size(); i < count; ++i) {
        Coordinates next = all[i];
        for (size_t d = 0; d < rank; ++d)
          next[d] ^= basis[d];
        all.push_back(next);
      }
  return all;
}

Tensor randomTensor(Rng &rng) {
  static const unsigned kLaneBits[] = {5, 5, 6, 3};
  Tensor tensor;
  tensor.laneBits = kLaneBits[below(rng, 4)];
  tensor.warpBits = below(rng, 4);
  unsigned maximum = chance(rng, 5) ? 6 : 5; // largest log2 of each dimension
  if (chance(rng, 15))
    tensor.shape = {uint32_t(1) << below(rng, 2 * maximum)};
  else if (chance(rng, 10))
    tensor.shape = {uint32_t(1) << below(rng, 4), uint32_t(1) << below(rng, 5), uint32_t(1) << below(rng, 4)};
  else
    tensor.shape = {uint32_t(1) << below(rng, maximum + 1), uint32_t(1) << below(rng, maximum + 1)};
  if (maximum == 6 && tensor.shape.size() == 2)
    tensor.shape = {64, 64};
  return tensor;
}

LinearLayout randomDistributed(Rng &rng, const Tensor &tensor) {
  unsigned bits = 0;
  for (uint32_t size : tensor.shape)
    bits += log2(size);
  switch (below(rng, 5)) {
  case 0: return dealt(rng, tensor, randomBasis(rng, bits), true);
  case 1: return dealt(rng, tensor, unitBasis(rng, bits), false);
  case 2: return randomSliced(rng, tensor);
  case 3:
    for (int attempt = 0; attempt < 8; ++attempt)
      if (std::optional<LinearLayout> layout = randomTiled(rng, tensor))
        return *layout;
    [[fallthrough]];
  default: return randomBlocked(rng, tensor.shape, tensor.laneBits, tensor.warpBits);
  }
}

LinearLayout randomRelative(Rng &rng, const LinearLayout &from) {
  std::vector<InputBases> bases = from.bases();
  auto add = [&](Coordinates &to, const Coordinates &what) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] ^= what[i];
  };
  unsigned how = below(rng, 4);
  std::vector<Coordinates> *registers = nullptr, *lanes = nullptr;
  for (InputBases &input : bases) {
    if (input.dim == kRegister)
      registers = &input.bases;
    if (input.dim == kLane)
      lanes = &input.bases;
  }
  if (how >= 1 && registers)
    std::shuffle(registers->begin(), registers->end(), rng);
  if (how >= 2 && lanes)
    std::shuffle(lanes->begin(), lanes->end(), rng);
  if (how >= 3 && registers && lanes)
    for (int i = 0; i < 6; ++i) { // elementary column operations keep the span of the warp's bases
      std::vector<Coordinates> &to = chance(rng, 50) ? *registers : *lanes,
                               &what = chance(rng, 50) ? *registers : *lanes;
      if (to.empty() || what.empty())
        continue;
      size_t a = below(rng, static_cast<uint32_t>(to.size())), b = below(rng, static_cast<uint32_t>(what.size()));
      if (&to != &what && chance(rng, 40))
        std::swap(to[a], what[b]);
      else if (&to != &what || a != b)
        add(to[a], what[b]);
    }
  return LinearLayout(bases, from.outputs());
}

namespace {

std::vector<Extent> cut(Rng &rng, const std::vector<Dim> &dims, unsigned bits) {
  std::vector<Extent> extents;
  for (Dim dim : dims)
    extents.push_back({dim, 1});
  for (unsigned i = 0; i < bits; ++i)
    extents[below(rng, static_cast<uint32_t>(dims.size()))].size *= 2;
  return extents;
}

LinearLayout fromColumns(const std::vector<uint64_t> &columns, const std::vector<Extent> &ins,
                         const std::vector<Extent> &outs) {
  LinearLayout numbers({}, outs);
  std::vector<InputBases> bases;
  size_t at = 0;
  for (const Extent &in : ins) {
    bases.push_back({in.dim, {}});
    for (unsigned i = 0; i < log2(in.size); ++i)
      bases.back().bases.push_back(numbers.unpackOutput(columns[at++]));
  }
  return LinearLayout(bases, outs);
}

} // namespace

LinearLayout randomLayout(Rng &rng, std::vector<Dim> ins, std::vector<Dim> outs, unsigned maxBits) {
  unsigned inBits = below(rng, maxBits + 1), outBits = below(rng, maxBits + 1);
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < inBits; ++i)
    columns.push_back(rng() & ((uint64_t(1) << outBits) - 1));
  return fromColumns(columns, cut(rng, ins, inBits), cut(rng, outs, outBits));
}

LinearLayout randomInvertible(Rng &rng, std::vector<Dim> ins, std::vector<Dim> outs, unsigned bits) {
  return fromColumns(randomBasis(rng, bits), cut(rng, ins, bits), cut(rng, outs, bits));
}

} // namespace tegula::layout::test
