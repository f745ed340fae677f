#include "backends/vulkan/codegen/Loops.h"
#include "core/ir/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace tegula::vulkan {
namespace {

/// Rounds of the loop in Scalars::remainder: a quotient has at most 278 bits, and each round computes eight; rounded
/// up.
constexpr uint64_t kRemainderRounds = 40;

/// The scalar type of a register tile's elements; none for addresses, which are never narrow.
std::optional<ScalarType> elementType(Value value) { return tile::scalarType(getElementTypeOrSelf(value.getType())); }

/// Limits a number of loop rounds to kUnknownRounds, so that products and sums of such numbers fit 64 bits.
uint64_t bounded(uint64_t rounds) { return std::min(rounds, kUnknownRounds); }

uint64_t iterationsOf(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return kUnknownRounds;
  if (*upper <= *lower)
    return 0;
  uint64_t distance = uint64_t(*upper) - uint64_t(*lower);
  return bounded((distance - 1) / uint64_t(*step) + 1);
}

/// True if the store becomes a loop: fewer than 4 bytes in memory that is accessed by words are stored by a
/// compare-exchange of the word (Printer::storeToWord).
bool isLoop(simt::StoreOp store, const Profile &profile) {
  std::optional<ScalarType> type = elementType(store.getValue());
  int64_t elements = simt::elementsOf(store.getValue().getType()) / simt::elementsOf(store.getOffset().getType());
  return type && !isAccessible(*type, profile) && elements * byteSize(*type) < 4;
}

/// Rounds of the op's own code, without its regions.
uint64_t ownRounds(Operation *op, const Profile &profile) {
  // An exchange that fails is repeated, once for each change of the word by another thread.
  if (auto atomic = dyn_cast<simt::AtomicRmwOp>(op)) {
    std::optional<ScalarType> type = elementType(atomic.getResult());
    return type && !isAtomicInstruction(atomic.getKind(), *type, profile) ? kUnknownRounds : 0;
  }
  if (auto atomic = dyn_cast<simt::AtomicCasOp>(op)) {
    std::optional<ScalarType> type = elementType(atomic.getResult());
    return type && bitWidth(*type) < 32 ? kUnknownRounds : 0;
  }
  if (auto store = dyn_cast<simt::StoreOp>(op))
    return isLoop(store, profile) ? kUnknownRounds : 0;
  if (isa<arith::RemFOp>(op))
    return bounded(kRemainderRounds * uint64_t(simt::elementsOf(op->getResult(0).getType())));
  return 0;
}

} // namespace

bool isAccessible(ScalarType type, const Profile &profile) {
  auto has = [&](Feature feature) { return profile.features.has(feature); };
  switch (byteSize(type)) {
  case 1: return has(Feature::Storage8) && has(Feature::Int8);
  case 2: return has(Feature::Storage16) && has(Feature::Int16);
  default: return true;
  }
}

bool isAtomicInstruction(tile::AtomicKind kind, ScalarType type, const Profile &profile) {
  using K = tile::AtomicKind;
  auto has = [&](Feature feature) { return profile.features.has(feature); };
  if (kind != K::FAdd)
    return kind != K::FMin && kind != K::FMax && bitWidth(type) >= 32; // floats are exchanged as bits
  switch (type) {
  case ScalarType::F32: return has(Feature::Float32Add);
  case ScalarType::F64: return has(Feature::Float64Add);
  case ScalarType::F16: return has(Feature::Float16Add) && has(Feature::Float16) && has(Feature::Int16);
  default: return false;
  }
}

uint64_t roundsOf(Operation *op, const Profile &profile) {
  if (isa<scf::WhileOp>(op))
    return kUnknownRounds;
  uint64_t inside = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      inside = bounded(inside + roundsOf(block, profile));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return iterationsOf(loop) + inside < kUnknownRounds ? bounded((iterationsOf(loop) + 1) * (inside + 1))
                                                        : kUnknownRounds;
  return bounded(inside + ownRounds(op, profile));
}

uint64_t roundsOf(Block &block, const Profile &profile) {
  uint64_t rounds = 0;
  for (Operation &op : block)
    rounds = bounded(rounds + roundsOf(&op, profile));
  return rounds;
}

} // namespace tegula::vulkan
