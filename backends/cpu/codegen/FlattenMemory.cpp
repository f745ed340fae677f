// Flattens pointers, loads, stores, atomics and descriptors.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

// Enumerators are converted by their numbers, so both enumerations must agree.
static_assert(int(tile::AtomicKind::Exchange) == int(AtomicKind::Exchange) &&
              int(tile::AtomicKind::FMax) == int(AtomicKind::FMax));
static_assert(int(tile::MemoryOrder::AcquireRelease) == int(MemoryOrder::AcquireRelease));
static_assert(int(tile::Scope::System) == int(Scope::System));

/// Packs the cache hints of an access into one attribute: modifier | eviction << 8 | volatile << 16. The executor
/// ignores it.
int64_t hints(tile::CacheModifier cache, tile::EvictionPolicy eviction, bool isVolatile) {
  return int64_t(cache) | int64_t(eviction) << 8 | int64_t(isVolatile) << 16;
}

bool atomicRmw(FunctionWriter &writer, tile::AtomicRmwOp op) {
  Register result = op.getResult().use_empty() ? kNoRegister : writer.define(op.getResult());
  writer.emit(Opcode::AtomicRmw, result, writer.all(op->getOperands()),
              {int64_t(op.getKind()), int64_t(op.getOrder()), int64_t(op.getScope())}, op.getLoc());
  return true;
}

} // namespace

bool flattenMemory(FunctionWriter &writer, Operation *op) {
  auto emit = [&](Opcode opcode, ArrayRef<int64_t> attributes = {}) {
    writer.emit(opcode, op, attributes);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::AddPtrOp) { return emit(Opcode::AddPtr); })
      .Case([&](tile::PtrToIntOp) { return emit(Opcode::PtrToInt); })
      .Case([&](tile::IntToPtrOp) { return emit(Opcode::IntToPtr); })
      .Case([&](tile::PtrCastOp) { return emit(Opcode::PtrCast); })
      .Case([&](tile::LoadOp op) {
        return emit(Opcode::Load, hints(op.getCache(), op.getEviction(), op.getIsVolatile()));
      })
      .Case([&](tile::StoreOp op) { return emit(Opcode::Store, hints(op.getCache(), op.getEviction(), false)); })
      .Case([&](tile::AtomicRmwOp op) { return atomicRmw(writer, op); })
      .Case([&](tile::AtomicCasOp op) {
        return emit(Opcode::AtomicCas, {int64_t(op.getOrder()), int64_t(op.getScope())});
      })
      .Case([&](tile::MakeDescOp op) { return emit(Opcode::MakeDescriptor, int64_t(op.getPadding())); })
      .Case([&](tile::DescBaseOp) { return emit(Opcode::DescPart, {0, 0}); })
      .Case([&](tile::DescExtentOp op) { return emit(Opcode::DescPart, {1, op.getAxis()}); })
      .Case([&](tile::DescStrideOp op) { return emit(Opcode::DescPart, {2, op.getAxis()}); })
      .Case([&](tile::DescPadsNanOp) { return emit(Opcode::DescPart, {3, 0}); })
      .Case([&](tile::DescLoadOp) { return emit(Opcode::DescLoad); })
      .Case([&](tile::DescStoreOp) { return emit(Opcode::DescStore); })
      .Case([&](tile::DescAtomicOp op) { return emit(Opcode::DescAtomic, int64_t(op.getKind())); })
      .Case([&](tile::DescGatherOp) { return emit(Opcode::DescGather); })
      .Case([&](tile::DescScatterOp) { return emit(Opcode::DescScatter); })
      .Default(false);
}

} // namespace tegula::cpu
